"""Predicates that single somebody out: conditions on a few columns, and how many rows may meet all of them.

A condition takes the cell of a released record: of words, that a row may be of the same value; of numbers, that a row
may lie on the outer side of it, seen from the middle of the column. A cell that stands for several values may be each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
TWO = 2
"""Counting ends here: more than one is not singled out."""


@dataclass(frozen=True)
class Words:
    """A column of words: the cell of each record, the code of each row, and which rows' codes a cell may be."""

    cells: Whole = field(repr=False)
    rows: Whole = field(repr=False)
    may_be: NDArray[np.bool_] = field(repr=False)
    """By cell and code; a gap is the last one of both."""


@dataclass(frozen=True)
class Numbers:
    """A column of numbers: the interval of each record and that of each row, nan for gaps, and where its middle is."""

    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    row_low: Floats = field(repr=False)
    row_high: Floats = field(repr=False)
    middle: float = 0.0


@dataclass(frozen=True)
class Predicates:
    """For each predicate the columns of its conditions, the records whose cells they take, and on which side of it."""

    columns: Whole = field(repr=False)
    records: Whole = field(repr=False)
    sides: Whole = field(repr=False)
    """1 for at least, -1 for at most, 0 for as the record lies: away from the middle."""

    def __len__(self) -> int:
        return len(self.columns)

    def take(self, which: Whole) -> Predicates:
        """Some of them."""
        return Predicates(self.columns[which], self.records[which], self.sides[which])


def drawn_predicates(columns: int, records: int, many: int, conditions: int, rng: np.random.Generator) -> Predicates:
    """Conditions on different columns, drawn, each predicate about one drawn record."""
    chosen = np.argsort(rng.random((many, columns)), axis=1)[:, :conditions]
    chosen.sort(axis=1)
    about = np.repeat(rng.integers(0, records, many)[:, None], chosen.shape[1], axis=1)
    return Predicates(chosen.astype(np.int64), about.astype(np.int64), np.zeros(chosen.shape, dtype=np.int64))


def blind_predicates(columns: int, records: int, many: int, conditions: int, rng: np.random.Generator) -> Predicates:
    """The same for somebody who knows only which values there are: each condition is about another record."""
    chosen = drawn_predicates(columns, records, many, conditions, rng).columns
    about = rng.integers(0, records, chosen.shape).astype(np.int64)
    return Predicates(chosen, about, rng.integers(0, TWO, chosen.shape).astype(np.int64) * TWO - 1)


def matches(columns: Sequence[Words | Numbers], predicates: Predicates) -> Whole:
    """How many rows may meet each predicate: none, one, or two for more.

    >>> job, ages = Words(np.array([0, 1]), np.array([0, 1, 1]), np.eye(3, dtype=bool)), np.array([25.0, 61, 50])
    >>> age = Numbers(np.array([20.0, 60]), np.array([29.0, 60]), ages, ages, middle=40.0)
    >>> both = Predicates(np.array([[0, 1], [0, 1]]), np.array([[0, 0], [1, 1]]), np.zeros((2, 2), dtype=np.int64))
    >>> matches([job, age], both).tolist()
    [1, 1]
    >>> matches([job, age], Predicates(both.columns[:, :1], both.records[:, :1], both.sides[:, :1])).tolist()
    [1, 2]
    """
    from schleier.kernels.inference.counting import count_up_to_two

    if not len(predicates) or not columns:
        return np.zeros(len(predicates), dtype=np.int64)
    tables: list[NDArray[np.bool_]] = []
    starts = np.zeros(len(columns), dtype=np.int64)
    widths = np.zeros(len(columns), dtype=np.int64)
    rows = _rows(columns[0])
    codes = np.zeros((len(columns), rows), dtype=np.int32)
    lows, highs = np.zeros((2, len(columns), rows))
    for j, column in enumerate(columns):
        if isinstance(column, Words):
            starts[j], widths[j] = sum(part.size for part in tables), column.may_be.shape[1]
            tables.append(column.may_be.ravel())
            codes[j] = column.rows
        else:
            lows[j], highs[j] = column.row_low, column.row_high
    flat = np.concatenate([*tables, np.zeros(1, dtype=np.bool_)])
    at, bounds, kinds, rare = _conditions(columns, predicates, starts, widths)
    # The condition that fewest rows meet comes first: most rows are done with after it.
    order = np.argsort(rare, axis=1, kind="stable")
    parts = (np.take_along_axis(part, order, axis=1) for part in (predicates.columns, at, bounds, kinds))
    return np.asarray(count_up_to_two(flat, codes, lows, highs, *parts))


def _rows(column: Words | Numbers) -> int:
    return len(column.rows if isinstance(column, Words) else column.row_low)


def _conditions(
    columns: Sequence[Words | Numbers], predicates: Predicates, starts: Whole, widths: Whole
) -> tuple[Whole, Floats, Whole, Whole]:
    """Where the row of a word's table begins, the bound of a number, the kind of each condition (see the loop), and how
    many rows meet it."""
    at, bounds = np.zeros(predicates.columns.shape, dtype=np.int64), np.zeros(predicates.columns.shape)
    kinds, rare = np.zeros((2, *predicates.columns.shape), dtype=np.int64)
    for j, column in enumerate(columns):
        here = predicates.columns == j
        record, side = predicates.records[here], predicates.sides[here]
        if isinstance(column, Words):
            at[here] = starts[j] + column.cells[record] * widths[j]
            often = np.bincount(column.rows, minlength=int(widths[j]))
            asked, which = np.unique(column.cells[record], return_inverse=True)
            rare[here] = (column.may_be[asked] @ often)[which.reshape(-1)]
            continue
        low, high = column.low[record], column.high[record]
        above = np.where(side == 0, (low + high) / 2 > column.middle, side > 0)
        bounds[here] = np.where(above, low, high)
        kinds[here] = np.where(np.isnan(low), 3, np.where(above, 1, 2))
        held, tops = (np.sort(ends[~np.isnan(ends)]) for ends in (column.row_low, column.row_high))
        above_it = len(tops) - np.searchsorted(tops, bounds[here], side="left")
        below_it = np.searchsorted(held, bounds[here], side="right")
        rare[here] = np.where(np.isnan(low), len(column.row_low) - len(held), np.where(above, above_it, below_it))
    return at, bounds, kinds, rare
