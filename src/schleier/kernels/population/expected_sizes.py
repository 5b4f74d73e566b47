"""How many records a class should have if its values were combined at random, or pairs of them as often as they are.

Every class looks at the records that are not its own: a class of one record would otherwise see itself everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled, inlined

Floats = NDArray[np.float64]
ADDED = 0.5
"""Records added to every value: nobody else in the file has it, yet somebody in the population may."""
DOUBT = 1.0
"""Records added to both sides of a pair of values: few records say little about what hangs together."""
LOOKED_AT = 4_000
"""So many classes are enough to see which pairs of columns hang together; values are counted in all of them."""
TOGETHER = 12
"""So many factors are multiplied before a logarithm is taken: a number can hold them."""
FEW = 4.0
"""Classes up to this size are small."""
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
    pairs, factors = np.zeros(len(sizes)), np.ones(len(sizes))
    for place, (i, j) in enumerate(_tree(counts)):
        counts.multiply(factors, i, j)
        if place % TOGETHER == TOGETHER - 1:
            pairs, factors = pairs + np.log(factors), np.ones(len(sizes))
    return np.asarray(single), pairs + np.log(factors)


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

    def multiply(self, factors: Floats, i: int, j: int) -> None:
        """Multiply by how much more often two values come together than by chance, for every class."""
        places, together = self._pairs(i, j)
        _multiply(factors, self.codes, self.sizes, self.starts, self.totals, i, j, places, together, self.records)

    def gains(self, step: int) -> Floats:
        """The sums of its logarithm over the records of every so manyth class; ``[i, j]`` for columns j < i."""
        widths = np.diff(self.starts).astype(np.float64)
        if float(np.tril(np.outer(widths, widths), -1).sum()) <= TABLE:
            return np.asarray(_gains(self.codes, self.sizes, self.starts, self.totals, self.records, step))
        found = np.zeros((len(widths), len(widths)))
        for i in range(len(widths)):
            for j in range(i):
                factors = np.ones(len(self.sizes))
                self.multiply(factors, i, j)
                found[i, j] = float((self.sizes * np.log(factors))[::step].sum())
        return found

    def _pairs(self, i: int, j: int) -> tuple[NDArray[np.int64], Floats]:
        """Where the pair of every class is counted, and the counts."""
        first, second = self.codes[:, i], self.codes[:, j]
        width = int(self.starts[j + 1] - self.starts[j])
        if (table := int(self.starts[i + 1] - self.starts[i]) * width) > TABLE:
            places = np.unique((first + np.int64(1)) * width + second + 1, return_inverse=True)[1]
            return places.astype(np.int64), np.bincount(places, self.sizes).astype(np.float64)
        return (first + np.int64(1)) * width + second + 1, _together(first, second, self.sizes, width, table)


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
    gains = counts.gains(step) if pairs else np.zeros((0, 0))
    tree = []
    for i, j in sorted(pairs, key=lambda pair: (-float(gains[pair]), pair)):
        if gains[i, j] > 0 and group[i] != group[j]:
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


@inlined
def _ratio(size: Any, one: Any, other: Any, both: Any, records: Any) -> Any:
    """How much more often two values come together than by chance, told by the records that are not of the class."""
    others = max(records - size, 1.0)
    return (both - size + DOUBT) * others / ((one - size) * (other - size) + DOUBT * others)


@compiled
def _multiply(factors: Any, codes: Any, sizes: Any, starts: Any, totals: Any, first: Any, second: Any, places: Any,
              together: Any, records: Any) -> None:  # fmt: skip
    for i in range(len(codes)):
        one, other = totals[starts[first] + codes[i, first] + 1], totals[starts[second] + codes[i, second] + 1]
        factors[i] *= _ratio(sizes[i], one, other, together[places[i]], records)


@compiled
def _gains(codes: Any, sizes: Any, starts: Any, totals: Any, records: Any, step: Any) -> Any:
    """Sums of size * logarithm by pair of columns; those of small sizes are taken of products, which is quicker."""
    n, m = codes.shape
    first = np.zeros((m, m), np.int64)  # where the counts of a pair begin
    room = 0
    for i in range(m):
        for j in range(i):
            first[i, j] = room
            room += (starts[i + 1] - starts[i]) * (starts[j + 1] - starts[j])
    together, found, product, alike = np.zeros(room), np.zeros((m, m)), np.ones((m, m)), np.zeros(m)
    for c in range(n):
        for i in range(m):
            for j in range(i):
                together[first[i, j] + (codes[c, i] + 1) * (starts[j + 1] - starts[j]) + codes[c, j] + 1] += sizes[c]
    since = 0
    for c in range(0, n, step):
        size = sizes[c]
        times = int(size) if size <= FEW else 0
        for i in range(m):
            alike[i] = totals[starts[i] + codes[c, i] + 1]
        for i in range(m):
            for j in range(i):
                both = together[first[i, j] + (codes[c, i] + 1) * (starts[j + 1] - starts[j]) + codes[c, j] + 1]
                ratio = _ratio(size, alike[i], alike[j], both, records)
                if times == 0:
                    found[i, j] += size * math.log(ratio)
                for _ in range(times):
                    product[i, j] *= ratio
        since += times
        if since > TOGETHER:
            for i in range(m):
                for j in range(i):
                    found[i, j] += math.log(product[i, j])
                    product[i, j] = 1.0
            since = 0
    return found + np.log(product)
