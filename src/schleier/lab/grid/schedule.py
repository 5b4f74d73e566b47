"""Does the cells of a grid in several processes, and ends them all when one is asked to end."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from schleier.core.errors import EngineError, Problem, SchleierError, stop
from schleier.core.interrupts import uninterrupted
from schleier.core.leftovers import sweep
from schleier.core.run import Listener
from schleier.lab.grid.cells import Cell
from schleier.lab.grid.working import Opens, begin, work

PATIENCE = 10.0
"""Seconds a process has to clean up before it is killed."""


def do_cells(
    cells: Sequence[Cell],
    opens: Opens,
    key: bytes,
    jobs: int,
    keep: Callable[[Cell, dict[str, Any]], None],
    listener: Listener,
) -> list[Problem]:
    """Do all cells and keep what came of each as soon as it is there; what is wrong with single ones is returned.

    Each process takes cells of one release after the other, so that it opens few. Results do not depend on who did
    which: all draws follow from the key.
    """
    problems: dict[Problem, None] = {}
    ahead = sorted(cells, key=lambda cell: cell.case)
    told = iter(parts_of(ahead))  # one after the other: who watches sees how many are done, whichever they are
    with _pool(min(jobs, len(ahead))) as pool:
        waiting: dict[Future[Any], Cell] = {pool.submit(work, cell, opens, key): cell for cell in ahead}
        listener(part := next(told), 0, None)
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                cell = waiting.pop(future)
                result = _result(future)
                if isinstance(result, SchleierError):
                    problems |= dict.fromkeys(_placed(result, cell))
                else:
                    keep(cell, result)
                listener(part, 1, 1)
                if waiting:
                    listener(part := next(told), 0, None)
    return list(problems)


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes of our own, none left when the block ends, however it ends."""
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=begin)
    try:
        yield pool
    except BaseException:
        with uninterrupted():
            pool.shutdown(wait=False, cancel_futures=True)
            ours = [child for child in multiprocessing.active_children() if child not in before]
            for child in ours:
                child.terminate()
            for child in ours:
                child.join(PATIENCE)
                if child.is_alive():
                    child.kill()
                    child.join()
            sweep()
        raise
    pool.shutdown()
    sweep()  # an ended process may have held a release


def _result(future: Future[Any]) -> dict[str, Any] | SchleierError:
    try:
        found: dict[str, Any] | SchleierError = future.result()
    except BrokenProcessPool:
        message = "a process of the laboratory ended before its time, perhaps because the memory was short"
        hint = "run it again with fewer at a time: --jobs 1; what was done is kept"
        stop(EngineError, "process-ended", "", message, hint)
    return found


def _placed(error: SchleierError, cell: Cell) -> list[Problem]:
    where = f"{cell.release}, {cell.technique}"
    return [Problem(p.code, f"{where}: {p.where}" if p.where else where, p.message, p.hint) for p in error.problems]


def parts_of(cells: Sequence[Cell]) -> list[str]:
    """What is said of each cell while it is done."""
    return [f"attacking: {cell.technique}" for cell in sorted(cells, key=lambda cell: cell.case)]
