"""Runs a grid: what is done is skipped, what is missing is done, and the results are put together."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from schleier import __version__
from schleier.core.errors import DataError, RecipeError, stop
from schleier.core.run import Expecting, Listener, silence
from schleier.lab.grid.cells import cells_of
from schleier.lab.grid.reading import Looks, LooksAtFile, read_grid
from schleier.lab.grid.results import GridReport, exact_results, public_report
from schleier.lab.grid.schedule import do_cells, parts_of
from schleier.lab.grid.store import PAGE, PUBLIC, RESULTS, open_store
from schleier.lab.grid.working import Opens


@dataclass(frozen=True)
class Doors:
    """How releases are looked at and opened. The laboratory stands beside those who make them, and is handed this."""

    look: Looks
    look_at_file: LooksAtFile
    opens: Opens


@dataclass(frozen=True)
class GridRun:
    """What a run of a grid came to."""

    report: GridReport
    folder: Path
    done: int
    """Cells that were done now."""
    skipped: int
    """Cells that were done before."""


def run_grid(
    path: Path | str,
    doors: Doors,
    page: Callable[[GridReport, Path], None],
    *,
    out: Path,
    key: bytes | None = None,
    jobs: int | None = None,
    listener: Listener = silence,
) -> GridRun:
    """Run the grid in a file and write its results into a folder; ``page`` writes the page for everybody."""
    if jobs is not None and jobs < 1:
        stop(RecipeError, "bad-option", "--jobs", "at least one process is needed")
    grid = read_grid(path, doors.look, doors.look_at_file)
    cells_of(grid, "")  # what cannot be tried is said before a folder is made
    with open_store(out, key) as store:
        cells = cells_of(grid, store.fingerprint)
        order = store.claim([cell.digest for cell in cells])
        left = [cell for cell in cells if store.result(cell.digest) is None]
        if isinstance(listener, Expecting):
            listener.expect(parts_of(left))
        if left:
            many = jobs or os.cpu_count() or 1
            keep = lambda cell, result: store.keep(cell.digest, result)  # noqa: E731
            problems = do_cells(left, doors.opens, store.key, many, keep, listener)
            if problems:
                raise DataError(problems)
        results = {cell.digest: store.result(cell.digest) for cell in cells}
        store.write(RESULTS, exact_results(cells, results))
        report = public_report(grid.declared, cells, results, __version__, order, store.publish(order))
        store.write(PUBLIC, report.model_dump(mode="json"))
        page(report, out / PAGE)
    return GridRun(report, out, len(left), len(cells) - len(left))
