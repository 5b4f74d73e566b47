"""Class tables as packed 64-bit codes: rolled up, projected onto some keys, split by a sensitive value."""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.classes.packed import mix_bits
from schleier.kernels.compiled import compiled


@compiled
def merged(codes: Any, sizes: Any, count: Any, into: Any, amounts: Any, slots: Any, stamps: Any, stamp: Any) -> Any:
    """Add up the sizes of equal codes, into arrays that may be the same: what is written lies before what is read."""
    room = 16
    while room < 2 * count:
        room *= 2
    last = np.uint64(room - 1)
    found = 0
    for i in range(count):
        code, size = codes[i], sizes[i]
        place = mix_bits(np.uint64(code)) & last
        while True:
            if stamps[place] != stamp:
                stamps[place] = stamp
                slots[place] = found
                into[found] = code
                amounts[found] = size
                found += 1
                break
            other = slots[place]
            if into[other] == code:
                amounts[other] += size
                break
            place = (place + np.uint64(1)) & last
    return found


@compiled
def pack_classes(codes: Any, amounts: Any, count: Any, bits: Any, shift: Any, into: Any, spread: Any, slots: Any,
            stamps: Any, stamp: Any) -> Any:  # fmt: skip
    """Classes by the bits of their keys, and how many records of each have which sensitive value."""
    room = 16
    while room < 2 * count:
        room *= 2
    last = np.uint64(room - 1)
    found = 0
    for i in range(count):
        code = codes[i] & bits
        place = mix_bits(np.uint64(code)) & last
        while True:
            if stamps[place] != stamp:
                stamps[place] = stamp
                slots[place] = found
                into[found] = code
                spread[found, :] = 0
                found += 1
                break
            if into[slots[place]] == code:
                break
            place = (place + np.uint64(1)) & last
        spread[slots[place], codes[i] >> shift] += amounts[i]
    return found


@compiled
def compose_codes(maps: Any, j: Any, low: Any, high: Any, into: Any) -> None:
    """The code of a key at a level from the code at a lower one."""
    for code in range(len(into)):
        into[code] = code
    for level in range(low + 1, high + 1):
        for code in range(len(into)):
            into[code] = maps[j, level, into[code]]


@compiled
def recode_key(codes: Any, count: Any, shift: Any, mask: Any, lookup: Any, into: Any) -> None:
    """Put other codes of one key into a table."""
    clear = ~(mask << shift)
    for i in range(count):
        into[i] = (codes[i] & clear) | (lookup[(codes[i] >> shift) & mask] << shift)


@compiled
def projected(codes: Any, sizes: Any, kept: Any, above: Any, slots: Any, stamps: Any, stamp: Any) -> Any:
    """The classes on the first key, the first two, ... up to all but the last, each from the next longer one."""
    n, m = len(codes), len(kept)
    heads, amounts, counts = np.empty((m, n), np.int64), np.empty((m, n), np.int64), np.zeros(m, np.int64)
    heads[m - 1], amounts[m - 1], counts[m - 1] = codes, sizes, n
    for p in range(m - 2, -1, -1):
        for i in range(counts[p + 1]):
            heads[p, i] = heads[p + 1, i] & (kept[p] | above)
        stamp += 1
        counts[p] = merged(
            heads[p], amounts[p + 1], counts[p + 1], heads[p], amounts[p], slots, stamps, stamp
        )  # fmt: skip
    return heads, amounts, counts, stamp


@compiled
def roll_head(p: Any, level: Any, maps: Any, shifts: Any, masks: Any, heads: Any, amounts: Any, counts: Any, head: Any,
              sizes: Any, size: Any, lookup: Any, slots: Any, stamps: Any, stamp: Any) -> Any:  # fmt: skip
    """The first p + 1 keys alone, at their levels: the last of them one level up, or from the ``heads`` at level 0."""
    if level[p] == 0:
        count, merge = counts[p], False
        head[p, :count], sizes[p, :count] = heads[p, :count], amounts[p, :count]
        for j in range(p):
            if level[j] > 0:
                compose_codes(maps, j, 0, level[j], lookup)
                recode_key(head[p], count, shifts[j], masks[j], lookup, head[p])
                merge = True
    else:
        count, merge = size[p], True
        recode_key(head[p], count, shifts[p], masks[p], maps[p, level[p]], head[p])
    if merge:
        stamp += 1
        count = merged(head[p], sizes[p], count, head[p], sizes[p], slots, stamps, stamp)
    return count, stamp


@compiled
def roll_up(last: Any, level: Any, maps: Any, shifts: Any, masks: Any, table: Any, amounts: Any, counts: Any, made: Any,
            lookup: Any, slots: Any, stamps: Any, stamp: Any) -> Any:  # fmt: skip
    """Make ``table[last]``, all keys with the first of them at their levels, from the last one that is there.

    ``made[q]`` is the level of the last of the first q keys in ``table[q]``, -1 if that is not there.
    """
    moved, changed = 0, False
    for q in range(1, last + 1):
        want = level[q - 1]
        if not changed and made[q] == want:
            continue
        start = made[q] if not changed and 0 <= made[q] < want else 0
        source = q if not changed and 0 <= made[q] < want else q - 1
        changed = True
        count = counts[source]
        if want == 0:
            table[q, :count], amounts[q, :count] = table[source, :count], amounts[source, :count]
        else:
            compose_codes(maps, q - 1, start, want, lookup)
            recode_key(table[source], count, shifts[q - 1], masks[q - 1], lookup, table[q])
            stamp += 1
            moved += count
            count = merged(table[q], amounts[source], count, table[q], amounts[q], slots, stamps, stamp)
        counts[q], made[q] = count, want
    if changed:
        made[last + 1 :] = -1
    return stamp, moved
