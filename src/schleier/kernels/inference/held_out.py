"""How well a hidden column is guessed from released ones: learned from one part of the records, tried on another.

Values of released columns are codes. A guess for a record is the most frequent code (the median, where numbers are
wanted) of the learning records that share the codes of some columns. Of fewer than a few nothing is learned, so that
columns which tell all records apart do not win by heart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Values = Whole | Floats
"""Codes, or numbers."""
FEW = 3
"""Learning records from which on a class of them has a guess of its own."""
ENOUGH = 0.999
"""A share that two columns need not try to improve on."""
PAIRED = 8
"""The columns that say most alone are tried in pairs."""
DENSE = 4
"""Cells of groups and values, for each record, up to which all are counted instead of sorting those that occur."""
CLASSES = 10
"""Numbers are cut into so many classes to see which columns say most about them."""


@dataclass(frozen=True)
class Hidden:
    """A column that the release does not show, or not all of it."""

    wanted: Values
    """Its codes, or numbers, in all records."""
    learned: Mask
    """Records to learn from."""
    tried: Mask
    """Records in which it is hidden, to be guessed."""
    own: Whole | None = None
    """What the release still shows of it, as codes."""

    @cached_property
    def ranked(self) -> tuple[Values, Whole]:
        """The different values of the records to learn from, in order, and the place of each record's value."""
        known: NDArray[Any] = self.wanted[self.learned]
        levels, places = np.unique(known, return_inverse=True)
        return levels, places.astype(np.int64)


@dataclass(frozen=True)
class Guess:
    """Which columns guess best, and how well."""

    share: float
    """Share of the records that are guessed right."""
    blind: float
    """The same without these columns."""
    places: tuple[int, ...]
    """The columns."""


def guess(hidden: Hidden, groups: Whole, otherwise: Values) -> Values:
    """What the learning records of the same group suggest for each tried one, and something else where they are few.

    >>> wanted, half = np.array([5, 5, 5, 7, 7, 7, 5, 7]), np.arange(8) < 6
    >>> guess(Hidden(wanted, half, ~half), np.array([0, 0, 0, 1, 1, 1, 0, 1]), np.array([9, 9])).tolist()
    [5, 7]
    """
    (levels, ranks), asked = hidden.ranked, groups[hidden.tried]
    many = int(groups.max(initial=0)) + 1
    if levels.dtype.kind != "f" and 0 < many * len(levels) <= DENSE * len(ranks):
        counts = np.bincount(groups[hidden.learned] * len(levels) + ranks, minlength=many * len(levels))
        table = counts.reshape(many, len(levels))
        return np.where((table.sum(axis=1) >= FEW)[asked], levels[table.argmax(axis=1)][asked], otherwise)
    # One sort of one number for each record is much faster than one by group and value.
    keys = np.sort(groups[hidden.learned] * len(levels) + ranks)
    if not len(keys):
        return otherwise
    known = keys // len(levels)
    starts = _changes(known)
    sizes = np.diff(np.r_[starts, len(known)])
    chosen = starts + (sizes - 1) // 2 if levels.dtype.kind == "f" else _modes(keys, known)
    best = levels[keys[chosen] - known[chosen] * len(levels)]
    place = np.minimum(np.searchsorted(known[starts], asked), len(starts) - 1)
    sure = (known[starts][place] == asked) & (sizes[place] >= FEW)
    return np.where(sure, best[place], otherwise)


def _changes(ordered: Whole) -> Whole:
    """Where another value begins."""
    return np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, dtype=np.int64)


def _modes(keys: Whole, known: Whole) -> Whole:
    """For each group a place of its most frequent value, the smallest of several."""
    runs = _changes(keys)
    counts, groups = np.diff(np.r_[runs, len(keys)]), known[runs]
    most = np.repeat(np.maximum.reduceat(counts, _changes(groups)), np.diff(np.r_[_changes(groups), len(groups)]))
    top = np.flatnonzero(counts == most)
    found: Whole = runs[top[_changes(groups[top])]]
    return found


def blind_guess(hidden: Hidden) -> Values:
    """The best guess for each tried record by whoever sees nothing but what is left of the column itself."""
    nothing = np.zeros_like(hidden.wanted[hidden.tried])
    for_all = guess(hidden, np.zeros(len(hidden.wanted), dtype=np.int64), nothing)
    return for_all if hidden.own is None else guess(hidden, hidden.own, for_all)


def reach(hidden: Hidden, blind: Values) -> float:
    """How near a guess must be: numbers twice as near as the blind guess typically is, anything else exact."""
    wanted = hidden.wanted[hidden.tried]
    return float(np.median(np.abs(blind - wanted))) / 2 if wanted.dtype.kind == "f" and len(wanted) else 0.0


def right(hidden: Hidden, found: Values, near: float) -> float:
    """Share of the tried records that are guessed right.

    >>> ages = Hidden(np.array([10.0, 20, 30, 40]), np.ones(4, bool), np.ones(4, bool))
    >>> right(ages, np.array([11.0, 22, 33, 44]), reach(ages, np.array([20.0, 20, 20, 20])))
    1.0
    """
    wanted = hidden.wanted[hidden.tried]
    return float((np.abs(found - wanted) <= near).mean()) if len(wanted) else 0.0


def best_guess(hidden: Hidden, given: Sequence[Whole]) -> Guess:
    """The column, or the two, that guess best; one where two are hardly better."""
    blind = blind_guess(hidden)
    near = reach(hidden, blind)
    base = right(hidden, blind, near)
    found: dict[tuple[int, ...], float] = {(i,): _tried(hidden, given, (i,), blind, near) for i in range(len(given))}
    best = max(found, key=lambda places: found[places], default=())
    if best and found[best] < ENOUGH:
        for pair in combinations(_telling(hidden, given), 2):
            found[pair] = _tried(hidden, given, pair, blind, near)
        two = max(found, key=lambda places: found[places])
        best = two if found[two] > found[best] + 0.01 else best
    return Guess(found[best], base, best) if best and found[best] > base else Guess(base, base, ())


def _tried(hidden: Hidden, given: Sequence[Whole], places: Sequence[int], blind: Values, near: float) -> float:
    """With and without what is left of the column itself, whichever is better."""
    groups = _joint([given[i] for i in places])
    ways = [groups] if hidden.own is None else [groups, _joint([groups, hidden.own])]
    return max(right(hidden, guess(hidden, way, blind), near) for way in ways)


def _joint(columns: Sequence[Whole]) -> Whole:
    found = columns[0]
    for column in columns[1:]:
        found = found * (int(column.max(initial=0)) + 1) + column
    return found


def _telling(hidden: Hidden, given: Sequence[Whole]) -> list[int]:
    """The columns that explain most of the wanted one alone (Goodman and Kruskal's tau)."""
    wanted, learned = hidden.wanted, hidden.learned
    if wanted.dtype.kind == "f":
        ends = np.quantile(wanted[learned], np.arange(1, CLASSES) / CLASSES) if learned.any() else np.zeros(0)
        wanted = np.searchsorted(ends, wanted)
    tau = [_explained(column[learned], wanted[learned].astype(np.int64)) for column in given]
    return sorted(np.argsort(tau, kind="stable")[::-1][:PAIRED].tolist())


def _explained(column: Whole, wanted: Whole) -> float:
    cells, width = _joint([column, wanted]), int(wanted.max(initial=0)) + 1
    if (int(column.max(initial=0)) + 1) * width <= DENSE * len(cells):
        every = np.bincount(cells)
        runs = np.flatnonzero(every)
        counts, groups = every[runs], runs // width
    else:
        cells = np.sort(cells)
        runs = _changes(cells)
        counts, groups = np.diff(np.r_[runs, len(cells)]), cells[runs] // width
    starts = _changes(groups)
    if not len(starts):
        return 0.0
    squares, sizes = np.add.reduceat(counts * counts, starts), np.add.reduceat(counts, starts)
    return float((squares[sizes >= FEW] / sizes[sizes >= FEW]).sum())
