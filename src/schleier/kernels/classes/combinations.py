"""Who stands alone in which combination of columns: all small subsets of the keys, of coded classes.

Who is alone in some columns is alone in more of them too, and hides nobody there. So a subset is counted among those
rows only that are not alone in the columns before its last one, the column with most values being the first: what
singles out many leaves few rows to look at.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes, rank_numbers

Whole = NDArray[np.int64]
WORD, ROOM = 63, 2**62
"""Bits of a number, and what the numbers of rows stay below."""
COMPILED = 100_000
"""Rows from which on compiled code counts them."""
DENSE = 8
"""All possible numbers are counted, and none is sorted, while they are at most so many times the rows."""


@dataclass(frozen=True)
class Rest:
    """Rows that are not alone in some columns, each with the number of its combination."""

    rows: NDArray[np.int32]
    words: Whole
    below: int
    """What the numbers stay below."""


def count_subsets(columns: int, most: int) -> int:
    """How many subsets of at most so many columns there are, the empty one left out.

    >>> count_subsets(4, 2), count_subsets(2, 9)
    (10, 3)
    """
    return sum(comb(columns, size) for size in range(1, min(most, columns) + 1))


def largest(columns: int, classes: int, most: int, below: int, work: int) -> int:
    """The largest size of subsets there is time for; single columns always are looked at.

    There must be fewer subsets than ``below``, and at most ``work`` of them times the classes.

    >>> largest(10, 1_000_000, 3, 5_000, 2_000_000_000), largest(40, 1_000, 3, 5_000, 2_000_000_000)
    (3, 2)
    """
    counts = [count_subsets(columns, size) for size in range(1, min(most, columns) + 1)]
    return max((size for size, n in enumerate(counts, 1) if n < below and n * classes <= work), default=1)


def lone_records(codes: Codes, sizes: Whole, most: int) -> tuple[dict[tuple[int, ...], int], Whole]:
    """How many records are alone in each subset of at most so many columns, where some are; and for each class the
    fewest columns in which its record is, one more than ``most`` where in none. A class of several records never is.

    >>> codes, sizes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32), np.array([2, 1, 1])
    >>> found, fewest = lone_records(codes, sizes, 2)
    >>> found, fewest.tolist()
    ({(0,): 1, (0, 1): 2}, [3, 2, 1])
    """
    columns, several = np.ascontiguousarray(codes.T), sizes > 1
    fewest, found = np.full(len(sizes), most + 1), dict[tuple[int, ...], int]()
    if len(columns) and not several.all():
        looking = _Looking(columns, [int(column.max()) + 2 for column in columns], several, most, fewest, found)
        order = sorted(range(len(columns)), key=lambda j: (-looking.widths[j], j))
        everybody = Rest(np.arange(len(sizes), dtype=np.int32), np.zeros(len(sizes), dtype=np.int64), 1)
        looking.look((), order, everybody, 0)
    return found, fewest


@dataclass(frozen=True)
class _Looking:
    columns: Codes
    """Column by column."""
    widths: list[int]
    """Values of each column; a missing key is one more."""
    several: NDArray[np.bool_]
    """Classes of several records: never alone, but others are not alone because of them."""
    most: int
    fewest: Whole
    found: dict[tuple[int, ...], int]

    def look(self, fixed: tuple[int, ...], free: list[int], rest: Rest, alone: int) -> None:
        """At subsets that hold the ``fixed`` columns, in which so many are alone, and some of the ``free`` ones."""
        size = len(fixed) + 1
        for place, j in enumerate(free):
            new, left = self._split(rest, j, size)
            if alone + new:
                self.found[tuple(sorted((*fixed, j)))] = alone + new
            if left is not None:
                self.look((*fixed, j), free[place + 1 :], left, alone + new)

    def _split(self, rest: Rest, j: int, size: int) -> tuple[int, Rest | None]:
        """How many a further column singles out, and the rest; nobody needs that of the last column."""
        if rest.below * self.widths[j] >= ROOM:
            found, words = rank_numbers(rest.words, rest.below)
            rest = Rest(rest.rows, words, len(found))
        below, many = rest.below * self.widths[j], len(rest.rows)
        spare = max(many - 1, 0).bit_length()
        dense = below <= DENSE * many
        packed = (below - 1).bit_length() + spare <= WORD
        if many >= COMPILED and (dense or packed):
            return self._split_many(rest, j, size, 0 if dense else spare)
        words = rest.words * self.widths[j] + self.columns[j][rest.rows] + 1
        if packed and not dense:
            lone = _single(words, spare)
        else:
            if not dense:
                found, words = rank_numbers(words, below)
                below = len(found)
            lone = np.bincount(words, minlength=1)[words] == 1
        lone &= ~self.several[rest.rows]
        who = rest.rows[lone]
        self.fewest[who] = np.minimum(self.fewest[who], size)
        return len(who), Rest(rest.rows[~lone], words[~lone], below) if size < self.most else None

    def _split_many(self, rest: Rest, j: int, size: int, spare: int) -> tuple[int, Rest | None]:
        """The same, compiled: by sorting where bits are to ``spare`` for the places of rows, or by counting."""
        from schleier.kernels.classes import alone as way

        given, below = (rest.rows, rest.words, self.columns[j], self.widths[j]), rest.below * self.widths[j]
        if spare:
            mixed = way.mixed(*given, spare)
            mixed.sort()
            new, rows, words = way.ordered(rest.rows, mixed, spare, self.several, self.fewest, size)
            return new, Rest(rows, words, below) if size < self.most else None
        new = way.counted(*given, self.several, counts := self._counts[:below])
        if new:
            way.named(*given, counts, self.fewest, size)
        return new, Rest(*way.left(*given, counts, len(rest.rows) - new), below) if size < self.most else None

    @cached_property
    def _counts(self) -> NDArray[np.uint8]:
        return np.empty(DENSE * len(self.several), dtype=np.uint8)


def _single(words: Whole, spare: int) -> NDArray[np.bool_]:
    """Which numbers occur once. Sorted with their places in the lowest bits: far cheaper than sorting places."""
    mixed = words << spare
    mixed |= np.arange(len(words))
    mixed.sort()
    ordered = mixed >> spare
    first = np.ones(len(ordered) + 1, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:-1])
    found = np.zeros(len(words), dtype=np.bool_)
    found[(mixed & ((1 << spare) - 1))[first[:-1] & first[1:]]] = True
    return found
