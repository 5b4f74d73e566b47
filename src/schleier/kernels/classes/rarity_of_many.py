"""Rows with the same number, their sizes and units: compiled, for many rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.classes.packed import STEP, mix_bits
from schleier.kernels.compiled import compiled


@compiled
def _room(count: Any) -> Any:
    """Slots of a table of so many rows: a power of two, at most half of them taken."""
    room = 16
    while room < 2 * count:
        room *= 2
    return room


@compiled
def numbered(rows: Any) -> Any:
    """Numbers from zero for different rows, in order of appearance, and how many there are."""
    room = _room(len(rows))
    last = np.uint64(room - 1)
    slots = np.full(room, -1, np.int32)
    place = np.empty(len(rows), np.int32)
    keys = np.empty(len(rows), np.uint64)
    found = 0
    for i in range(len(rows)):
        at = mix_bits(rows[i]) & last
        while slots[at] >= 0 and keys[slots[at]] != rows[i]:
            at = (at + np.uint64(1)) & last
        if slots[at] < 0:
            slots[at] = found
            keys[found] = rows[i]
            found += 1
        place[i] = slots[at]
    return place, found


@compiled
def added(place: Any, amounts: Any, size: Any) -> Any:
    """The sum of the amounts at each place."""
    sums = np.zeros(size, np.int64)
    for i in range(len(place)):
        sums[place[i]] += amounts[i]
    return sums


@compiled
def different(place: Any, held: Any, units: Any, sizes: Any, enough: Any) -> Any:
    """How many different units are at each place; not further where there are enough, nor where records are too few."""
    room = _room(len(held))
    last = np.uint64(room - 1)
    slots = np.full(room, -1, np.int32)
    counts = np.zeros(len(sizes), np.int32)
    for i in range(len(held)):
        here = place[held[i]]
        if counts[here] >= enough or sizes[here] < enough:
            continue
        at = mix_bits(np.uint64(here) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(units[i])) & last
        while slots[at] >= 0 and (place[held[slots[at]]] != here or units[slots[at]] != units[i]):
            at = (at + np.uint64(1)) & last
        if slots[at] < 0:
            slots[at] = i
            counts[here] += 1
    return counts


@compiled
def drawn(rows: Any, halvings: Any) -> Any:
    """The places of every second class, every fourth and so on: all its rows or none, as the number of it decides."""
    above = np.uint64(64 - halvings)
    places = np.empty(len(rows), np.int64)
    found = 0
    for i in range(len(rows)):
        if mix_bits(rows[i]) >> above == np.uint64(0):
            places[found] = i
            found += 1
    return places[:found].copy()


@compiled
def held_by(places: Any, starts: Any, units: Any) -> Any:
    """The units of some rows, which are counted anew."""
    many = 0
    for row in places:
        many += starts[row + 1] - starts[row]
    held = np.empty(many, np.int64)
    theirs = np.empty(many, np.int64)
    at = 0
    for new, row in enumerate(places):
        for i in range(starts[row], starts[row + 1]):
            held[at] = new
            theirs[at] = units[i]
            at += 1
    return held, theirs


@compiled
def in_order(held: Any, units: Any, classes: Any) -> Any:
    """Units in order of the classes that hold them."""
    ends = np.zeros(classes + 1, np.int64)
    for row in held:
        ends[row + 1] += 1
    for row in range(classes):
        ends[row + 1] += ends[row]
    whose = np.empty(len(held), np.int64)
    theirs = np.empty(len(held), np.int64)
    for i, row in enumerate(held):
        whose[ends[row]] = row
        theirs[ends[row]] = units[i]
        ends[row] += 1
    return whose, theirs


@compiled
def moved_part(rows: Any, columns: Any, changed: Any, moves: Any, ends: Any, halvings: Any) -> Any:
    """The numbers of such classes after a change, which adds the move of its code in each changed column.

    The lowest bit of a number tells of the size of its class, and decides nothing. The code -1 has the last move.
    """
    above = np.uint64(64 - halvings)
    found = np.empty(len(rows), np.uint64)
    many = 0
    for i in range(len(rows)):
        number = rows[i]
        for place in range(len(changed)):
            code = columns[changed[place], i]
            number += moves[ends[place + 1] - 1 if code < 0 else ends[place] + code]
        if ((number >> np.uint64(1)) * np.uint64(STEP)) >> above == np.uint64(0):
            found[many] = number
            many += 1
    return found[:many].copy()


@compiled
def summed(ordered: Any, bits: Any) -> Any:
    """The sums of what stands in the lowest bits of sorted numbers, over those that are alike above them."""
    shift = np.uint64(bits)
    low = (np.uint64(1) << shift) - np.uint64(1)
    sums = np.zeros(len(ordered), np.int64)
    found = -1
    for i in range(len(ordered)):
        if i == 0 or ordered[i] >> shift != ordered[i - 1] >> shift:
            found += 1
        sums[found] += np.int64(ordered[i] & low)
    return sums[: found + 1]
