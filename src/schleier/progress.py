"""Shows on a terminal how far a long command is, and says nothing about a short one.

What a command writes to a file or a pipe never depends on how fast the machine is.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Protocol, Self

PATIENCE = 2.0
"""Seconds before anything is shown."""
STEP = re.compile(r"step (\d+) of (\d+)")


class Telling(Protocol):
    """The words of the one who watches."""

    @property
    def table(self) -> Mapping[str, str]:
        """All keys there are."""

    def plain(self, key: str, /, n: float | None = None, **values: Any) -> str:
        """The words behind a key."""


class Watch:
    """Listens to a run. On a terminal a line appears after two seconds, and vanishes at the end.

    It shows a bar, the time since the beginning, the part under way and the one after it. Without a plan the bar only
    moves.
    """

    def __init__(self, words: Telling | None = None, *, quiet: bool = False) -> None:
        self._silent = quiet or not sys.stderr.isatty()
        self._words = words
        self._shown: Any = None
        self._open: list[str] = []
        self._ahead: list[str] = []
        self._done = 0
        self._start = time.monotonic()
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if not self._silent:
            self._timer = threading.Timer(PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def expect(self, parts: Sequence[str]) -> None:
        """These parts will follow, by the whole of their names or what stands before the colon."""
        self._ahead += parts

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """A part begins (done == 0) or ends."""
        if done == 0:
            self._open.append(what)
            place = next((i for i, part in enumerate(self._ahead) if f"{what}:".startswith(f"{part}:")), None)
            if place is not None:  # what was expected before it did not come
                del self._ahead[: place + 1]
        elif what in self._open:
            del self._open[self._open.index(what) :]
            self._done += not self._open  # a part of a part is none of the plan
        if self._shown is not None:
            self._update()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # it may be showing at this moment, and what it shows must end here
        if self._shown is not None:
            self._shown.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        # Not as markup: a step may be called "[red]".
        text = TextColumn("{task.description}", markup=False)
        console = Console(stderr=True, highlight=False)
        shown = Progress(BarColumn(bar_width=24), TimeElapsedColumn(), text, console=console, transient=True)
        task = shown.add_task("", total=None)
        shown.tasks[task].start_time = self._start
        shown.start()
        self._shown = shown
        self._update()

    def _update(self) -> None:
        now, then = self._open[-1:] or [""], self._ahead[0] if self._ahead else None
        line = f"{self._said(now[0])} ..." + (f" ({self._word('next', 'next')}: {self._said(then)})" if then else "")
        total = self._done + 1 + len(self._ahead) if self._ahead else None
        task = self._shown.task_ids[0]
        self._shown.update(task, description=line, completed=self._done, total=total, refresh=True)

    def _said(self, what: str) -> str:
        """A part in the language of who watches; names of components and files stay as they are."""
        head, colon, tail = what.partition(":")
        if found := STEP.fullmatch(head):
            return self._word("step", head, i=found[1], of=found[2]) + colon + tail
        return self._word(_key(what), "") or self._word(_key(head), head) + colon + tail

    def _word(self, key: str, otherwise: str, **values: str) -> str:
        if self._words is None or f"progress.{key}" not in self._words.table:
            return otherwise
        return self._words.plain(f"progress.{key}", None, **values)


class Lines:
    """Listens to a run that does many things alike, and tells where nobody watches how many are done.

    A line at the beginning, after each tenth and at the end: however fast the machine is, they are the same.
    """

    def __init__(self, words: Telling, key: str, *, quiet: bool = False) -> None:
        self._say = None if quiet or sys.stderr.isatty() else partial(words.plain, key)
        self._all = self._done = 0

    def expect(self, parts: Sequence[str]) -> None:
        """These parts will follow."""
        self._all += len(parts)
        if parts:
            self._tell()

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """A part begins (done == 0) or ends."""
        before = self._done * 10 // max(self._all, 1)
        self._done += bool(done)
        if self._done * 10 // max(self._all, 1) > before:
            self._tell()

    def _tell(self) -> None:
        if self._say is not None:
            sys.stderr.write(self._say(n=self._all, done=str(self._done)) + "\n")
            sys.stderr.flush()


def _key(what: str) -> str:
    return what.replace(":", "").replace(" ", "_")
