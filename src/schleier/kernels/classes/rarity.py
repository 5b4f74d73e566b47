"""How many records are in rare classes at some levels of the keys: many answers from one table of coded classes.

A row is told from others by the sum of one whole number for each of its codes, as in ``coarser``: a key at another
level adds a difference that depends on its code alone. So an answer costs one addition and one pass over the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coarser import Numbers, code_numbers
from schleier.kernels.classes.coding import Codes
from schleier.kernels.classes.packed import mix_bits
from schleier.kernels.compiled import compiled

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Rarity:
    """Classes of some keys, and how to tell them apart when keys become coarser.

    >>> table = Rarity.of(np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32), np.array([2, 1, 1]), [2, 2])
    >>> rows = table.moved(table.rows, 1, np.array([0, 1, -1]), np.array([0, 0, 0]))
    >>> table.rare(table.rows, 2), table.rare(rows, 2)
    ((3, 2), (2, 1))
    """

    columns: Codes = field(repr=False)
    """Codes, column by column; -1 is missing."""
    sizes: Whole = field(repr=False)
    numbers: tuple[Numbers, ...] = field(repr=False)
    """The number of each code of a column, and behind them that of what is missing."""
    rows: Numbers = field(repr=False)
    """The number of each class."""
    held: Whole = field(repr=False)
    """Classes that hold a unit, one entry for each unit of each class; of no meaning where records are counted."""
    units: Whole | None = field(default=None, repr=False)
    """These units; records are counted where there are none."""

    @staticmethod
    def of(
        codes: Codes, sizes: Whole, values: list[int], held: Whole | None = None, units: Whole | None = None
    ) -> Rarity:
        """The table of some classes, whose columns have so many values each."""
        columns, numbers = np.ascontiguousarray(codes.T), code_numbers(values)
        rows = np.zeros(len(sizes), dtype=np.uint64)
        for column, own in zip(columns, numbers, strict=True):
            rows += own[column]
        return Rarity(columns, sizes, numbers, rows, np.zeros(0, dtype=np.int64) if held is None else held, units)

    def moved(self, rows: Numbers, j: int, now: NDArray[Any], then: NDArray[Any]) -> Numbers:
        """Rows with a key at another level; a level is the code of each value and, behind them, of what is missing."""
        own = self.numbers[j]
        moved: Numbers = rows + (own[then] - own[now])[self.columns[j]]
        return moved

    def rare(self, rows: Numbers, k: int) -> tuple[int, int]:
        """Classes at some levels, and records in those with fewer than k records (units, where there are units)."""
        place, classes = _numbered(rows)
        sizes = _added(place, self.sizes, classes)
        if self.units is None:
            return int(classes), int(sizes[sizes < k].sum())
        return int(classes), int(sizes[_different(place, self.held, self.units, sizes, k) < k].sum())

    def merged(self, rows: Numbers) -> tuple[Rarity, Numbers]:
        """The table with one row for each class at some levels, and their numbers; levels must not go down again."""
        place, classes = _numbered(rows)
        first = np.zeros(classes, dtype=np.int64)
        first[place[::-1]] = np.arange(len(place))[::-1]
        held, units = self.held, self.units
        if units is not None:
            width = int(units.max(initial=0)) + 1
            pairs = np.unique(place[held].astype(np.int64) * width + units)
            held, units = pairs // width, pairs % width
        columns = np.ascontiguousarray(self.columns[:, first])
        sizes = _added(place, self.sizes, classes)
        return replace(self, columns=columns, sizes=sizes, rows=self.rows[first], held=held, units=units), rows[first]


@compiled
def _room(count: Any) -> Any:
    """Slots of a table of so many rows: a power of two, at most half of them taken."""
    room = 16
    while room < 2 * count:
        room *= 2
    return room


@compiled
def _numbered(rows: Any) -> Any:
    """Numbers from zero for different rows, in order of appearance, and how many there are."""
    room = _room(len(rows))
    last = np.uint64(room - 1)
    slots = np.full(room, -1, np.int32)
    place = np.empty(len(rows), np.int32)
    keys = np.empty(len(rows), np.uint64)
    found = 0
    for i in range(len(rows)):
        at = mix_bits(rows[i]) & last
        while slots[at] >= 0 and keys[slots[at]] != rows[i]:
            at = (at + np.uint64(1)) & last
        if slots[at] < 0:
            slots[at] = found
            keys[found] = rows[i]
            found += 1
        place[i] = slots[at]
    return place, found


@compiled
def _added(place: Any, amounts: Any, size: Any) -> Any:
    sums = np.zeros(size, np.int64)
    for i in range(len(place)):
        sums[place[i]] += amounts[i]
    return sums


@compiled
def _different(place: Any, held: Any, units: Any, sizes: Any, enough: Any) -> Any:
    """How many different units are at each place; not further where there are enough, nor where records are too few."""
    room = _room(len(held))
    last = np.uint64(room - 1)
    slots = np.full(room, -1, np.int32)
    counts = np.zeros(len(sizes), np.int32)
    for i in range(len(held)):
        here = place[held[i]]
        if counts[here] >= enough or sizes[here] < enough:
            continue
        at = mix_bits(np.uint64(here) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(units[i])) & last
        while slots[at] >= 0 and (place[held[slots[at]]] != here or units[slots[at]] != units[i]):
            at = (at + np.uint64(1)) & last
        if slots[at] < 0:
            slots[at] = i
            counts[here] += 1
    return counts
