"""What a process of the laboratory does: it opens a release once, and tries one cell of it after the other."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from multiprocessing import parent_process
from typing import Any

from schleier.core.errors import InternalError, Problem, SchleierError
from schleier.core.failures import explain_system
from schleier.core.interrupts import interruptible
from schleier.core.leftovers import clear
from schleier.core.measure import Case
from schleier.lab.grid.cells import Cell
from schleier.lab.grid.experiment import experiment

Opens = Callable[..., AbstractContextManager[Case]]
"""Opens a release with its original; who makes releases brings it."""
HINT = "please report it; what was done is kept"
ALONE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class _Now:
    """The release that is open in this process."""

    case: Case | None = None
    of: tuple[str, ...] = ()
    stack: ExitStack = ExitStack()


def begin() -> None:
    """Before the first cell: one thread, for other processes do other cells and sums must not depend on how many."""
    os.environ.update(dict.fromkeys(ALONE, "1"))
    atexit.register(close)
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    """Nobody waits for this process when its parent was killed: what it holds is removed, and it ends."""
    if (parent := parent_process()) is not None:
        parent.join()
        clear()
        os._exit(1)


def work(cell: Cell, opens: Opens, key: bytes) -> dict[str, Any] | SchleierError:
    """The result of a cell, or what is wrong with it; nothing else leaves this process, no trace and no value."""
    try:
        with interruptible():
            return experiment(cell, _opened(cell, opens, key), key)
    except SchleierError as error:
        return _plain(error)
    except KeyboardInterrupt:
        close()
        raise
    except Exception as error:
        known = explain_system(error)
        message = f"the experiment failed by a defect of Schleier ({type(error).__name__})"
        return _plain(known) if known else InternalError(Problem("experiment-failed", "", message, HINT))


def _opened(cell: Cell, opens: Opens, key: bytes) -> Case:
    if _Now.case is None or _Now.of != cell.case:
        close()
        entry = cell.entry
        opened = opens(
            entry.recipe, entry.folder, entry.original, entry.change, known=cell.known, truth=cell.truth, key=key
        )
        _Now.case, _Now.of = _Now.stack.enter_context(opened), cell.case
    return _Now.case


def close() -> None:
    """Let go of the release that is open, and of all that lies in temporary places."""
    _Now.case = None
    _Now.stack.close()
    clear()


def _plain(error: SchleierError) -> SchleierError:
    """The same error without what led to it."""
    return type(error)([Problem(p.code, p.where, p.message, p.hint) for p in error.problems])
