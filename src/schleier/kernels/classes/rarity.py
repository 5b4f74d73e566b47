"""How many records are in rare classes at some levels of the keys: many answers from one table of coded classes.

A row is told from others by the sum of one whole number for each of its codes, as in ``coarser``: a key at another
level adds a difference that depends on its code alone. So an answer costs one addition and one pass over the rows.

Of very many rows a part of the classes is looked at, each of them whole: which, their numbers decide. Rare classes are
small, so what is counted of a part tells of all to a fraction of a percent of the records.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coarser import Numbers, code_numbers
from schleier.kernels.classes.coding import Codes

Whole = NDArray[np.int64]
FEW = 20_000
"""Rows below which loading compiled code takes longer than counting without it."""
ENOUGH = 1 << 16
"""Rows of which all classes are looked at; of twice as many every second class, and so on."""


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
    """Classes that hold a unit, in order, at least one entry for each of its units; none where records are counted."""
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
        """Classes at some levels, and records in those with fewer than k records (units, where there are units).

        Of more than ``ENOUGH`` rows both are estimated.
        """
        halvings = max((len(rows) // ENOUGH).bit_length() - 1, 0)
        if not halvings:
            return self._counted(rows, k)
        way = counting(len(rows))
        some = way.drawn(rows, halvings)
        held, units = (self.held, None) if self.units is None else way.held_by(some, self.starts, self.units)
        classes, below = replace(self, sizes=self.sizes[some], held=held, units=units)._counted(rows[some], k)
        return classes << halvings, below << halvings

    def _counted(self, rows: Numbers, k: int) -> tuple[int, int]:
        way = counting(len(rows))
        place, classes = way.numbered(rows)
        sizes = way.added(place, self.sizes, classes)
        if self.units is None:
            return int(classes), int(sizes[sizes < k].sum())
        return int(classes), int(sizes[way.different(place, self.held, self.units, sizes, k) < k].sum())

    @cached_property
    def starts(self) -> Whole:
        """Where the units of each row begin, and where the last of them end."""
        return np.searchsorted(self.held, np.arange(len(self.rows) + 1))

    def merged(self, rows: Numbers) -> tuple[Rarity, Numbers]:
        """The table with one row for each class at some levels, and their numbers; levels must not go down again."""
        way = counting(len(self.rows))
        place, classes = way.numbered(rows)
        first = np.zeros(classes, dtype=np.int64)
        first[place[::-1]] = np.arange(len(place))[::-1]
        held, units = self.held, self.units
        if units is not None:
            held, units = way.in_order(place[held], units, classes)
        columns = np.ascontiguousarray(self.columns[:, first])
        sizes = way.added(place, self.sizes, classes)
        return replace(self, columns=columns, sizes=sizes, rows=self.rows[first], held=held, units=units), rows[first]


def counting(rows: int) -> ModuleType:
    """How to count: with NumPy, or compiled where there are many rows."""
    from importlib import import_module

    return import_module(f"schleier.kernels.classes.rarity_of_{'few' if rows < FEW else 'many'}")
