"""Columns of both sides in the form in which one may speak against a pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schleier.core.trust.sides import Numbers, Sides

if TYPE_CHECKING:
    from schleier.kernels.linkage import possible


def possible_columns(sides: Sides, names: tuple[str, ...]) -> list[possible.Words | possible.Numbers]:
    """Known columns with gaps as the last code; whether a gap may be anything was said when the sides were made."""
    import numpy as np

    from schleier.kernels.linkage import possible

    found: list[possible.Words | possible.Numbers] = []
    for name in names:
        column = sides.columns[name]
        if isinstance(column, Numbers):
            found.append(possible.Numbers(column.known, column.upto, column.low, column.high))
            continue
        known = np.where(column.known < 0, column.meets.shape[1] - 1, column.known).astype(np.int64)
        cells = np.where(column.cells < 0, column.meets.shape[0] - 1, column.cells).astype(np.int64)
        found.append(possible.Words(known, cells, np.ascontiguousarray(column.meets.T)))
    return found
