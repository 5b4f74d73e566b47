"""Predicates that single somebody out: conditions on a few columns, and how many rows may meet all of them.

A condition takes the cell of a released record: of words, that a row may be of the same value; of numbers, that a row
may lie on the outer side of it, seen from the middle of the column. A cell that stands for several values may be each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
TWO = 2
"""Counting ends here: more than one is not singled out."""
NONE = np.zeros((0, 0), dtype=np.bool_)


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


@dataclass(frozen=True)
class Index:
    """Columns with their rows in order, so that those that meet a condition are found without looking at all."""

    columns: int
    parts: tuple[NDArray[Any], ...] = field(repr=False)
    """As the loop takes them."""

    @classmethod
    def of(cls, columns: Sequence[Words | Numbers]) -> Self:
        """Lay columns of the same records and rows one below another, and put their rows in order."""
        many = len(columns)
        records, rows = _sizes(columns[0]) if columns else (0, 0)
        words = np.array([isinstance(column, Words) for column in columns], dtype=np.bool_)
        tables = [column.may_be if isinstance(column, Words) else NONE for column in columns]
        widths = np.array([table.shape[1] for table in tables], dtype=np.int64)
        starts = np.cumsum([0, *(table.size for table in tables)], dtype=np.int64)
        firsts = np.cumsum([0, *(len(table) for table in tables)], dtype=np.int64)
        begins = np.zeros((many, max([0, *widths]) + 2), dtype=np.int64)
        cells, codes = np.zeros((many, records), dtype=np.int32), np.zeros((many, rows), dtype=np.int32)
        ends, row_ends = np.zeros((2, many, records)), np.zeros((2, many, rows))
        held, middles = np.zeros((2, many), dtype=np.int64), np.zeros(many)
        order = np.zeros((2, many, rows), dtype=np.int32)
        for j, column in enumerate(columns):
            if isinstance(column, Words):
                cells[j], codes[j] = column.cells, column.rows
                begins[j, 1:] = np.cumsum(np.bincount(column.rows, minlength=begins.shape[1] - 1))
                order[0, j] = np.argsort(codes[j], kind="stable")
                continue
            ends[0, j], ends[1, j], middles[j] = column.low, column.high, column.middle
            row_ends[0, j], row_ends[1, j] = column.row_low, column.row_high
            held[:, j] = rows - np.isnan(row_ends[:, j]).sum(axis=1)
            order[0, j] = np.argsort(column.row_low)  # gaps are the last ones
            exact = np.array_equal(column.row_low, column.row_high, equal_nan=True)
            order[1, j] = order[0, j] if exact else np.argsort(column.row_high)
        flat = np.concatenate([*(table.ravel() for table in tables), np.zeros(1, dtype=np.bool_)])
        often = np.full(int(firsts[-1]) + 1, -1, dtype=np.int64)
        return cls(
            many,
            (words, flat, starts, widths, firsts, often, begins, cells, codes, ends, row_ends, held, middles, order),
        )


def matches(columns: Index | Sequence[Words | Numbers], predicates: Predicates) -> Whole:
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

    if not len(predicates):
        return np.zeros(0, dtype=np.int64)
    index = columns if isinstance(columns, Index) else Index.of(columns)
    if not index.columns:
        return np.zeros(len(predicates), dtype=np.int64)
    return np.asarray(count_up_to_two(*index.parts, predicates.columns, predicates.records, predicates.sides))


def _sizes(column: Words | Numbers) -> tuple[int, int]:
    if isinstance(column, Words):
        return len(column.cells), len(column.rows)
    return len(column.low), len(column.row_low)
