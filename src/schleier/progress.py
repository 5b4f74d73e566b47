"""Shows on a terminal what a long run is doing; says nothing about a short one, and nothing where nobody watches.

What a command writes to a file or a pipe never depends on how fast the machine is.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

_told: Callable[[str], str] = str
"""Says what a run is doing in the language of the reader; as it is, where nobody asked for another."""
PATIENCE = 2.0
"""Seconds before anything is shown."""


class Watch:
    """Listens to a run. On a terminal a line with the step under way appears after two seconds, and vanishes."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._silent = quiet or not sys.stderr.isatty()
        self._status: Any = None
        self._what = ""
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if not self._silent:
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """A part begins (done == 0) or ends."""
        if done == 0:
            self._what = what
            if self._status is not None:
                self._status.update(_shown(what))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._status is not None:
            self._status.stop()

    def _show(self) -> None:
        from rich.console import Console

        self._status = Console(stderr=True, highlight=False).status(_shown(self._what))
        self._status.start()


def speak(told: Callable[[str], str]) -> None:
    """Say from now on what a run is doing in another language."""
    global _told  # noqa: PLW0603 - one terminal, and the thread that shows the line knows no context
    _told = told


def _shown(what: str) -> Any:
    """A line as it is: a step may be called "[red]"."""
    from rich.text import Text

    return Text(f"{_told(what)} ...")
