"""About how many cells are blanked so that no combination is rare, by one quick placing without a search.

Pattern by pattern, the fewest gaps first, whole classes that are enough together are placed and wait no longer. What
the search finds is close to this: it takes moments even where the search would take minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes
from schleier.kernels.classes.rarity import Rarity, counting

Whole = NDArray[np.int64]
DEEPEST = 3
"""Cells of a record that are tried; who needs more loses all."""


def placed_cells(
    codes: Codes,
    sizes: Whole,
    values: Sequence[int],
    least: int,
    most: float,
    held: Whole | None = None,
    units: Whole | None = None,
) -> float:
    """Cells that are blanked; infinite as soon as they are known to be more than ``most``.

    ``held`` and ``units`` are the classes that hold each unit, where units are counted in place of records.

    >>> codes = np.array([[0, 0], [0, 1], [0, 2], [1, 0]], dtype=np.int32)
    >>> placed_cells(codes, np.array([1, 1, 1, 9]), [2, 3], 3, 10)
    3.0
    >>> placed_cells(codes, np.array([1, 1, 1, 9]), [2, 3], 3, 2)
    inf
    """
    table, width = Rarity.of(codes, sizes, list(values), held, units), codes.shape[1]
    gaps = (codes < 0) @ (1 << np.arange(width))
    many, cells = (codes < 0).sum(axis=1), 0.0
    waiting = np.arange(len(sizes))
    waiting = waiting[~_enough(table, table.rows, waiting, least)]
    columns = sorted(range(width), key=lambda j: -values[j])  # the finest first: without them most are alike
    for size in range(1, width + 1):
        for chosen in combinations(columns, size):
            if not len(waiting) or size - many[waiting].max() > DEEPEST:
                break
            able = np.flatnonzero((gaps[waiting] & ~sum(1 << j for j in chosen)) == 0)
            if not len(able):
                continue
            can = waiting[able]
            rows = table.rows[can]
            for j in chosen:
                rows = rows - table.numbers[j][table.columns[j][can]]
            enough = _enough(table, rows, can, least)
            good = can[enough]
            cells += float((sizes[good] * (size - many[good])).sum())
            waiting = np.delete(waiting, able[enough])
        if cells + sizes[waiting].sum() > most:  # each loses at least one
            return np.inf
    return cells + float((sizes[waiting] * (width - many[waiting])).sum())


def _enough(table: Rarity, rows: NDArray[np.uint64], who: Whole, least: int) -> NDArray[np.bool_]:
    """Which of some classes, told apart by these numbers, are with enough others."""
    way = counting(len(who))
    place, classes = way.numbered(rows)
    found = way.added(place, table.sizes[who], classes)
    if table.units is not None:
        found = way.different(place, *way.held_by(who, table.starts, table.units), found, least)
    enough: NDArray[np.bool_] = found[place] >= least
    return enough
