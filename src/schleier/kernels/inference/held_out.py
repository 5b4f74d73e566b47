"""How well a hidden column is guessed from released ones: learned from one part of the records, tried on another.

Values of released columns are codes. A guess for a record is the most frequent code (the median, where numbers are
wanted) of the learning records that share the codes of some columns. Of fewer than a few nothing is learned, so that
columns which tell all records apart do not win by heart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
FEW = 3
"""Learning records from which on a class of them has a guess of its own."""
ENOUGH = 0.999
"""A share that two columns need not try to improve on."""
PAIRED = 8
"""The columns that say most alone are tried in pairs."""
CLASSES = 10
"""Numbers are cut into so many classes to see which columns say most about them."""


@dataclass(frozen=True)
class Hidden:
    """A column that the release does not show, or not all of it."""

    wanted: Whole | Floats
    """Its codes, or numbers, in all records."""
    learned: Mask
    """Records to learn from."""
    tried: Mask
    """Records in which it is hidden, to be guessed."""
    own: Whole | None = None
    """What the release still shows of it, as codes."""


@dataclass(frozen=True)
class Guess:
    """Which columns guess best, and how well."""

    share: float
    """Share of the records that are guessed right."""
    blind: float
    """The same without these columns."""
    places: tuple[int, ...]
    """The columns."""


def guess(hidden: Hidden, groups: Whole, otherwise: Whole | Floats) -> Whole | Floats:
    """What the learning records of the same group suggest for each tried one, and something else where they are few.

    >>> wanted, half = np.array([5, 5, 5, 7, 7, 7, 5, 7]), np.arange(8) < 6
    >>> guess(Hidden(wanted, half, ~half), np.array([0, 0, 0, 1, 1, 1, 0, 1]), np.array([9, 9])).tolist()
    [5, 7]
    """
    known, wanted = groups[hidden.learned], hidden.wanted[hidden.learned]
    if not len(known):
        return otherwise
    order = np.lexsort((wanted, known))
    known, wanted = known[order], wanted[order]
    starts = np.flatnonzero(np.r_[True, known[1:] != known[:-1]])
    sizes = np.diff(np.r_[starts, len(known)])
    best = _medians(wanted, starts, sizes) if wanted.dtype.kind == "f" else _modes(known, wanted, len(starts))
    asked = groups[hidden.tried]
    place = np.minimum(np.searchsorted(known[starts], asked), len(starts) - 1)
    sure = (known[starts][place] == asked) & (sizes[place] >= FEW)
    return np.where(sure, best[place], otherwise)


def _medians(wanted: Floats, starts: Whole, sizes: Whole) -> Floats:
    return wanted[starts + (sizes - 1) // 2]


def _modes(known: Whole, wanted: Whole, groups: int) -> Whole:
    """The most frequent code of each group; rows are in order of group and code."""
    runs = np.flatnonzero(np.r_[True, (known[1:] != known[:-1]) | (wanted[1:] != wanted[:-1])])
    counts = np.diff(np.r_[runs, len(known)])
    group = np.cumsum(np.r_[0, known[runs][1:] != known[runs][:-1]])
    best = np.lexsort((-counts, group))
    first = best[np.searchsorted(group[best], np.arange(groups))]
    found: Whole = wanted[runs][first]
    return found


def blind_guess(hidden: Hidden) -> Whole | Floats:
    """The best guess for each tried record by whoever sees nothing but what is left of the column itself."""
    nothing = np.zeros(int(hidden.tried.sum()), dtype=hidden.wanted.dtype)
    for_all = guess(hidden, np.zeros(len(hidden.wanted), dtype=np.int64), nothing)
    return for_all if hidden.own is None else guess(hidden, hidden.own, for_all)


def right(hidden: Hidden, found: Whole | Floats, blind: Whole | Floats) -> float:
    """Share of the tried records that are guessed right: numbers twice as closely as the blind guess typically is.

    >>> ages = Hidden(np.array([10.0, 20, 30, 40]), np.ones(4, bool), np.ones(4, bool))
    >>> right(ages, np.array([11.0, 22, 33, 44]), np.array([20.0, 20, 20, 20]))
    1.0
    """
    wanted = hidden.wanted[hidden.tried]
    if not len(wanted):
        return 0.0
    near = np.median(np.abs(blind - wanted)) / 2 if wanted.dtype.kind == "f" else 0
    return float((np.abs(found - wanted) <= near).mean())


def best_guess(hidden: Hidden, given: Sequence[Whole]) -> Guess:
    """The column, or the two, that guess best; one where two are hardly better."""
    blind = blind_guess(hidden)
    base = right(hidden, blind, blind)
    found = {(i,): _tried(hidden, given, (i,), blind) for i in range(len(given))}
    best = max(found, key=lambda places: found[places], default=())
    if best and found[best] < ENOUGH:
        for pair in combinations(_telling(hidden, given), 2):
            found[pair] = _tried(hidden, given, pair, blind)
        two = max(found, key=lambda places: found[places])
        best = two if found[two] > found[best] + 0.01 else best
    return Guess(found[best], base, best) if best and found[best] > base else Guess(base, base, ())


def _tried(hidden: Hidden, given: Sequence[Whole], places: tuple[int, ...], blind: Whole | Floats) -> float:
    """With and without what is left of the column itself, whichever is better."""
    groups = _joint([given[i] for i in places])
    ways = [groups] if hidden.own is None else [groups, _joint([groups, hidden.own])]
    return max(right(hidden, guess(hidden, way, blind), blind) for way in ways)


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
    cells, counts = np.unique(_joint([column, wanted]), return_counts=True)
    rows = cells // (int(wanted.max(initial=0)) + 1)
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if len(rows) else np.zeros(0, dtype=np.int64)
    if not len(starts):
        return 0.0
    squares, sizes = np.add.reduceat(counts * counts, starts), np.add.reduceat(counts, starts)
    return float((squares[sizes >= FEW] / sizes[sizes >= FEW]).sum())
