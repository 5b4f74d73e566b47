"""Which unit of a release is nearest to a known one, all their members taken together.

The distance of two units is the least sum of what their members cost when each is paired with one of the other unit,
and one for each member who is left over; with waves, members of the same wave are paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import unheld
from schleier.kernels.linkage.packed_costs import Packed
from schleier.kernels.linkage.penalties import Numbers, Words

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
SHARE = 8
"""Units a thread takes at a time."""
LARGE = 8
"""Members up to whom all pairings are weighed; of more the nearest pairs are taken first."""
ALIKE = 1e-5
"""Distances that differ by less are equal: the rest is rounding."""


@dataclass(frozen=True)
class Members:
    """Whose each record is, in the order of units, and its wave; -1 where there are no waves."""

    unit: Whole = field(repr=False)
    wave: Whole = field(repr=False)


@dataclass(frozen=True)
class Nearest:
    """For each target the nearest unit, its distance, and that of the next one."""

    unit: Whole = field(repr=False)
    """-1 where there is none."""
    distance: Floats = field(repr=False)
    second: Floats = field(repr=False)


@dataclass(frozen=True)
class Fingerprints:
    """Both files, each in the order of its units."""

    columns: Sequence[Words | Numbers] = field(repr=False)
    known: Members
    released: Members
    complete: bool = True
    """Whether members of the release who are left over count."""

    def nearest(self) -> Nearest:
        """The nearest unit of each target.

        >>> age = Numbers(np.array([40.0, 7]), np.array([7.0, 41, 40, 30]), np.array([7.0, 41, 40, 30]), weight=0.1)
        >>> none = np.full(4, -1)
        >>> known, seen = Members(np.array([0, 0]), none[:2]), Members(np.array([0, 0, 1, 1]), none)
        >>> found = Fingerprints([age], known, seen).nearest()
        >>> found.unit.tolist(), found.distance.round(3).tolist(), found.second.round(3).tolist()
        ([0], [0.1], [2.3])
        """
        targets = int(self.known.unit.max(initial=-1)) + 1
        found = Nearest(np.full(targets, -1), np.full(targets, np.inf), np.full(targets, np.inf))
        packed = self._packed()

        def some(start: int) -> None:
            _look(*packed, self.complete, start, min(start + SHARE, targets), *vars(found).values())

        with ThreadPoolExecutor(cpu_count() or 1) as pool:
            list(pool.map(some, range(0, targets, SHARE)))
        return found

    def paired(self, target: Whole, unit: Whole) -> tuple[Whole, Whole]:
        """Places of known records and of released ones that are paired, in some pairs of units."""
        from scipy.optimize import linear_sum_assignment

        packed = self._packed()
        mine, theirs = packed[-4], packed[-3]
        first: list[Whole] = []
        second: list[Whole] = []
        for t, u in zip(target.tolist(), unit.tolist(), strict=True):
            costs = _costs_of(*packed, t, u)
            rows, places = linear_sum_assignment(costs)
            kept = costs[rows, places] < FORBIDDEN
            first.append(mine[t] + rows[kept])
            second.append(theirs[u] + places[kept])
        empty = np.zeros(0, dtype=np.int64)
        return np.concatenate([empty, *first]), np.concatenate([empty, *second])

    def _packed(self) -> tuple[Any, ...]:
        begins = [
            np.searchsorted(side.unit, np.arange(int(side.unit.max(initial=-1)) + 2))
            for side in (self.known, self.released)
        ]
        packed = Packed.of(self.columns)
        whole = packed.part(slice(None))
        words = packed.costs, packed.starts[:, None] + whole.codes * packed.widths[:, None], packed.widths, whole.cells
        numbers = whole.known, whole.upto, whole.low, whole.high, packed.how
        return *words, *numbers, *begins, self.known.wave, self.released.wave


FORBIDDEN = 1e6
"""What it costs to pair different waves."""


def sorted_columns(columns: Sequence[Words | Numbers], mine: Whole, theirs: Whole) -> list[Words | Numbers]:
    """Columns with the known and the released records in another order."""
    found: list[Words | Numbers] = []
    for one in columns:
        if isinstance(one, Words):
            found.append(replace(one, known=one.known[mine], cells=one.cells[theirs]))
        else:
            upto = None if one.upto is None else one.upto[mine]
            found.append(replace(one, known=one.known[mine], upto=upto, low=one.low[theirs], high=one.high[theirs]))
    return found


@unheld
def _cost(
    costs: Any,
    begins: Any,
    cells: Any,
    known: Any,
    upto: Any,
    low: Any,
    high: Any,
    how: Any,
    i: int,
    r: int,
) -> float:
    """What a pair of records costs; see ``penalties``."""
    total = 0.0
    for j in range(begins.shape[0]):
        total += costs[begins[j, i] + cells[j, r]]
    for j in range(known.shape[0]):
        weight, gap, power = how[j, 0], how[j, 1], how[j, 2]
        if np.isnan(known[j, i]) or np.isnan(low[j, r]):
            total += 0.0 if np.isnan(known[j, i]) and np.isnan(low[j, r]) else gap
            continue
        off = max(low[j, r] - upto[j, i], known[j, i] - high[j, r], 0.0) * weight
        total += off if power == 1 else off * off if power == 2 else (weight if off > 0 else 0.0)
    return float(total)


@unheld
def _costs_of(
    costs: Any,
    begins: Any,
    widths: Any,
    cells: Any,
    known: Any,
    upto: Any,
    low: Any,
    high: Any,
    how: Any,
    mine: Any,
    theirs: Any,
    wave: Any,
    waves: Any,
    t: int,
    u: int,
) -> Any:
    found = np.empty((mine[t + 1] - mine[t], theirs[u + 1] - theirs[u]))
    for a in range(found.shape[0]):
        for b in range(found.shape[1]):
            i, r = mine[t] + a, theirs[u] + b
            if wave[i] != waves[r]:
                found[a, b] = 1e6
            else:
                found[a, b] = _cost(costs, begins, cells, known, upto, low, high, how, i, r)
    return found


@unheld
def _least(found: Any, rows: int, columns: int, best: Any, given: Any, taken: Any) -> float:
    """The least sum of pairs of each row with a column of its own; there are at least as many columns as rows."""
    if columns > LARGE:
        for a in range(rows):
            given[a] = False
        for b in range(columns):
            taken[b] = False
        total = 0.0
        for _ in range(rows):
            least, at, to = np.inf, -1, -1
            for a in range(rows):
                for b in range(columns):
                    if not given[a] and not taken[b] and found[a, b] < least:
                        least, at, to = found[a, b], a, b
            given[at] = taken[to] = True
            total += least
        return total
    size = 1 << columns
    for mask in range(size):
        best[mask] = np.inf
    best[0] = 0.0
    for a in range(rows):
        # From the fullest down, so that a row is used once.
        for mask in range(size - 1, -1, -1):
            least = np.inf
            for b in range(columns):
                if mask >> b & 1:
                    least = min(least, best[mask ^ (1 << b)] + found[a, b])
            best[mask] = least
    least = np.inf
    for mask in range(size):
        least = min(least, best[mask])
    return float(least)


@unheld
def _look(
    costs: Any,
    begins: Any,
    widths: Any,
    cells: Any,
    known: Any,
    upto: Any,
    low: Any,
    high: Any,
    how: Any,
    mine: Any,
    theirs: Any,
    wave: Any,
    waves: Any,
    complete: bool,
    start: int,
    end: int,
    unit: Any,
    distance: Any,
    second: Any,
) -> None:
    widest = 1
    for u in range(len(theirs) - 1):
        widest = max(widest, theirs[u + 1] - theirs[u])
    for t in range(len(mine) - 1):
        widest = max(widest, mine[t + 1] - mine[t])
    found = np.empty((widest, widest))
    best = np.empty(1 << LARGE)
    given, taken = np.zeros(widest, dtype=np.bool_), np.zeros(widest, dtype=np.bool_)
    for t in range(start, end):
        m = mine[t + 1] - mine[t]
        by_wave = wave[mine[t]] >= 0
        for u in range(len(theirs) - 1):
            n = theirs[u + 1] - theirs[u]
            over = float(max(m - n, 0) + (max(n - m, 0) if complete else 0))
            if not by_wave and over > second[t] * (1 + ALIKE):
                continue
            total, paired = 0.0, 0
            for a in range(m):
                least = np.inf
                for b in range(n):
                    if by_wave and wave[mine[t] + a] != waves[theirs[u] + b]:
                        continue
                    cost = _cost(costs, begins, cells, known, upto, low, high, how, mine[t] + a, theirs[u] + b)
                    least = min(least, cost)
                    if m <= n:
                        found[a, b] = cost
                    else:
                        found[b, a] = cost
                if by_wave:
                    total += 1.0 if least == np.inf else least
                    paired += 0 if least == np.inf else 1
                elif m <= n:
                    total += least
            if by_wave:
                total += max(n - paired, 0) if complete else 0
            elif total + over > second[t] * (1 + ALIKE):
                continue
            else:
                total = _least(found, min(m, n), max(m, n), best, given, taken) + over
            if total < distance[t]:
                second[t], distance[t], unit[t] = distance[t], total, u
            elif total < second[t]:
                second[t] = total
