"""Which records a person could be: those that no known column speaks against, and what follows when some are excluded.

A cell may stand for several values; every pair of target and record is looked at until a column speaks against it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import inlined, unheld

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Truth = NDArray[np.bool_]
SHARE = 16
"""Targets a thread takes at a time."""


@dataclass(frozen=True)
class Words:
    """A column of words: the value of each target, the cell of each record, and which may be which."""

    known: Whole = field(repr=False)
    cells: Whole = field(repr=False)
    meets: Truth = field(repr=False)
    """By value and cell."""


@dataclass(frozen=True)
class Numbers:
    """A column of numbers: intervals of targets and of records, nan for a gap that is a value of its own."""

    known: Floats = field(repr=False)
    upto: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)


@dataclass(frozen=True)
class Remaining:
    """What is left for each target when impossible records are excluded."""

    candidates: Whole = field(repr=False)
    """Records it could be by what is known."""
    left: Whole = field(repr=False)
    """Those that are not excluded."""
    item: Whole = field(repr=False)
    """The most frequent item of those left; -1 for none."""
    many: Whole = field(repr=False)
    """How many of those left have it."""
    most: Whole = field(repr=False)
    """How many have the most frequent item where nothing is excluded."""


@dataclass(frozen=True)
class Sole:
    """By target and set of columns: how many records it could be (two stand for more), and the first of them."""

    count: NDArray[np.int8] = field(repr=False)
    record: Whole = field(repr=False)


def remaining(columns: Sequence[Words | Numbers], items: Whole, excluded: Truth, totals: Whole) -> Remaining:
    """The records each target could be, without those whose item it cannot have; -1 is no item.

    ``excluded`` says by target and item what is impossible. Of items that are as frequent the one with the larger total
    is taken.

    >>> age = Numbers(np.array([7.0]), np.array([7.0]), np.zeros(3), np.full(3, 40.0))
    >>> left = remaining([age], np.array([0, 0, 1]), np.array([[True, False]]), np.array([2, 1]))
    >>> left.candidates.tolist(), left.left.tolist(), left.item.tolist()
    ([3], [1], [1])
    """
    targets, _ = _sizes(columns)
    found = Remaining(*(np.zeros(targets, dtype=np.int64) for _ in range(5)))
    packed = _packed(columns)
    _in_threads(targets, lambda i, j: _exclude(*packed, items, excluded, totals, i, j, *vars(found).values()))
    return found


def sole_records(columns: Sequence[Words | Numbers], known: int) -> Sole:
    """Who is the only one, by sets of columns: the first ``known`` ones, these without each of them, these with each
    further one, and with each two further ones, in this order.

    >>> sex = Words(np.array([0]), np.array([0, 0, 1]), np.eye(2, dtype=np.bool_))
    >>> age = Numbers(np.array([7.0]), np.array([7.0]), np.array([7.0, 8.0, 7.0]), np.array([7.0, 8.0, 7.0]))
    >>> found = sole_records([sex, age], 1)
    >>> found.count.tolist(), found.record[0, 2]
    ([[2, 2, 1]], np.int64(0))
    """
    targets, _ = _sizes(columns)
    further = len(columns) - known
    sets = 1 + known + further + further * (further - 1) // 2
    found = Sole(np.zeros((targets, sets), dtype=np.int8), np.full((targets, sets), -1))
    packed = _packed(columns)
    _in_threads(targets, lambda i, j: _try_sets(*packed, known, i, j, found.count, found.record))
    return found


def _in_threads(targets: int, work: Callable[[int, int], None]) -> None:
    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        list(pool.map(lambda i: work(i, min(i + SHARE, targets)), range(0, targets, SHARE)))


def _sizes(columns: Sequence[Words | Numbers]) -> tuple[int, int]:
    first = columns[0]
    return len(first.known), len(first.cells if isinstance(first, Words) else first.low)


def _packed(columns: Sequence[Words | Numbers]) -> tuple[Any, ...]:
    """Columns in a form for machine code, in their order: which kind each is, and its place among its kind."""
    targets, records = _sizes(columns)
    words = [one for one in columns if isinstance(one, Words)]
    numbers = [one for one in columns if isinstance(one, Numbers)]
    kinds = np.array([isinstance(one, Words) for one in columns], dtype=np.bool_)
    place = np.where(kinds, np.cumsum(kinds), np.cumsum(~kinds)) - 1
    flat = np.concatenate([np.zeros(0, dtype=np.bool_), *(one.meets.ravel() for one in words)])
    begins = np.cumsum([0, *(one.meets.size for one in words)]).astype(np.int64)
    row = np.zeros((len(words), targets), dtype=np.int64)
    cells = np.zeros((len(words), records), dtype=np.int32)
    for j, one in enumerate(words):
        row[j], cells[j] = begins[j] + one.known * one.meets.shape[1], one.cells
    spans = [np.zeros((len(numbers), size)) for size in (targets, targets, records, records)]
    for j, column in enumerate(numbers):
        for part, values in zip(spans, (column.known, column.upto, column.low, column.high), strict=True):
            part[j] = values
    return records, kinds, place.astype(np.int64), flat, row, cells, *spans


@inlined
def _fits(
    c: int,
    i: int,
    r: int,
    kinds: Any,
    place: Any,
    flat: Any,
    row: Any,
    cells: Any,
    known: Any,
    upto: Any,
    low: Any,
    high: Any,
) -> bool:
    """Whether a column does not speak against a pair."""
    j = place[c]
    if kinds[c]:
        return bool(flat[row[j, i] + cells[j, r]])
    if np.isnan(known[j, i]) or np.isnan(low[j, r]):
        return bool(np.isnan(known[j, i]) and np.isnan(low[j, r]))
    return bool(low[j, r] <= upto[j, i] and known[j, i] <= high[j, r])


@unheld
def _exclude(
    records: int,
    kinds: Any,
    place: Any,
    flat: Any,
    row: Any,
    cells: Any,
    known: Any,
    upto: Any,
    low: Any,
    high: Any,
    items: Any,
    excluded: Any,
    totals: Any,
    start: int,
    end: int,
    candidates: Any,
    left: Any,
    item: Any,
    many: Any,
    most: Any,
) -> None:
    counts = np.zeros(len(totals), dtype=np.int64)
    for i in range(start, end):
        counts[:] = 0
        for r in range(records):
            fits = True
            for c in range(len(kinds)):
                if not _fits(c, i, r, kinds, place, flat, row, cells, known, upto, low, high):
                    fits = False
                    break
            if fits:
                candidates[i] += 1
                if items[r] < 0:
                    left[i] += 1
                else:
                    counts[items[r]] += 1
        best, first = -1, 0
        for v in range(len(counts)):
            first = max(first, counts[v])
            if excluded[i, v]:
                continue
            left[i] += counts[v]
            if counts[v] and (best < 0 or (counts[v], totals[v]) > (counts[best], totals[best])):
                best = v
        item[i], many[i], most[i] = best, counts[best] if best >= 0 else 0, first


@unheld
def _try_sets(
    records: int,
    kinds: Any,
    place: Any,
    flat: Any,
    row: Any,
    cells: Any,
    known: Any,
    upto: Any,
    low: Any,
    high: Any,
    own: int,
    start: int,
    end: int,
    count: Any,
    record: Any,
) -> None:
    further = len(kinds) - own
    agree = np.zeros(further, dtype=np.bool_)
    for i in range(start, end):
        for r in range(records):
            against, odd = 0, -1
            for c in range(own):
                if not _fits(c, i, r, kinds, place, flat, row, cells, known, upto, low, high):
                    against, odd = against + 1, c
                    if against > 1:
                        break
            if against > 1:
                continue
            if against == 1:
                _note(count, record, i, 1 + odd, r)
                continue
            for s in range(1 + own):
                _note(count, record, i, s, r)
            s = 1 + own
            for e in range(further):
                agree[e] = _fits(own + e, i, r, kinds, place, flat, row, cells, known, upto, low, high)
                if agree[e]:
                    _note(count, record, i, s + e, r)
            s += further
            for e in range(further):
                for f in range(e + 1, further):
                    if agree[e] and agree[f]:
                        _note(count, record, i, s, r)
                    s += 1


@inlined
def _note(count: Any, record: Any, i: int, s: int, r: int) -> None:
    if count[i, s] == 0:
        record[i, s] = r
    if count[i, s] < 2:
        count[i, s] += 1
