"""Columns of ``penalties`` as the arrays its loops go through: all words and all numbers, small and one below another.

What does not change is packed once; the records can then be looked at in any order, each time for some of the targets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.linkage.penalties import ALIKE, Floats, Neighbours, Numbers, Whole, Words

Small = NDArray[np.float32]
BLOCK = 1024
"""Records looked at together: what they cost stays in fast memory."""
WIDEST = 1 << 16
"""Different cells a column of words may have."""


@dataclass(frozen=True)
class Nearest:
    """What the loops write: distances in half the digits, records, and how many are as near as the nearest."""

    distance: Small = field(repr=False)
    record: Whole = field(repr=False)
    tied: Whole = field(repr=False)

    @classmethod
    def none(cls, targets: int, many: int) -> Self:
        """Nobody has been found yet."""
        distance = np.full((targets, many), np.inf, dtype=np.float32)
        return cls(distance, np.full((targets, many), -1, dtype=np.int64), np.zeros(targets, dtype=np.int64))

    def told(self) -> Neighbours:
        """The same in all digits."""
        return Neighbours(self.distance.astype(np.float64), self.record, self.tied)


@dataclass(frozen=True)
class Packed:
    """All columns: tables of costs one behind another, then codes and numbers by column and person or record."""

    targets: int
    records: int
    costs: Small = field(repr=False)
    starts: Whole = field(repr=False)
    widths: Whole = field(repr=False)
    """Where the table of a column of words starts among the costs, and how many cells each of its rows has."""
    codes: Whole = field(repr=False)
    cells: NDArray[np.uint16] = field(repr=False)
    known: Floats = field(repr=False)
    upto: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    how: Small = field(repr=False)
    """Weight, cost of a gap and power of each column of numbers."""
    exact: NDArray[np.bool_] = field(repr=False)
    """Columns of numbers without any interval."""
    grows: bool
    """Whether no column makes a pair cheaper."""

    @classmethod
    def of(cls, columns: Sequence[Words | Numbers]) -> Self:
        """Pack columns of the same targets and records."""
        if not columns:
            raise ValueError("there is no column to compare")
        first = columns[0]
        targets, records = len(first.known), len(first.cells if isinstance(first, Words) else first.low)
        words = [column for column in columns if isinstance(column, Words)]
        numbers = [column for column in columns if isinstance(column, Numbers)]
        if any(column.costs.shape[1] > WIDEST for column in words):
            raise ValueError("a column has too many different cells")
        flat = [column.costs.astype(np.float32).ravel() for column in words]
        costs = np.concatenate([*flat, np.zeros(1, dtype=np.float32)])
        how = np.array([(one.weight, one.gap, one.power) for one in numbers], dtype=np.float32).reshape(-1, 3)
        upto = [one.known if one.upto is None else one.upto for one in numbers]
        return cls(
            targets,
            records,
            costs,
            np.cumsum([0, *(len(one) for one in flat)], dtype=np.int64)[:-1],
            np.array([column.costs.shape[1] for column in words], dtype=np.int64),
            _stacked([column.known for column in words], targets, np.int64),
            _stacked([column.cells for column in words], records, np.uint16),
            known=_stacked([one.known for one in numbers], targets, np.float64),
            upto=_stacked(upto, targets, np.float64),
            low=_stacked([one.low for one in numbers], records, np.float64),
            high=_stacked([one.high for one in numbers], records, np.float64),
            how=how,
            exact=np.array([_exact(one) for one in numbers], dtype=np.bool_),
            grows=bool((costs >= 0).all() and (how >= 0).all()),
        )

    def part(self, some: slice, order: Whole | None = None) -> Part:
        """Some targets and all records, which may be looked at in another order."""
        from schleier.kernels.linkage.penalties_of_blocks import moved

        known, upto = self.known[:, some], self.upto[:, some]
        # Around the middle of the column, so that few digits are lost.
        finite = [one[np.isfinite(one)] for one in known]
        middles = np.array([np.median(one) if len(one) else 0.0 for one in finite], dtype=np.float64)
        order = np.arange(self.records) if order is None else order
        low = moved(self.low, middles, order)
        return Part(
            self,
            np.ascontiguousarray(self.codes[:, some]),
            np.take(self.cells, order, axis=1),  # column by column, as the loops read it
            (known - middles[:, None]).astype(np.float32),
            (upto - middles[:, None]).astype(np.float32),
            low,
            low if self.exact.all() else moved(self.high, middles, order),
        )


@dataclass(frozen=True)
class Part:
    """Some targets and all records in some order, with numbers in half the digits."""

    whole: Packed = field(repr=False)
    codes: Whole = field(repr=False)
    cells: NDArray[np.uint16] = field(repr=False)
    known: Small = field(repr=False)
    upto: Small = field(repr=False)
    low: Small = field(repr=False)
    high: Small = field(repr=False)

    def look(self, start: int, end: int, found: Nearest) -> None:
        """Find the nearest records of the targets from ``start`` to ``end``."""
        from schleier.kernels.linkage.penalties_of_blocks import look

        whole = self.whole
        words = whole.costs, whole.starts, whole.widths, self.codes, self.cells
        numbers = self.known, self.upto, self.low, self.high, whole.how, whole.exact
        written = found.distance, found.record, found.tied
        look(*words, *numbers, whole.grows, start, end, BLOCK, ALIKE, *written)


def _stacked(parts: Sequence[NDArray[Any]], length: int, kind: type) -> NDArray[Any]:
    result: NDArray[Any] = np.zeros((len(parts), length), dtype=kind)
    for row, part in zip(result, parts, strict=True):
        row[:] = part
    return result


def _exact(column: Numbers) -> bool:
    """Whether there are only numbers and gaps on both sides."""
    if column.upto is not None and not np.array_equal(column.known, column.upto, equal_nan=True):
        return False
    infinite = np.isinf(column.known).any() or np.isinf(column.low).any()
    return not infinite and np.array_equal(column.low, column.high, equal_nan=True)
