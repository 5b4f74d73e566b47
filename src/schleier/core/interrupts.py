"""Signals end a command like an error: what it had begun is taken back, then it says so and goes."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from schleier.core.system import SIGNALS


class Interrupted(KeyboardInterrupt):
    """A signal came; like Ctrl-C it is no failure that anything should try to make good."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.number = number


class Left(Interrupted):
    """Somebody left a dialogue and was told where the answers are: nothing was taken back, nothing more is said."""


class _State:
    """What came, and whether it has to wait."""

    received: int | None = None
    held: int = 0


def received() -> int | None:
    """The signal that came, also when a library turned the interruption into an error of its own."""
    return _State.received


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C, SIGTERM and SIGHUP raise ``Interrupted`` inside the block; what the caller ignores stays ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    _State.received = None
    for number, handler in before.items():
        if handler not in (signal.SIG_IGN, None):
            signal.signal(number, _raise)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)


@contextmanager
def still_interruptible() -> Iterator[None]:
    """What a library does to our signals inside the block is undone after it."""
    ours = [number for number in SIGNALS if signal.getsignal(number) is _raise]
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, _raise)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals wait until the block is over: for the few renames that belong together, and for cleaning up."""
    _State.held += 1
    waiting = _State.received
    try:
        yield
    finally:
        _State.held -= 1
    if not _State.held and _State.received != waiting:
        raise Interrupted(_State.received or signal.SIGINT)


def _raise(number: int, frame: FrameType | None) -> None:
    _State.received = number
    logging.disable()  # libraries log how they were interrupted, with a trace of the program
    if not _State.held:
        raise Interrupted(number)
