"""How many records a class should have if its values were combined at random, or pairs of them as often as they are.

Every class looks at the records that are not its own: a class of one record would otherwise see itself everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
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
FEW = 7.0
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
    # A value that all of several classes share is as frequent among the others: it says nothing.
    tells = (codes != codes[:1]).any(axis=0) | (len(sizes) < 2)
    counts = _counted(codes[:, tells], sizes)
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
        """Multiply by how much more often two values come together than by chance, for every class; j < i."""
        first, second = self.codes[:, i], self.codes[:, j]
        one, other = self.totals[self.starts[i] :], self.totals[self.starts[j] :]
        if self._together is not None:
            begins, together = self._together
            width = int(self.starts[j + 1] - self.starts[j])
            _multiply(factors, first, second, self.sizes, one, other, together[begins[i, j] :], width, self.records)
            return
        places = np.unique((first + np.int64(1)) << 32 | (second + 1), return_inverse=True)[1]
        counts = np.bincount(places, self.sizes)[places]
        factors *= _ratio(self.sizes, one[first + 1], other[second + 1], counts, self.records)

    def gains(self, step: int) -> Floats:
        """The sums of its logarithm over the records of every so manyth class; ``[i, j]`` for columns j < i."""
        if self._together is not None:
            return np.asarray(
                _gains(self.codes, self.sizes, self.starts, self.totals, self.records, step, *self._together)
            )
        found = np.zeros((len(self.values), len(self.values)))
        for i in range(len(found)):
            for j in range(i):
                factors = np.ones(len(self.sizes))
                self.multiply(factors, i, j)
                found[i, j] = float((self.sizes * np.log(factors))[::step].sum())
        return found

    @cached_property
    def _together(self) -> tuple[NDArray[np.int64], Floats] | None:
        """Where the counts of each pair of columns begin, and the records by pair of values; not if they are many."""
        widths = np.diff(self.starts)
        if float(np.tril(np.outer(widths, widths).astype(np.float64), -1).sum()) > TABLE:
            return None
        return _pairs(self.codes, self.sizes, self.starts)  # type: ignore[no-any-return]


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
def _pairs(codes: Any, sizes: Any, starts: Any) -> Any:
    """Records by pair of values, for all pairs of columns j < i, and where those of each begin."""
    n, m = codes.shape
    begins, room = np.zeros((m, m), np.int64), 0
    for i in range(m):
        for j in range(i):
            begins[i, j] = room
            room += (starts[i + 1] - starts[i]) * (starts[j + 1] - starts[j])
    together = np.zeros(room)
    for i in range(m):
        for j in range(i):
            some, width = together[begins[i, j] :], starts[j + 1] - starts[j]
            for c in range(n):
                some[np.uint64((codes[c, i] + 1) * width + codes[c, j] + 1)] += sizes[c]
    return begins, together


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
    others = np.maximum(records - size, 1.0)
    return (both - size + DOUBT) * others / ((one - size) * (other - size) + DOUBT * others)


@compiled
def _multiply(factors: Any, first: Any, second: Any, sizes: Any, one: Any, other: Any, together: Any, width: Any,
              records: Any) -> None:  # fmt: skip
    for c in range(len(sizes)):
        a, b = np.uint64(first[c] + 1), np.uint64(second[c] + 1)
        factors[c] *= _ratio(sizes[c], one[a], other[b], together[a * np.uint64(width) + b], records)


@compiled
def _gains(
    codes: Any, sizes: Any, starts: Any, totals: Any, records: Any, step: Any, begins: Any, together: Any
) -> Any:
    """Sums of size * logarithm by pair of columns; those of small sizes are taken of products, which is quicker."""
    m = codes.shape[1]
    found = np.zeros((m, m))
    for i in range(m):
        for j in range(i):
            some, width, product = together[begins[i, j] :], starts[j + 1] - starts[j], 1.0
            one, other = totals[starts[i] :], totals[starts[j] :]
            for c in range(0, len(sizes), step):
                a, b, size = np.uint64(codes[c, i] + 1), np.uint64(codes[c, j] + 1), sizes[c]
                ratio = _ratio(size, one[a], other[b], some[a * np.uint64(width) + b], records)
                if size > FEW:
                    found[i, j] += size * math.log(ratio)
                    continue
                times, square = int(size), ratio * ratio
                product *= ratio if times & 1 else 1.0
                product *= square if times & 2 else 1.0
                product *= square * square if times & 4 else 1.0
                if not 1e-100 < product < 1e100:  # before it is too large or too small for a number
                    found[i, j] += math.log(product)
                    product = 1.0
            found[i, j] += math.log(product)
    return found
