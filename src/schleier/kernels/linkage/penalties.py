"""Which records are nearest to what is known of a person, by the sum of what each column costs, among all pairs.

A column of words costs what a table says of a value and a cell, so weights, similar categories and cells that stand
for several values are all the same work. A column of numbers costs how far a number is from an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Costs = NDArray[np.float32]
Whole = NDArray[np.int64]

BLOCK = 2048
"""Records looked at together: what they cost stays in the fastest memory."""
SHARE = 64
"""Targets a thread takes at a time."""
ALIKE = 1e-5
"""Sums that differ by a smaller share are equal: the rest is rounding."""
WIDEST = 1 << 16
"""Different cells a column of words may have."""


@dataclass(frozen=True)
class Words:
    """A column of words: the value of each target, the cell of each record, and what they cost together."""

    known: Whole = field(repr=False)
    cells: Whole = field(repr=False)
    costs: Floats = field(repr=False)
    """By value and cell."""


@dataclass(frozen=True)
class Numbers:
    """A column of numbers: that of each target, and the interval of each record; nan for a gap."""

    known: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    upto: Floats | None = field(default=None, repr=False)
    """Upper ends where intervals are known of the targets, too."""
    weight: float = 1.0
    """What a distance of one costs."""
    power: int = 1
    """Of the distance: 2 for its square, 0 where every distance costs the same."""
    gap: float = 1.0
    """What it costs when one of both is a gap; two gaps are alike."""


@dataclass(frozen=True)
class Neighbours:
    """For each target the nearest records, the nearest first, those of the same distance in their order."""

    distance: Floats = field(repr=False)
    """By target and rank; infinite where there are no more records."""
    record: Whole = field(repr=False)
    """The place of the record; -1 where there are no more."""
    tied: Whole = field(repr=False)
    """How many records are as near as the nearest."""


def nearest_records(columns: Sequence[Words | Numbers], many: int) -> Neighbours:
    """The nearest so many records of each target.

    >>> same = 1 - np.eye(3)
    >>> sex = Words(np.array([0]), np.array([0, 1, 0]), same)
    >>> age = Numbers(np.array([30.0]), np.array([40.0, 30, 20]), np.array([49.0, 30, 29]), weight=0.1)
    >>> found = nearest_records([sex, age], 2)
    >>> found.record.tolist(), found.distance.round(3).tolist(), found.tied.tolist()
    ([[2, 0]], [[0.1, 1.0]], [1])
    """
    words = [column for column in columns if isinstance(column, Words)]
    numbers = [column for column in columns if isinstance(column, Numbers)]
    targets, records = _sizes(columns)
    many = max(min(many, records), 1)
    distance = np.full((targets, many), np.inf, dtype=np.float32)
    record = np.full((targets, many), -1, dtype=np.int64)
    tied = np.zeros(targets, dtype=np.int64)
    if not records or not targets:
        return Neighbours(distance.astype(np.float64), record, tied)
    from schleier.kernels.linkage.penalties_of_pairs import look

    packed = (*_tables(words, targets, records), *_spans(numbers, targets, records))
    workers = cpu_count() or 1
    step = max(1, min(SHARE, -(-targets // workers)))

    def some(start: int) -> None:
        look(*packed, start, min(start + step, targets), BLOCK, ALIKE, distance, record, tied)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(some, range(0, targets, step)))
    return Neighbours(distance.astype(np.float64), record, tied)


def _sizes(columns: Sequence[Words | Numbers]) -> tuple[int, int]:
    if not columns:
        raise ValueError("there is no column to compare")
    first = columns[0]
    return len(first.known), len(first.cells if isinstance(first, Words) else first.low)


def _tables(words: Sequence[Words], targets: int, records: int) -> tuple[Costs, Whole, Whole, NDArray[np.uint16]]:
    """All costs in one array, where the row of each target begins in it, how wide rows are, and the cells."""
    if any(column.costs.shape[1] > WIDEST for column in words):
        raise ValueError("a column has too many different cells")
    flat = [column.costs.astype(np.float32).ravel() for column in words]
    ends = np.cumsum([0, *(len(one) for one in flat)])
    begins = np.zeros((len(words), targets), dtype=np.int64)
    cells = np.zeros((len(words), records), dtype=np.uint16)
    widths = np.array([column.costs.shape[1] for column in words], dtype=np.int64)
    for j, column in enumerate(words):
        begins[j], cells[j] = ends[j] + column.known * widths[j], column.cells
    return np.concatenate([*flat, np.zeros(1, dtype=np.float32)]), begins, widths, cells


def _spans(numbers: Sequence[Numbers], targets: int, records: int) -> tuple[Costs, Costs, Costs, Costs, Costs]:
    """Lower and upper ends of both sides, and for each column weight, cost of a gap, and power."""
    known, upto = np.zeros((2, len(numbers), targets), dtype=np.float32)
    low, high = np.zeros((2, len(numbers), records), dtype=np.float32)
    how = np.zeros((len(numbers), 3), dtype=np.float32)
    for j, column in enumerate(numbers):
        # Around the middle of the column, so that few digits are lost.
        middle = np.median(held) if len(held := column.known[np.isfinite(column.known)]) else 0.0
        known[j], upto[j] = column.known - middle, (column.known if column.upto is None else column.upto) - middle
        low[j], high[j] = column.low - middle, column.high - middle
        how[j] = column.weight, column.gap, column.power
    return known, upto, low, high, how
