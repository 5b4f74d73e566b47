"""How a command ends that does not end well: what is said of it, and the exit code."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

from schleier.core.errors import InternalError, Problem, SchleierError
from schleier.core.failures import DEBUG, defect, explain_system
from schleier.core.interrupts import Interrupted, Left, received


def ended(error: BaseException) -> tuple[int, Sequence[Problem]]:
    """The exit code and the problems of whatever ended a command; with SCHLEIER_DEBUG a defect goes on as it is.

    >>> ended(KeyboardInterrupt())[0], ended(MemoryError())[0]
    (130, 5)
    """
    if isinstance(error, KeyboardInterrupt) or (received() and isinstance(error, Exception)):
        number = error.number if isinstance(error, Interrupted) else received() or signal.SIGINT
        if isinstance(error, Left):
            return 128 + number, []
        message = f"the command was stopped ({signal.Signals(number).name}); what it had begun was taken back"
        return 128 + number, [Problem("interrupted", "", message)]
    if isinstance(error, SchleierError):
        return error.exit_code, error.problems
    known = explain_system(error)
    if known is not None:
        return known.exit_code, known.problems
    if os.environ.get(DEBUG) or not isinstance(error, Exception):
        raise error
    return InternalError.exit_code, [defect(error)]
