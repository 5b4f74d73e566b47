"""Shows what a long run is doing; says nothing about a short one."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Any, Self

PATIENCE = 2.0
"""Seconds before anything is shown."""


class Watch:
    """Listens to a run. On a terminal a line with the step and the time appears after two seconds;
    elsewhere every part that took longer leaves one line."""

    def __init__(self, *, quiet: bool = False) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, highlight=False)
        self._quiet = quiet
        self._status: Any = None
        self._what, self._since = "", time.monotonic()
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if not self._quiet and self._console.is_terminal:
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """A part begins (done == 0) or ends."""
        if done == 0:
            self._what, self._since = what, time.monotonic()
            if self._status is not None:
                self._status.update(_shown(what))
            return
        took = time.monotonic() - self._since
        if not self._quiet and took > PATIENCE:
            self._console.print(f"{what}: {took:.1f} s", style="dim", markup=False)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._status is not None:
            self._status.stop()

    def _show(self) -> None:
        self._status = self._console.status(_shown(self._what))
        self._status.start()


def _shown(what: str) -> Any:
    """A line as it is: a step may be called "[red]"."""
    from rich.text import Text

    return Text(f"{what} ...")
