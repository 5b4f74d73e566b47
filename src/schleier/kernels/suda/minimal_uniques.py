"""Minimal uniques: the smallest combinations of columns in which a record stands alone.

Combinations are counted smallest first. A record that is alone in some columns is alone in all that hold them, so none
of those is minimal for it, and no other record agrees with it there. It takes no further part in them: it is neither
looked for nor counted. Larger combinations are counted on ever fewer records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes, rank_numbers
from schleier.kernels.compiled import compiled

Whole = NDArray[np.int64]
Real = NDArray[np.float64]
Alone = dict[tuple[int, ...], NDArray[np.uint64]]
"""Who is alone in a combination of columns, one bit each."""
WORD = 64
WIDEST = 1 << 62
"""Rows are numbered by their codes while there are fewer possible rows than this."""
DENSE = 16
"""Every possible row gets a place of its own while they are at most so many times as many as the rows."""
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
    numbers, room, several = _Numbers(codes), _Room(rows), sizes > 1
    starts = np.concatenate([[0], np.cumsum(numbers.widths)]).astype(np.int64)
    scores, counts, fewest = np.zeros(rows), np.zeros(rows, dtype=np.int32), np.full(rows, NONE, dtype=np.int8)
    by_value, parts = np.zeros(int(starts[-1])), np.zeros((rows if by_class else 0, width))
    by_size, by_column = np.zeros(most, dtype=np.int64), np.zeros((most, width), dtype=np.int64)
    smaller: Alone = {(): np.zeros(-(-rows // WORD), dtype=np.uint64)}
    for size in range(1, most + 1):
        here: Alone = {}
        for columns in combinations(range(width), size):
            alone = np.zeros_like(smaller[columns[1:]])
            for part in combinations(columns, size - 1):
                alone |= smaller[part]
            who = _found(numbers, columns, several, alone, room)
            told = (scores, counts, fewest, by_value, parts, alone)
            _add(numbers.table, np.array(columns), starts, who, weights[size - 1], told)
            by_size[size - 1] += len(who)
            by_column[size - 1, columns] += len(who)
            if size < most:
                here[columns] = alone
        smaller = here
    each = tuple(by_value[a:b] for a, b in pairwise(starts))
    return Minimal(scores, counts, fewest, by_size, by_column, each, parts)


class _Numbers:
    """One number for each row of the first columns of a combination; most combinations begin as the one before."""

    def __init__(self, codes: Codes) -> None:
        self.table = np.ascontiguousarray((codes + 1).T)  # a missing key is one value more
        self.widths = [int(column.max(initial=0)) + 1 for column in self.table]
        self.columns: tuple[int, ...] = ()
        self.kept = [(np.zeros(len(codes), dtype=np.int64), 1)]  # the numbers, and how many are possible

    def but_last(self, columns: tuple[int, ...]) -> tuple[Whole, int]:
        """The numbers of all columns but the last, and how many are possible: few enough to be joined with any."""
        first = columns[:-1]
        same = 0
        while same < len(first) and self.columns[: same + 1] == first[: same + 1]:
            same += 1
        del self.kept[same + 1 :]
        for j in first[same:]:
            before, possible = self.kept[-1]
            joined, possible = before * self.widths[j] + self.table[j], possible * self.widths[j]
            if possible * max(self.widths) >= WIDEST:
                found, joined = rank_numbers(joined, possible)
                possible = len(found)
            self.kept.append((joined, possible))
        self.columns = first
        return self.kept[-1]


class _Room:
    """Memory that every combination uses again."""

    def __init__(self, rows: int) -> None:
        self.who = np.zeros(rows, dtype=np.int32)
        self.keys = np.zeros(rows, dtype=np.int64)
        self.seen = np.zeros(DENSE * max(rows, WORD), dtype=np.uint8)
        self.slots = np.zeros(2 << rows.bit_length(), dtype=np.int32)
        self.twice = np.zeros(rows, dtype=np.bool_)


def _found(
    numbers: _Numbers, columns: tuple[int, ...], several: NDArray[np.bool_], alone: Any, room: _Room
) -> NDArray[np.int32]:
    """Who is alone in some columns and was not yet in fewer of them."""
    before, possible = numbers.but_last(columns)
    width = numbers.widths[columns[-1]]
    left = int(_numbered(before, numbers.table[columns[-1]], width, alone, room.who, room.keys))
    who, keys, possible = room.who[:left], room.keys[:left], possible * width
    if possible <= DENSE * max(left, WORD):
        n = _marked(keys, who, several, room.seen[:possible])
    else:
        n = _hashed(keys, who, several, room.slots[: 2 << left.bit_length()], room.twice)
    return who[:n]


@compiled
def _numbered(before: Any, column: Any, width: Any, alone: Any, who: Any, keys: Any) -> Any:
    """The rows whose bit is not set, with their numbers."""
    n = 0
    for i in range(len(before)):
        who[n] = i
        keys[n] = before[i] * width + column[i]
        n += (alone[i >> 6] >> np.uint64(i & 63) & np.uint64(1)) == np.uint64(0)
    return n


@compiled
def _marked(keys: Any, who: Any, several: Any, seen: Any) -> Any:
    """Put who is alone to the front: a number is seen 0, 1 or (then it does not matter how many) 2 times."""
    seen[:] = 0
    for i in range(len(keys)):
        seen[keys[i]] = 2 if seen[keys[i]] > 0 or several[who[i]] else 1
    n = 0
    for i in range(len(keys)):
        once = seen[keys[i]] == 1
        who[n] = who[i]
        n += once
    return n


@compiled
def _hashed(keys: Any, who: Any, several: Any, slots: Any, twice: Any) -> Any:
    """The same for numbers too large to be marked: a hash table of the first row that has a number."""
    slots[:] = -1
    last = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        twice[i] = several[who[i]]
        mixed = np.uint64(keys[i]) * np.uint64(0x9E3779B97F4A7C15)
        spot = (mixed ^ (mixed >> np.uint64(32))) & last
        while slots[spot] >= 0 and keys[slots[spot]] != keys[i]:
            spot = (spot + np.uint64(1)) & last
        if slots[spot] >= 0:
            twice[slots[spot]] = True
            twice[i] = True
        else:
            slots[spot] = i
    n = 0
    for i in range(len(keys)):
        who[n] = who[i]
        n += not twice[i]
    return n


@compiled
def _add(table: Any, columns: Any, starts: Any, who: Any, weight: Any, told: Any) -> None:
    """Count one minimal unique for each record found, and remember that it is alone."""
    scores, counts, fewest, by_value, parts, alone = told
    for row in who:
        scores[row] += weight
        counts[row] += 1
        fewest[row] = min(fewest[row], len(columns))
        alone[row >> 6] |= np.uint64(1) << np.uint64(row & 63)
        for j in columns:
            by_value[starts[j] + table[j, row]] += weight
            if len(parts) > 0:
                parts[row, j] += weight
