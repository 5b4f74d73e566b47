"""How often combinations of items occur in records that are sets, and which records hold a rare one.

Depth first: below a set of items stand the records that hold it, and of each only the items after the last one. All
combinations are counted, one after the other, in memory that grows with the items and not with the combinations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Whole = NDArray[np.int64]
MOST = 500_000_000
"""Combinations that are counted, a few seconds of work."""
CHECKS = 10_000_000
"""Steps spent on telling which rare combinations hold no smaller one; beyond, they are not counted."""
UNKNOWN = -1


@dataclass(frozen=True)
class Sets:
    """Different sets of items: those of set ``i`` are ``items[starts[i]:starts[i + 1]]``, in order, each once."""

    starts: Whole
    items: Whole
    different: int
    """Items there are: all are below."""

    @staticmethod
    def of(rows: Whole, items: Whole, count: int) -> Sets:
        """The sets of ``count`` rows from pairs of row and item, in any order; an item below 0 is none.

        >>> found = Sets.of(np.array([1, 1, 0, 1]), np.array([5, 2, -1, 5]), 2)
        >>> found.starts.tolist(), found.items.tolist()
        ([0, 0, 2], [2, 5])
        """
        there = items >= 0
        different = int(items.max(initial=-1)) + 1
        pairs = np.unique(rows[there] * np.int64(different) + items[there])
        owner = pairs // max(different, 1)
        starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))]).astype(np.int64)
        return Sets(starts, (pairs % max(different, 1)).astype(np.int64), different)

    def combinations(self, rows: Whole, most: int) -> float:
        """How many combinations of at most so many items there are to count in some rows."""
        lengths = np.diff(self.starts).astype(np.float64)
        total, each = np.zeros(len(lengths)), np.ones(len(lengths))
        for size in range(1, most + 1):
            each = each * np.maximum(lengths - size + 1, 0) / size
            total += each
        return float(total[rows].sum())


@dataclass(frozen=True)
class Supports:
    """What counting found."""

    lowest: Whole
    """For each record, how many records share the rarest combination it holds; very large where it has no item."""
    fewest: Whole
    """For each record, the items of the smallest rare combination it holds; 0 where it holds none."""
    minimal: int
    """Rare combinations that hold no smaller rare one, added up over the classes; UNKNOWN when too many to tell."""


def supports(
    sets: Sets, bounds: Whole, rows: Whole, weights: Whole, least: int, most: int, owners: Whole | None = None
) -> Supports:
    """Count combinations of at most ``most`` items within classes; those of fewer than ``least`` records are rare.

    The entries of class ``c`` are ``bounds[c]`` to ``bounds[c + 1]``: entry ``i`` stands for ``weights[i]`` records
    that are the set ``rows[i]``. With ``owners`` it belongs to one of them (none below 0), by which the entries of a
    class are in order, and further entries of an owner add nothing.

    >>> sets = Sets.of(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 2, 0]), 3)
    >>> found = supports(sets, np.array([0, 3]), np.arange(3), np.array([2, 1, 1]), 2, 2)
    >>> found.lowest.tolist(), found.fewest.tolist(), found.minimal
    ([2, 1, 4], [0, 1, 0], 1)
    """
    lowest = np.full(len(rows), np.iinfo(np.int64).max)
    fewest = np.zeros(len(rows), dtype=np.int64)
    lengths = np.diff(sets.starts)[rows]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    widest = max(int((ends[bounds[1:]] - ends[bounds[:-1]]).max(initial=0)), int(np.diff(bounds).max(initial=0)))
    owners = np.full(len(rows), -1) if owners is None else owners
    data = (sets.starts, sets.items, rows, weights, owners)
    minimal = _count(data, sets.different, widest, bounds, least, most, lowest, fewest)
    return Supports(lowest, fewest, int(minimal))


@compiled
def _count(data: Any, different: Any, widest: Any, bounds: Any, least: Any, most: Any, lowest: Any, fewest: Any) -> Any:
    """Every class by itself; the current set has ``depth`` items, and is counted with every further item."""
    starts, _, rows, _, _ = data
    count = np.zeros((most, different), dtype=np.int64)  # records with the current set and the item
    held = np.zeros((most, different), dtype=np.int64)  # entries with both
    end = np.zeros((most, different), dtype=np.int64)  # where these entries end one level below
    seen = np.zeros((most, different), dtype=np.int64)  # the further items
    last = np.zeros((most, different), dtype=np.int64)  # the owner who was counted last
    found = np.zeros(most, dtype=np.int64)  # how many they are
    current = np.zeros(most, dtype=np.int64)  # the items of the current set
    turn = np.zeros(most, dtype=np.int64)  # which of the further items comes next
    common = np.ones(most, dtype=np.bool_)  # whether the current set is not rare
    entry = np.zeros((most, widest), dtype=np.int64)
    place = np.zeros((most, widest), dtype=np.int64)  # where in its set the further items of an entry begin
    low, high = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    tables, walk = (count, held, end, seen, last), (entry, place)
    minimal, steps = 0, 0
    for c in range(len(bounds) - 1):
        high[0] = bounds[c + 1] - bounds[c]
        for i in range(high[0]):
            entry[0, i] = bounds[c] + i
            place[0, i] = starts[rows[bounds[c] + i]]
        depth, down = 0, True
        while depth >= 0:
            if down:
                part = (depth, low[depth], high[depth])
                found[depth], turn[depth] = _below(part, data, tables, walk), 0
                _mark(part, found[depth], data, least, tables, walk, lowest, fewest)
                for j in range(found[depth] if common[depth] else 0):
                    x = seen[depth, j]
                    if count[depth, x] < least:
                        whole, spent = _minimal(x, depth, data, least, tables, walk, current, CHECKS - steps)
                        minimal += whole
                        steps += spent
            if depth + 1 < most and turn[depth] < found[depth]:
                x = seen[depth, turn[depth]]
                current[depth] = x
                turn[depth] += 1
                common[depth + 1] = common[depth] and count[depth, x] >= least
                low[depth + 1], high[depth + 1] = end[depth, x] - held[depth, x], end[depth, x]
                depth, down = depth + 1, True
                continue
            for j in range(found[depth]):
                held[depth, seen[depth, j]] = 0
                count[depth, seen[depth, j]] = 0
            depth, down = depth - 1, False
    return minimal if steps <= CHECKS else UNKNOWN


@compiled
def _below(part: Any, data: Any, tables: Any, walk: Any) -> Any:
    """Count the further items; how many different ones there are."""
    (depth, low, high), (starts, items, rows, weights, owners) = part, data
    (count, held, _, seen, last), (entry, place) = tables, walk
    found = 0
    for i in range(low, high):
        e = entry[depth, i]
        for p in range(place[depth, i], starts[rows[e] + 1]):
            x = items[p]
            if held[depth, x] == 0:
                seen[depth, found] = x
                last[depth, x] = -1
                found += 1
            held[depth, x] += 1
            if owners[e] < 0 or owners[e] != last[depth, x]:
                count[depth, x] += weights[e]
                last[depth, x] = owners[e]
    return found


@compiled
def _mark(part: Any, found: Any, data: Any, least: Any, tables: Any, walk: Any, lowest: Any, fewest: Any) -> None:
    """Tell the entries what was counted, and put them in order of the further items one level below."""
    (depth, low, high), (starts, items, rows, _, _) = part, data
    (count, held, end, seen, _), (entry, place) = tables, walk
    at = 0
    for j in range(found):
        end[depth, seen[depth, j]] = at
        at += held[depth, seen[depth, j]]
    for i in range(low, high):
        e = entry[depth, i]
        for p in range(place[depth, i], starts[rows[e] + 1]):
            x = items[p]
            n = count[depth, x]
            lowest[e] = min(lowest[e], n)
            if n < least and (fewest[e] == 0 or fewest[e] > depth + 1):
                fewest[e] = depth + 1
            if depth + 1 < len(entry):
                entry[depth + 1, end[depth, x]] = e
                place[depth + 1, end[depth, x]] = p + 1
                end[depth, x] += 1


@compiled
def _minimal(x: Any, depth: Any, data: Any, least: Any, tables: Any, walk: Any, current: Any, budget: Any) -> Any:
    """Whether the current set with ``x``, which is rare, is common without any one of its items; and the steps taken.

    Without ``x`` it is, and without the last of the others it was counted one level above. Without one of those before
    it is counted here, among the entries with ``x``.
    """
    (starts, items, rows, weights, owners), (count, held, end, _, _), (entry, _) = data, tables, walk
    steps = 0
    for d in range(depth):
        if count[d, x] < least:
            return False, steps
    for left_out in range(depth - 1):
        together, i, last = 0, end[0, x] - held[0, x], -1
        while i < end[0, x] and together < least:
            e = entry[1, i]
            p, last, d = starts[rows[e]], starts[rows[e] + 1], 0
            while d < depth and p < last and (d == left_out or items[p] <= current[d]):
                if d == left_out or items[p] == current[d]:
                    d += 1
                else:
                    p += 1
                steps += 1
            if d == depth and (owners[e] < 0 or owners[e] != last):
                together += weights[e]
                last = owners[e]
            i += 1
            if steps > budget:
                return False, steps
        if together < least:
            return False, steps
    return True, steps
