"""How many pairs of records columns tell apart, and how many different combinations they have.

Motwani and Xu (2007): a set of columns separates a pair of records that differ in at least one of them, and
distinguishes as many records as it has different combinations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes, number_rows

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Separated:
    """What a set of columns tells."""

    columns: tuple[int, ...]
    distinct: int
    """Different combinations of values."""
    unique: int
    """Records that are alone."""
    together: int
    """Pairs of records that it does not tell apart."""


def pairs_apart(columns: tuple[int, ...], sizes: Whole) -> Separated:
    """What class sizes say.

    >>> pairs_apart((0,), np.array([1, 3]))
    Separated(columns=(0,), distinct=2, unique=1, together=3)
    """
    pairs = int((sizes * (sizes - 1) // 2).sum())
    return Separated(columns, len(sizes), int((sizes == 1).sum()), pairs)


def all_subsets(codes: Codes, sizes: Whole, most: int) -> Iterator[Separated]:
    """All subsets of at most so many columns; each continues from the groups of the one it extends.

    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> [(told.columns, told.together) for told in all_subsets(codes, np.array([1, 1, 1]), 2)]
    [((0,), 1), ((0, 1), 0), ((1,), 1)]
    """
    yield from _extended(codes, sizes, (), np.zeros(len(codes), dtype=np.int64), most)


def _extended(codes: Codes, sizes: Whole, chosen: tuple[int, ...], group: Whole, most: int) -> Iterator[Separated]:
    for j in range(chosen[-1] + 1 if chosen else 0, codes.shape[1]):
        finer = _split(group, codes[:, j])
        columns = (*chosen, j)
        yield pairs_apart(columns, np.bincount(finer, weights=sizes).astype(np.int64))
        if len(columns) < most:
            yield from _extended(codes, sizes, columns, finer, most)


def greedy_columns(codes: Codes, sizes: Whole, steps: int) -> list[Separated]:
    """Column after column, each time the one that leaves fewest pairs together; ends when nothing more is told apart.

    >>> codes = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 2]], dtype=np.int32)
    >>> [told.columns for told in greedy_columns(codes, np.array([1, 1, 1]), 3)]
    [(2,)]
    """
    result, chosen = list[Separated](), tuple[int, ...]()
    group, together = np.zeros(len(codes), dtype=np.int64), -1
    while len(chosen) < min(steps, codes.shape[1]):
        best: tuple[Separated, Whole] | None = None
        for j in (j for j in range(codes.shape[1]) if j not in chosen):
            finer = _split(group, codes[:, j])
            told = pairs_apart((*chosen, j), np.bincount(finer, weights=sizes).astype(np.int64))
            if best is None or told.together < best[0].together:
                best = told, finer
        if best is None or best[0].together == together:
            break
        result.append(best[0])
        group, together, chosen = best[1], best[0].together, best[0].columns
        if not together:
            break
    return result


def _split(group: Whole, column: NDArray[np.int32]) -> Whole:
    """Groups split by a further column, numbered anew."""
    return number_rows(np.stack([group, column], axis=1))
