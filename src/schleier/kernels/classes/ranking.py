"""Different whole numbers in order, and the place of each among them: compiled, for many numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled

DIGIT = 11
"""Bits that are sorted by at a turn: their counters fit into the nearest cache."""


@compiled
def ranked(numbers: Any, size: Any) -> Any:
    """Different numbers of 0 to ``size`` - 1 in order, and the place of each: sorted digit by digit, the last first."""
    count = len(numbers)
    now, then = numbers.copy(), np.empty(count, np.int64)
    whose, next_whose = np.arange(count), np.empty(count, np.int64)
    shift = 0
    while shift < 63 and size >> shift > 0:  # whole numbers have no 64th bit
        ends = np.zeros((1 << DIGIT) + 1, np.int64)
        for i in range(count):
            ends[((now[i] >> shift) & ((1 << DIGIT) - 1)) + 1] += 1
        for digit in range(1 << DIGIT):
            ends[digit + 1] += ends[digit]
        for i in range(count):
            digit = (now[i] >> shift) & ((1 << DIGIT) - 1)
            then[ends[digit]] = now[i]
            next_whose[ends[digit]] = whose[i]
            ends[digit] += 1
        now, then = then, now
        whose, next_whose = next_whose, whose
        shift += DIGIT
    place = np.empty(count, np.int64)
    found = -1
    for i in range(count):
        if i == 0 or now[i] != then[found]:
            found += 1
            then[found] = now[i]
        place[whose[i]] = found
    return then[: found + 1].copy(), place


@compiled
def marked(numbers: Any, size: Any) -> Any:
    """The same for numbers that are not much fewer than ``size``: all of them are marked, none sorted."""
    places = np.zeros(size, np.int32)
    for number in numbers:
        places[number] = 1
    many = 0
    for number in range(size):
        if places[number]:
            places[number] = many
            many += 1
    found = np.empty(many, np.int64)
    place = np.empty(len(numbers), np.int64)
    for i, number in enumerate(numbers):
        place[i] = places[number]
        found[places[number]] = number
    return found, place


@compiled
def placed(mixed: Any, spare: Any) -> Any:
    """The same of numbers that were sorted, each with its place in its ``spare`` lowest bits."""
    found = np.empty(len(mixed), np.int64)
    place = np.empty(len(mixed), np.int64)
    many = -1
    for each in mixed:
        number = each >> spare
        if many < 0 or number != found[many]:
            many += 1
            found[many] = number
        place[each & ((1 << spare) - 1)] = many
    return found[: many + 1].copy(), place
