"""Rows that a further column singles out, and the others with their new numbers: compiled, for many rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled


@compiled
def counted(rows: Any, words: Any, column: Any, width: Any, several: Any, counts: Any) -> Any:
    """How many numbers occur once, counting all possible ones up to two; a class of several records counts as two."""
    counts[:] = 0
    for i in range(len(rows)):
        number = words[i] * width + column[rows[i]] + 1
        counts[number] = 2 if counts[number] or several[rows[i]] else 1
    found = 0
    for count in counts:
        found += count == 1
    return found


@compiled
def named(rows: Any, words: Any, column: Any, width: Any, counts: Any, fewest: Any, size: Any) -> None:
    """The classes that were counted once are alone in ``size`` columns, where not in fewer."""
    for i in range(len(rows)):
        row = rows[i]
        if fewest[row] > size and counts[words[i] * width + column[row] + 1] == 1:
            fewest[row] = size


@compiled
def left(rows: Any, words: Any, column: Any, width: Any, counts: Any, many: Any) -> Any:
    """So many rows that were not counted once, and their numbers."""
    rest, numbers = np.empty(many, np.int32), np.empty(many, np.int64)
    at = 0
    for i in range(len(rows)):
        number = words[i] * width + column[rows[i]] + 1
        if counts[number] != 1:
            rest[at], numbers[at] = rows[i], number
            at += 1
    return rest, numbers


@compiled
def mixed(rows: Any, words: Any, column: Any, width: Any, spare: Any) -> Any:
    """The numbers to be sorted, each with the place of its row in its ``spare`` lowest bits."""
    found = np.empty(len(rows), np.int64)
    for i in range(len(rows)):
        found[i] = ((words[i] * width + column[rows[i]] + 1) << spare) | i
    return found


@compiled
def ordered(rows: Any, mixed: Any, spare: Any, several: Any, fewest: Any, size: Any) -> Any:
    """The same of numbers that were sorted: how many occur once, the other rows, and their numbers."""
    place = (1 << spare) - 1
    rest, numbers = np.empty(len(rows), np.int32), np.empty(len(rows), np.int64)
    many = 0
    before = -1
    for i in range(len(mixed)):
        number, row = mixed[i] >> spare, rows[mixed[i] & place]
        first = number != before
        last = i + 1 == len(mixed) or mixed[i + 1] >> spare != number
        if first and last and not several[row]:
            fewest[row] = min(fewest[row], size)
        else:
            rest[many], numbers[many] = row, number
            many += 1
        before = number
    return len(rows) - many, rest[:many].copy(), numbers[:many].copy()
