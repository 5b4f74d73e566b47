"""Units that are alike as a whole: the same key combinations among their members, each the same number of times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BITS = 40
"""Bits of a random number: the sum over eight million members still fits in 64."""
SEED = 1104
"""Any will do: nothing that is released depends on it."""

Spectrum = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def class_numbers(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two random numbers for each of so many classes.

    Added up over the members of a unit they tell its composition, in whatever order: two different compositions have
    both sums in common with a chance of one in 2^80.

    >>> first, second = class_numbers(3)
    >>> len({*first.tolist(), *second.tolist()})
    6
    """
    drawn = np.random.Generator(np.random.Philox(SEED)).integers(1, 1 << BITS, (max(size, 1), 2), dtype=np.int64)
    return drawn[:size, 0], drawn[:size, 1]


def count_alike(
    sizes: NDArray[np.int64], classes: NDArray[np.int64], units: NDArray[np.int64], counts: NDArray[np.int64]
) -> Spectrum:
    """How many units are alike: ``counts[i]`` rows of unit ``units[i]`` are in ``classes[i]``, ``sizes`` rows in all.

    Members of a unit, units that have the same composition, how many compositions are so, and the rows in them. A row
    without a unit is a composition of one member, to which it adds no unit.

    >>> sizes, classes, units = np.array([3, 2]), np.array([0, 1, 0, 1, 0]), np.array([7, 7, 8, 8, 9])
    >>> [a.tolist() for a in count_alike(sizes, classes, units, np.ones(5, dtype=np.int64))]
    [[1, 2], [1, 2], [1, 1], [1, 4]]
    """
    first, second = class_numbers(len(sizes))
    order = np.argsort(units, kind="stable")
    starts = np.flatnonzero(np.diff(units[order], prepend=-1)) if len(units) else np.zeros(0, dtype=np.int64)
    held, many = classes[order], counts[order]

    def by_unit(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.add.reduceat(values, starts) if len(starts) else np.zeros(0, dtype=np.int64)

    members = by_unit(many)
    alone = sizes - np.bincount(classes, weights=counts, minlength=len(sizes)).astype(np.int64)
    lone = np.flatnonzero(alone > 0)
    ones, none = np.ones(len(lone), dtype=np.int64), np.zeros(len(lone), dtype=np.int64)
    marks = (
        np.concatenate([by_unit(first[held] * many), first[lone]]),
        np.concatenate([by_unit(second[held] * many), second[lone]]),
        np.concatenate([members, ones]),
    )
    adds = np.concatenate([np.ones_like(members), none])
    rows = np.concatenate([members, alone[lone]])
    (_, _, size), (alike, records) = _grouped(marks, (adds, rows))
    (size, alike), (number, records) = _grouped((size, alike), (np.ones_like(size), records))
    return size, alike, number, records


def _grouped(
    by: tuple[NDArray[np.int64], ...], values: tuple[NDArray[np.int64], ...]
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Values added up by combination, in order of the combinations."""
    order = np.lexsort(by[::-1])
    if not len(order):
        return list(by), list(values)
    placed = [column[order] for column in by]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in placed])
    starts = np.flatnonzero(new)
    return [column[starts] for column in placed], [np.add.reduceat(value[order], starts) for value in values]
