"""What would stand alone if single columns were coarser: many answers from one table of coded classes.

A row is told from others by the sum of one whole number for each of its codes. Making a column coarser adds a
difference that depends on the code of that column alone, so an answer costs one addition and one sort. Where all codes
fit side by side into the number, it is exact. Wider tables use 63 random bits for each code: two of a million different
rows get the same sum in one of 18 million tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes, merge

BITS = 63
"""Bits of the number of a row; the lowest of 64 tells whether its class holds several records."""
ENOUGH, MANY = 1 << 16, 200_000
"""About so many classes are counted where a rough answer will do and there are very many."""
STEP, FIRST, SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
"""Constants of splitmix64 (Steele, Lea and Flood 2014)."""

Numbers = NDArray[np.uint64]
Coarse = NDArray[np.int32]
"""The new code of each code of a column, and behind them the new code of what is missing."""


@dataclass(frozen=True)
class Coarser:
    """Classes of some keys, ready to be asked what coarser keys would make of them.

    >>> table = Coarser.of(np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32), np.array([2, 1, 1]), [2, 2])
    >>> table.counted({}), table.counted({1: nothing(2)})
    ((3, 2), (2, 1))
    """

    codes: Codes
    sizes: NDArray[np.int64]
    columns: Codes = field(repr=False)
    """The codes column by column."""
    values: tuple[int, ...]
    """Values of each column; a coarser column never has more."""
    numbers: tuple[Numbers, ...] = field(repr=False)
    """The number of each code of a column, and behind them that of what is missing."""
    rows: Numbers = field(repr=False)
    """The number of each class, even, and odd where it holds several records."""
    known: dict[int, NDArray[np.int64]] = field(default_factory=dict, repr=False, compare=False)
    """Records of each code of a column."""

    @staticmethod
    def of(codes: Codes, sizes: NDArray[np.int64], values: Sequence[int]) -> Coarser:
        """The table of some classes, whose columns have so many values each."""
        columns = np.ascontiguousarray(codes.T)
        numbers = code_numbers(values)
        rows = (sizes > 1).astype(np.uint64)
        for column, own in zip(columns, numbers, strict=True):
            rows += own[column]
        return Coarser(codes, sizes, columns, tuple(values), numbers, rows)

    def counted(self, changes: Mapping[int, Coarse], *, roughly: bool = False) -> tuple[int, int]:
        """Classes, and classes of one record, when some columns are coarser; of very many roughly, where that will do.

        Then a part of the coarser classes is counted, each of them whole: which, their numbers decide.
        """
        halvings = max((len(self.rows) // ENOUGH).bit_length() - 1, 0) if roughly and len(self.rows) >= MANY else 0
        mixed = self._part(changes, halvings) if halvings else self._moved(changes)
        mixed.sort()
        ordered = mixed >> np.uint64(1)
        first = np.ones(len(ordered), dtype=np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        only = first & ((mixed & np.uint64(1)) == 0)
        only[:-1] &= first[1:]
        return int(first.sum()) << halvings, int(only.sum()) << halvings

    def changed(self, changes: Mapping[int, Coarse]) -> Coarser:
        """The table with some columns coarser."""
        codes = self.codes.copy()
        for j, coarse in changes.items():
            codes[:, j] = coarse[codes[:, j]]
        rows, place = merge(codes)
        sizes = np.bincount(place, weights=self.sizes, minlength=len(rows)).astype(np.int64)
        return Coarser.of(rows, sizes, self.values)

    def _moved(self, changes: Mapping[int, Coarse]) -> Numbers:
        mixed = self.rows.copy()
        for j, coarse in changes.items():
            # The number of what is missing is the last, which is where the code -1 points.
            mixed += (self.numbers[j][coarse] - self.numbers[j])[self.columns[j]]
        return mixed

    def _part(self, changes: Mapping[int, Coarse], halvings: int) -> Numbers:
        from schleier.kernels.classes.rarity_of_many import moved_part

        moves = [self.numbers[j][coarse] - self.numbers[j] for j, coarse in changes.items()]
        ends = np.cumsum([0, *map(len, moves)])
        joined = np.concatenate(moves) if moves else np.zeros(0, dtype=np.uint64)
        part: Numbers = moved_part(
            self.rows, self.columns, np.array([*changes], dtype=np.int64), joined, ends, halvings
        )
        return part

    def counts(self, j: int) -> NDArray[np.int64]:
        """Records of each code of a column, and behind them those where it is missing."""
        if j not in self.known:
            found = np.bincount(self.columns[j] + 1, weights=self.sizes, minlength=self.values[j] + 1)
            self.known[j] = np.append(found[1:], found[0]).astype(np.int64)
        return self.known[j]


def code_numbers(values: Sequence[int]) -> tuple[Numbers, ...]:
    """A number for each code of columns with so many values: side by side where they fit, random bits otherwise."""
    bits = [count.bit_length() for count in values]  # a missing key is one value more
    places = np.cumsum([1, *bits])[:-1]
    if sum(bits) <= BITS:
        codes = (np.append(np.arange(1, count + 1), 0).astype(np.uint64) for count in values)
        return tuple(own << np.uint64(place) for own, place in zip(codes, places, strict=True))
    return tuple(_random(np.arange(count + 1, dtype=np.uint64) + np.uint64(j << 40)) for j, count in enumerate(values))


def _random(places: Numbers) -> Numbers:
    """Even numbers that look random: splitmix64 without its lowest bit."""
    with np.errstate(over="ignore"):
        mixed = (places + np.uint64(1)) * STEP
        mixed = (mixed ^ (mixed >> np.uint64(30))) * FIRST
        mixed = (mixed ^ (mixed >> np.uint64(27))) * SECOND
    return (mixed ^ (mixed >> np.uint64(31))) & ~np.uint64(1)


def nothing(values: int) -> Coarse:
    """A column that tells nothing any more: one code for all of so many values, and for what is missing."""
    return np.zeros(values + 1, dtype=np.int32)
