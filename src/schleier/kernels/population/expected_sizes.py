"""How many records a class should have if its values were combined at random, or pairs of them as often as they are.

Every class looks at the records that are not its own: a class of one record would otherwise see itself everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Floats = NDArray[np.float64]
ADDED = 0.5
"""Records added to every value: nobody else in the file has it, yet somebody in the population may."""
DOUBT = 1.0
"""Records added to both sides of a pair of values: few records say little about what hangs together."""
LOOKED_AT = 4_000
"""So many classes are enough to see which pairs of columns hang together; values are counted in all of them."""
TABLE = 1 << 24
"""Pairs of values that are counted in one array."""


def expected(codes: NDArray[np.int32], sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Logarithms of the records a class should have by its single values, and of the factor of pairs of values.

    The pairs are a tree of columns (Chow and Liu 1968).

    >>> single, pairs = expected(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32), np.array([6, 2, 2, 6]))
    >>> np.round(np.exp(single), 2).tolist()  # a class looks at the records that are not its own
    [0.83, 3.0, 3.0, 0.83]
    """
    counts = _counted(codes, sizes)
    single = _single(counts.codes, counts.sizes, counts.starts, counts.totals, counts.values, counts.records)
    pairs = np.zeros(len(sizes))
    for i, j in _tree(counts):
        pairs += counts.factor(i, j)
    return np.asarray(single), pairs


@dataclass(frozen=True)
class _Counts:
    """Records by value."""

    codes: NDArray[np.int32]
    sizes: Floats
    starts: NDArray[np.int64]
    """By column: where its values begin in ``totals``; missing is the first of them."""
    totals: Floats
    values: Floats
    """By column: values that occur."""
    records: float

    def factor(self, i: int, j: int, step: int = 1) -> Floats:
        """Logarithm of how much more often two values come together than by chance, for every so manyth class."""
        first, second = self.codes[:, i], self.codes[:, j]
        width = int(self.starts[j + 1] - self.starts[j])
        if (table := int(self.starts[i + 1] - self.starts[i]) * width) > TABLE:
            places = np.unique((first + np.int64(1)) * width + second + 1, return_inverse=True)[1]
            together = np.bincount(places, self.sizes)
            places = places[::step]
        else:
            together = _together(first, second, self.sizes, width, table)
            places = (first[::step] + np.int64(1)) * width + second[::step] + 1
        found = _factor(
            self.codes[::step], self.sizes[::step], self.starts, self.totals, i, j, places, together, self.records
        )
        return np.asarray(found)


def _counted(codes: NDArray[np.int32], sizes: NDArray[np.int64]) -> _Counts:
    keys = codes.shape[1]
    widths = [int(column.max(initial=-1)) + 2 for column in codes.T]
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    records = sizes.astype(np.float64)
    codes = np.ascontiguousarray(codes, dtype=np.int32)
    totals = _totals(codes, records, starts)
    values = [float(np.count_nonzero(totals[starts[j] : starts[j + 1]])) for j in range(keys)]
    return _Counts(codes, records, starts, totals, np.array(values, dtype=np.float64), float(records.sum()))


def _tree(counts: _Counts) -> list[tuple[int, int]]:
    """The pairs of columns that tell most of records that were left out of their counts, without a circle."""
    group = list(range(len(counts.values)))
    pairs = [(i, j) for i in group for j in range(i)] if len(counts.sizes) else []
    step = max(len(counts.sizes) // LOOKED_AT, 1)
    gains = {pair: float(counts.sizes[::step] @ counts.factor(*pair, step)) for pair in pairs}
    tree = []
    for (i, j), gain in sorted(gains.items(), key=lambda item: (-item[1], item[0])):
        if gain > 0 and group[i] != group[j]:
            tree.append((i, j))
            group = [group[i] if one == group[j] else one for one in group]
    return tree


@compiled
def _totals(codes: Any, sizes: Any, starts: Any) -> Any:
    result = np.zeros(starts[-1])
    for i in range(len(codes)):
        for j in range(codes.shape[1]):
            result[starts[j] + codes[i, j] + 1] += sizes[i]
    return result


@compiled
def _together(first: Any, second: Any, sizes: Any, width: int, table: int) -> Any:
    result = np.zeros(table)
    for i in range(len(first)):
        result[(first[i] + 1) * width + second[i] + 1] += sizes[i]
    return result


@compiled
def _single(codes: Any, sizes: Any, starts: Any, totals: Any, values: Any, records: Any) -> Any:
    result = np.empty(len(codes))
    for i in range(len(codes)):
        others, product, found = max(records - sizes[i], 1.0), 1.0, math.log(max(records, 1.0))
        for j in range(codes.shape[1]):
            alike = totals[starts[j] + codes[i, j] + 1] - sizes[i]
            product *= (alike + ADDED) / (others + ADDED * values[j])
            if product < 1e-200:  # before it is too small for a number
                found, product = found + math.log(product), 1.0
        result[i] = found + math.log(product)
    return result


@compiled
def _factor(
    codes: Any, sizes: Any, starts: Any, totals: Any, first: Any, second: Any, places: Any, together: Any, records: Any
) -> Any:
    result = np.empty(len(codes))
    for i in range(len(codes)):
        size = sizes[i]
        one = totals[starts[first] + codes[i, first] + 1] - size
        other = totals[starts[second] + codes[i, second] + 1] - size
        both = together[places[i]] - size
        result[i] = math.log((both + DOUBT) / (one * other / max(records - size, 1.0) + DOUBT))
    return result
