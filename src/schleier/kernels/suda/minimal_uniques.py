"""Minimal uniques: the smallest combinations of columns in which a record stands alone.

Combinations are visited in the order of binary numbers, so that all parts of one come before it, and each is reached
from the one without its first column: records that agreed there are told apart by one column more. A record that is
alone in some columns is alone in all that hold them, so none of those is minimal for it, and no other record agrees
with it there. It takes no further part in them: it is neither looked for nor counted (Manning, Haglin and Keane 2008
prune by the same rule). Ever fewer records are left on the way, and those are numbered by groups, not by values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes
from schleier.kernels.compiled import compiled

Whole = NDArray[np.int64]
Real = NDArray[np.float64]
WORD = 64
DENSE = 16
"""Every possible group gets a place of its own while they are at most so many times as many as the rows."""
NONE = 127
"""Instead of the columns of the smallest combination in which a record is alone: it is in none."""


@dataclass(frozen=True)
class Minimal:
    """The minimal uniques of a table of classes, added up."""

    scores: Real
    """For each class the weights of its minimal uniques."""
    counts: NDArray[np.int32]
    """For each class how many it has."""
    fewest: NDArray[np.int8]
    """For each class the columns of its smallest one; NONE when it has none."""
    by_size: Whole
    """How many there are of 1, 2, ... columns."""
    by_column: Whole
    """How many of each size hold a column: ``[size - 1, column]``."""
    by_value: tuple[Real, ...]
    """For each column and each of its codes, the missing one first, the weights of those that hold it."""
    by_class: Real
    """For each class and column the weights of those that hold the column; no rows unless asked for."""


def minimal(codes: Codes, sizes: Whole, weights: Sequence[float], *, by_class: bool = False) -> Minimal:
    """All minimal uniques of at most ``len(weights)`` columns; one of k columns weighs ``weights[k - 1]``.

    >>> found = minimal(np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32), np.array([2, 1, 1]), [2.0, 1.0])
    >>> found.scores.tolist(), found.by_size.tolist(), [each.tolist() for each in found.by_value]
    ([0.0, 1.0, 2.0], [1, 1], [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0]])
    """
    rows, width = codes.shape
    most = min(len(weights), width)
    given = np.ascontiguousarray((codes + 1).T)  # a missing key is one value more
    widths = np.array([int(column.max(initial=0)) + 1 for column in given], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    order = np.argsort(widths, kind="stable")  # the last is in half of all combinations, and leaves the fewest together
    scores, counts, fewest = np.zeros(rows), np.zeros(rows, dtype=np.int32), np.full(rows, NONE, dtype=np.int8)
    by_value, parts = np.zeros(int(starts[-1])), np.zeros((rows if by_class else 0, width))
    by_size, by_column = np.zeros(most, dtype=np.int64), np.zeros((most, width), dtype=np.int64)
    told = (scores, counts, fewest, by_value, parts, by_size, by_column)
    if rows:
        _search(given, widths, starts, order, sizes > 1, np.array(weights[:most]), _places(width, most), DENSE, told)
    each = tuple(by_value[a:b] for a, b in pairwise(starts))
    return Minimal(scores, counts, fewest, by_size, by_column, each, parts)


def _places(width: int, most: int) -> Whole:
    """``[i, c]``: what column c adds, as the i-th of a combination, to its place among those of the same size.

    The last column of the table tells where combinations of i columns begin.
    """
    table = np.zeros((most + 1, width + 1), dtype=np.int64)
    for i in range(1, most + 1):
        table[i, :width] = [comb(c, i) for c in range(width)]
        table[i, width] = sum(comb(width, size) for size in range(1, i))
    return table


@compiled
def _search(
    table: Any, widths: Any, starts: Any, order: Any, several: Any, weights: Any, places: Any, dense: Any, told: Any
) -> None:
    """Visit all combinations; ``chosen`` holds the columns of the present one by their place in ``order``, falling."""
    rows, width, most = table.shape[1], len(order), len(weights)
    words = (rows + 63) // 64
    alone = np.zeros((places[most, width] + 1, words), dtype=np.uint64)  # who is alone, one bit each; last: at hand
    who, group = np.zeros((most + 1, rows), dtype=np.int32), np.zeros((most + 1, rows), dtype=np.int32)
    left, groups = np.zeros(most + 1, dtype=np.int64), np.zeros(most + 1, dtype=np.int64)
    who[0], left[0], groups[0] = np.arange(rows), rows, 1
    slots = 2
    while slots < 2 * rows:
        slots *= 2
    most_places = max(dense * max(rows, WORD), rows)
    room = (
        np.zeros(rows, dtype=np.int64),
        np.zeros(most_places, dtype=np.uint8),
        np.zeros(most_places, dtype=np.int32),
        np.zeros(slots, dtype=np.int32),
        np.zeros(rows, dtype=np.int32),
    )
    chosen, columns, depth = np.full(most + 1, -1, dtype=np.int64), np.zeros(most, dtype=np.int64), 1
    while depth > 0:
        chosen[depth] += 1
        if chosen[depth] >= (width if depth == 1 else chosen[depth - 1]):
            depth -= 1
            continue
        here = alone[len(alone) - 1 if depth == most else _place(chosen, depth, 0, places)]
        here[:] = 0
        for but in range(1, depth + 1 if depth > 1 else 1):
            here |= alone[_place(chosen, depth, but, places)]
        columns[depth - 1] = j = order[chosen[depth]]
        before = (who[depth - 1][: left[depth - 1]], group[depth - 1], groups[depth - 1])
        after = (who[depth], group[depth])
        found, left[depth], groups[depth] = _told_apart(before, after, table[j], widths[j], several, here, dense, room)
        _add(table, columns[:depth], starts, room[4][:found], weights[depth - 1], here, told)
        if depth < most:
            depth += 1
            chosen[depth] = -1


@compiled
def _place(chosen: Any, depth: Any, but: Any, places: Any) -> Any:
    """Where the bits of a combination are, or of the one without its ``but``-th column."""
    i, place = 0, 0
    for at in range(depth, 0, -1):
        if at != but:
            i += 1
            place += places[i, chosen[at]]
    return place + places[i, -1]


@compiled
def _told_apart(
    before: Any, after: Any, column: Any, width: Any, several: Any, known: Any, dense: Any, room: Any
) -> Any:
    """Split groups by one column more: how many are newly found alone, how many are not, and in how many groups.

    Classes of several records are never alone, but nobody is left with them either once they have a group of their own.
    """
    who, group, many = before
    rows, numbers = after
    keys, seen, rank, slots, alone = room
    n = 0
    for i in range(len(who)):
        row = who[i]
        rows[n] = row
        keys[n] = np.int64(group[i]) * width + column[row]
        n += (known[row >> 6] >> np.uint64(row & 63) & np.uint64(1)) == np.uint64(0)
    found, left, groups, possible = 0, 0, 0, many * width
    if possible > dense * max(n, WORD):
        _first_alike(keys[:n], slots, rank)  # from here on a row stands for its key
        for i in range(n):
            keys[i] = rank[i]
        possible = n
    seen[:possible] = 0
    for i in range(n):
        seen[keys[i]] += seen[keys[i]] < 2
    for i in range(n):
        key, row = keys[i], rows[i]
        if seen[key] == 1:
            alone[found] = row
            found += not several[row]
        else:
            if seen[key] == 2:
                seen[key], rank[key] = 3, groups
                groups += 1
            rows[left], numbers[left] = row, rank[key]
            left += 1
    return found, left, groups


@compiled
def _first_alike(keys: Any, slots: Any, first: Any) -> None:
    """For each key the place where it comes first, by a hash table."""
    size = 2
    while size < 2 * len(keys):
        size *= 2
    slots[:size] = -1
    last = np.uint64(size - 1)
    for i in range(len(keys)):
        mixed = np.uint64(keys[i]) * np.uint64(0x9E3779B97F4A7C15)
        spot = (mixed ^ (mixed >> np.uint64(32))) & last
        while slots[spot] >= 0 and keys[slots[spot]] != keys[i]:
            spot = (spot + np.uint64(1)) & last
        if slots[spot] < 0:
            slots[spot] = i
        first[i] = slots[spot]


@compiled
def _add(table: Any, columns: Any, starts: Any, who: Any, weight: Any, alone: Any, told: Any) -> None:
    """Count one minimal unique for each record found, and remember that it is alone."""
    scores, counts, fewest, by_value, parts, by_size, by_column = told
    size = len(columns)
    by_size[size - 1] += len(who)
    for j in columns:
        by_column[size - 1, j] += len(who)
        for row in who:
            by_value[starts[j] + table[j, row]] += weight
    for row in who:
        scores[row] += weight
        counts[row] += 1
        fewest[row] = min(fewest[row], size)
        alone[row >> 6] |= np.uint64(1) << np.uint64(row & 63)
    if len(parts) > 0:
        for row in who:
            for j in columns:
                parts[row, j] += weight
