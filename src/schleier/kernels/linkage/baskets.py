"""Whose many items fit the few that are known: rare ones weigh more, and a claim needs a clear distance to the next.

Narayanan and Shmatikov (2008), Scoreboard-RH: score(r) = sum over known items of w(item) * sum of exp(-|difference| /
scale), w = 1 / log(number of holders), eccentricity = (best - second) / standard deviation of all scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
SHARE = 32
"""Targets a thread takes at a time."""
FAR = 20.0
"""Differences of so many scales are worth nothing: it would be 2e-9."""
ALIKE = 1e-9
"""Scores that differ by a smaller share are equal: the rest is rounding."""


@dataclass(frozen=True)
class Meeting:
    """Which released cells may stand for which known item, and what that weighs; in the order of items."""

    item: Whole = field(repr=False)
    cell: Whole = field(repr=False)
    weight: Floats = field(repr=False)


@dataclass(frozen=True)
class Basket:
    """Records of one side: whose each is, which item it is about, and in which intervals further numbers lie."""

    unit: Whole = field(repr=False)
    item: Whole = field(repr=False)
    """-1 where it is not known."""
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    """By column and record; nan where nothing is known."""
    words: Whole = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64), repr=False)
    """Codes of words, by column and record."""


@dataclass(frozen=True)
class Likeness:
    """What agreements are worth besides that of the item."""

    scale: Floats = field(repr=False)
    """For each column of numbers the difference that leaves 1/e."""
    words: Sequence[NDArray[np.bool_]] = field(default=(), repr=False)
    """For each column of words which known one (a row) agrees with which released one (a column)."""


@dataclass(frozen=True)
class Standing:
    """For each target the unit that fits best, and how clearly."""

    unit: Whole = field(repr=False)
    """-1 where none fits at all."""
    best: Floats = field(repr=False)
    second: Floats = field(repr=False)
    spread: Floats = field(repr=False)
    """Standard deviation of the scores of all units."""

    @property
    def eccentricity(self) -> Floats:
        """By how many standard deviations the best is ahead; 0 where another is as good."""
        gap = self.best - self.second
        gap[gap <= ALIKE * self.best] = 0.0
        return np.divide(gap, self.spread, out=np.zeros(len(gap)), where=self.spread > 0)


def holders_of(unit: Whole, cell: Whole, cells: int) -> Whole:
    """How many units hold each cell.

    >>> holders_of(np.array([0, 0, 1]), np.array([0, 0, 0]), 2).tolist()
    [2, 0]
    """
    some = cell >= 0
    pairs = np.unique(cell[some] * (int(unit.max(initial=0)) + 1) + unit[some])
    return np.bincount(pairs // (int(unit.max(initial=0)) + 1), minlength=cells).astype(np.int64)


def weighed(item: Whole, cell: Whole, width: Whole, holders: Whole) -> Meeting:
    """Weights 1 / log(holders) of pairs of an item and a cell that may stand for it.

    The holders are those of all cells that may be the item and stand for no more items than this one does: a coarse
    cell tells less than the item itself. An item that just one unit holds weighs as one that two hold.

    >>> weighed(np.array([0, 0]), np.array([0, 1]), np.array([1, 5]), np.array([3, 20])).weight.round(3).tolist()
    [0.91, 0.319]
    """
    order = np.lexsort((cell, width[cell], item))
    item, cell = item[order], cell[order]
    if not len(item):
        return Meeting(item, cell, np.zeros(0))
    many, wide = np.cumsum(holders[cell]), width[cell]
    first = np.append(True, item[1:] != item[:-1])
    before = (many - holders[cell])[np.flatnonzero(first)][np.cumsum(first) - 1]
    last = np.append((item[1:] != item[:-1]) | (wide[1:] != wide[:-1]), True)
    ends = np.flatnonzero(last)
    upto = many[ends[np.searchsorted(ends, np.arange(len(item)))]] - before
    return Meeting(item, cell, 1 / np.log(np.maximum(upto, 2)))


def best_units(known: Basket, released: Basket, meeting: Meeting, like: Likeness, targets: int, units: int) -> Standing:
    """Who fits best. ``known`` is in the order of its targets; of several records of a unit the best one counts.

    >>> mine = Basket(np.array([0]), np.array([0]), np.array([[4.0]]), np.array([[4.0]]))
    >>> theirs = Basket(np.array([0, 1]), np.array([0, 0]), np.array([[1.0, 4.0]]), np.array([[1.0, 4.0]]))
    >>> pairs = weighed(np.array([0]), np.array([0]), np.array([1]), np.array([2]))
    >>> found = best_units(mine, theirs, pairs, Likeness(np.array([1.5])), 1, 2)
    >>> found.unit.tolist(), found.best.round(3).tolist(), found.second.round(3).tolist()
    ([1], [1.443], [0.195])
    """
    items = int(max(known.item.max(initial=-1), meeting.item.max(initial=-1))) + 1
    order = np.argsort(released.item, kind="stable")
    order = order[np.searchsorted(released.item[order], 0) :]
    cells = int(max(released.item.max(initial=-1), meeting.cell.max(initial=-1))) + 1
    packed = (
        np.searchsorted(known.unit, np.arange(targets + 1)),
        known.item,
        known.low,
        known.high,
        np.searchsorted(meeting.item, np.arange(items + 1)),
        meeting.cell,
        meeting.weight,
        np.searchsorted(released.item[order], np.arange(cells + 1)),
        released.unit[order],
        np.ascontiguousarray(released.low[:, order]),
        np.ascontiguousarray(released.high[:, order]),
        like.scale,
        known.words,
        np.ascontiguousarray(released.words[:, order]) if len(like.words) else released.words,
        np.concatenate([np.zeros(0, dtype=np.bool_), *(one.ravel() for one in like.words)]),
        np.cumsum([0, *(one.size for one in like.words)])[: len(like.words)].astype(np.int64),
        np.array([one.shape[1] for one in like.words], dtype=np.int64),
    )
    found = Standing(np.full(targets, -1), *(np.zeros(targets) for _ in range(3)))

    def some(start: int) -> None:
        _score(*packed, start, min(start + SHARE, targets), units, *vars(found).values())

    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        list(pool.map(some, range(0, targets, SHARE)))
    return found


@unheld
def _score(
    begins: Any,
    item: Any,
    low: Any,
    high: Any,
    item_begins: Any,
    cell: Any,
    weight: Any,
    cell_begins: Any,
    unit: Any,
    lower: Any,
    upper: Any,
    scale: Any,
    word: Any,
    words: Any,
    agree: Any,
    offset: Any,
    breadth: Any,
    start: int,
    end: int,
    units: int,
    best_unit: Any,
    best: Any,
    second: Any,
    spread: Any,
) -> None:
    total, got = np.zeros(units), np.zeros(units)
    seen, turn = np.full(units, -1, dtype=np.int64), np.full(units, -1, dtype=np.int64)
    touched = np.empty(units, dtype=np.int64)
    for i in range(start, end):
        many = 0
        for k in range(begins[i], begins[i + 1]):
            if item[k] < 0:
                continue
            for m in range(item_begins[item[k]], item_begins[item[k] + 1]):
                for p in range(cell_begins[cell[m]], cell_begins[cell[m] + 1]):
                    near = 0.0 if len(scale) + len(offset) else 1.0
                    for c in range(len(offset)):
                        near += agree[offset[c] + word[c, k] * breadth[c] + words[c, p]]
                    for c in range(len(scale)):
                        off = max(lower[c, p] - high[c, k], low[c, k] - upper[c, p], 0.0)
                        if off < FAR * scale[c] and not (np.isnan(lower[c, p]) or np.isnan(low[c, k])):
                            near += np.exp(-off / scale[c])
                    score, who = weight[m] * near, unit[p]
                    if seen[who] != i:
                        seen[who], total[who] = i, 0.0
                        touched[many] = who
                        many += 1
                    if turn[who] != k:
                        turn[who], got[who] = k, 0.0
                    if score > got[who]:
                        total[who] += score - got[who]
                        got[who] = score
        first, next_, who, summed, squared = 0.0, 0.0, -1, 0.0, 0.0
        for place in range(many):
            value = total[touched[place]]
            summed += value
            squared += value * value
            if value > first:
                first, next_, who = value, first, touched[place]
            elif value > next_:
                next_ = value
        best_unit[i], best[i], second[i] = who, first, next_
        spread[i] = np.sqrt(max(squared / units - (summed / units) ** 2, 0.0))
