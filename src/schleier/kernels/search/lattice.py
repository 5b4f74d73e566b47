"""Walks the lattice of generalisations: a node's class table is rolled up from its parent's, most nodes are cut off.

A class is one 64-bit code with some bits for each key. The walk fixes the level of one key after the other. A node is
cut off when what is fixed already costs as much as the best node, or suppresses too many records: a record whose class
is too small on some of the keys is in a class that is too small on all of them. What is fixed is judged on a table of
these keys alone, which is small; the table of all keys is made only for nodes whose keys are all fixed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled
from schleier.kernels.search.rolled import compose_codes, merged, pack_classes, projected, recode_key

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Lattice(NamedTuple):
    """Keys in the order of the walk, packed for the kernel; ``[j, level, code]`` where three axes are meant."""

    codes: Ints
    """One number per class: the codes of all keys side by side, 0 for missing."""
    sizes: Ints
    """Records of each class."""
    shifts: Ints
    """First bit of each key."""
    masks: Ints
    """Bits of each key, unshifted."""
    tops: Ints
    """Highest level of each key."""
    maps: Ints
    """Code at a level from the code at the level below."""
    costs: Floats
    """Cost of one record with this code at a level."""
    base: Floats
    """Cost of all records at a level when none is suppressed; ``[j, level]``."""
    worst: float
    """Cost of a suppressed record."""
    value_shift: int = 0
    """First bit of the sensitive value, where classes are split by one."""
    reference: Floats = np.ones(1)
    """Share of each sensitive value in the whole table, no value being the last; of length 1 when there is none."""


class Limits(NamedTuple):
    """What every class must meet."""

    least: int = 1
    """Records of a class."""
    different: int = 1
    """Different sensitive values of a class."""
    far: float = np.inf
    """Distance of its sensitive values from the reference: half the sum of absolute differences."""
    gaps: bool = True
    """Whether the last value, which stands for none, is one of them; else its records are records only."""


class Walk(NamedTuple):
    """What a walk found."""

    best: float
    """Cost of the best node; infinite when there is none."""
    levels: Ints
    """Its levels."""
    nodes: Ints
    """Levels of the nodes that were looked at, one row each."""
    bounds: Floats
    """Their costs, with the records in classes that fail suppressed."""
    suppressed: Ints
    """Their records in classes that fail."""
    finished: bool
    """Whether everything was seen or cut off: then the best node is the best there is."""


def walk(
    lattice: Lattice, limits: Limits, budget: int, limit: float, *, shrink: float | None, most: int = 1 << 62
) -> Walk:
    """Look at the nodes that cost less than ``limit``, with at most ``budget`` records in classes that fail.

    With ``shrink`` the limit falls to so many times the cost of every better node found: with 1 the last one is the
    best, with more all that are nearly as good are told too. Without it all nodes below the limit are told. Stops
    unfinished after ``most`` class rows were moved.
    """
    found = _walk(*lattice, *limits, budget, limit, shrink or np.inf, most)
    best, levels, nodes, bounds, suppressed, finished = found
    return Walk(best, levels, nodes, bounds, suppressed, finished)


@compiled
def _apart(counts: Any, records: Any, reference: Any) -> Any:
    """How much of the reference is missing when ``records`` records are chosen from ``counts`` as well as can be."""
    missing = 0.0
    for value in range(len(reference)):
        missing += max(reference[value] - counts[value] / records, 0.0)
    return missing


@compiled
def _lost(counts: Any, least: Any, different: Any, far: Any, gaps: Any, reference: Any, whole: Any) -> Any:
    """Records of a class that must go: all when the class fails; if it may still be split, those that must in any case.

    Good parts make a good whole, so what stays of a class is as near to the reference as a class must be. The distance
    of the best choice of n records rises with n: the largest n that is near enough is found by halving.
    """
    known, kinds = 0, 0
    for value in range(len(reference) if gaps else len(reference) - 1):
        known += counts[value]
        kinds += counts[value] > 0
    records = known if gaps else known + counts[len(reference) - 1]
    if records < least or kinds < different:
        return records
    if far == np.inf or known == 0 or _apart(counts, known, reference) <= far:
        return 0
    if whole:
        return records
    low, high = 0, known
    while high - low > 1:
        middle = (low + high) // 2
        if _apart(counts, middle, reference) <= far:
            low = middle
        else:
            high = middle
    return known - low if records - known + low >= least else records


@compiled
def _failing(codes: Any, spread: Any, count: Any, keys: Any, level: Any, shifts: Any, masks: Any, costs: Any,
             worst: Any, least: Any, different: Any, far: Any, gaps: Any, reference: Any,
             whole: Any) -> Any:  # fmt: skip
    """Records that must go, and what suppressing them adds to the cost of the first keys."""
    records, more = 0, 0.0
    for i in range(count):
        lost = _lost(spread[i], least, different, far, gaps, reference, whole)
        if lost:
            cost = 0.0
            for j in range(keys):
                cost += costs[j, level[j], (codes[i] >> shifts[j]) & masks[j]]
            records += lost
            more += lost * (worst - cost)
    return records, more


@compiled
def _small(codes: Any, sizes: Any, count: Any, keys: Any, level: Any, shifts: Any, masks: Any, costs: Any, worst: Any,
           least: Any) -> Any:  # fmt: skip
    """Records in classes that are too small, and what suppressing them adds to the cost of the first keys."""
    records, more = 0, 0.0
    for i in range(count):
        if sizes[i] < least:
            cost = 0.0
            for j in range(keys):
                cost += costs[j, level[j], (codes[i] >> shifts[j]) & masks[j]]
            records += sizes[i]
            more += sizes[i] * (worst - cost)
    return records, more


@compiled
def _walk(  # noqa: PLR0915  # one loop: its state in records would cost more than it explains
    codes: Any, sizes: Any, shifts: Any, masks: Any, tops: Any, maps: Any, costs: Any, base: Any, worst: Any,
    value_shift: Any, reference: Any, least: Any, different: Any, far: Any, gaps: Any,
    budget: Any, limit: Any, shrink: Any, most: Any,
) -> Any:  # fmt: skip
    n, m = len(codes), len(tops)
    # table[q]: all keys, the first q at their levels; made[q] is the level of the last of them, -1 if it is not there.
    table, amounts = np.empty((m + 1, n), np.int64), np.empty((m + 1, n), np.int64)
    table[0], amounts[0] = codes, sizes
    counts, made = np.zeros(m + 1, np.int64), np.full(m + 1, -1, np.int64)
    counts[0] = n
    room = 16
    while room < 2 * n:
        room *= 2
    slots, stamps, stamp = np.empty(room, np.int64), np.zeros(room, np.int64), 0
    values = len(reference)
    part, spread = np.empty(n, np.int64), np.empty((n if values > 1 else 1, values), np.int64)
    level, fixed, kept = np.full(m, -1, np.int64), np.zeros(m + 1), np.zeros(m, np.int64)
    bits, above = 0, (-1 << value_shift if values > 1 else 0)
    for j in range(m):
        bits |= masks[j] << shifts[j]
        kept[j] = bits
    heads, head_amounts, head_counts, stamp = projected(codes, sizes, kept, above, slots, stamps, stamp)
    # head[p]: the first p + 1 keys alone, at their levels.
    head, head_sizes, size = np.empty((m, n), np.int64), np.empty((m, n), np.int64), np.zeros(m, np.int64)
    lookup = np.empty(maps.shape[2], np.int64)
    rest = np.zeros(m + 1)  # the least that the keys not fixed yet can cost
    for j in range(m - 1, -1, -1):
        rest[j] = rest[j + 1] + base[j, 0]
    best, bar, levels = limit, limit, np.full(m, -1, np.int64)
    nodes, bounds, gone = np.empty((64, m), np.int64), np.empty(64), np.empty(64, np.int64)
    seen, moved, finished = 0, 0, True
    p = 0
    while p >= 0:
        level[p] += 1
        if level[p] > tops[p] or fixed[p] + base[p, level[p]] + rest[p + 1] >= bar:
            level[p] = -1  # coarser levels cost more still
            p -= 1
            continue
        if moved > most:
            finished = False
            break
        made[p + 2 :] = -1
        fixed[p + 1] = fixed[p] + base[p, level[p]]
        if p < m - 1:
            if level[p] == 0:
                count, merge = head_counts[p], False
                head[p, :count], head_sizes[p, :count] = heads[p, :count], head_amounts[p, :count]
                for j in range(p):
                    if level[j] > 0:
                        compose_codes(maps, j, 0, level[j], lookup)
                        recode_key(head[p], count, shifts[j], masks[j], lookup, head[p])
                        merge = True
            else:
                count, merge = size[p], True
                recode_key(head[p], count, shifts[p], masks[p], maps[p, level[p]], head[p])
            moved += count
            if merge:
                stamp += 1
                count = merged(head[p], head_sizes[p], count, head[p], head_sizes[p], slots, stamps, stamp)
            size[p] = count
            now, own = head[p], head_sizes[p]
        else:
            for q in range(1, m + 1):
                if made[q] == level[q - 1]:
                    continue
                start = made[q] if 0 <= made[q] < level[q - 1] else 0
                source = q if made[q] == start else q - 1
                count = counts[source]
                if level[q - 1] == 0:
                    table[q, :count], amounts[q, :count] = table[source, :count], amounts[source, :count]
                else:
                    compose_codes(maps, q - 1, start, level[q - 1], lookup)
                    recode_key(table[source], count, shifts[q - 1], masks[q - 1], lookup, table[q])
                    stamp += 1
                    moved += count
                    count = merged(table[q], amounts[source], count, table[q], amounts[q], slots, stamps, stamp)
                counts[q], made[q] = count, level[q - 1]
            count = counts[m]
            now, own = table[m], amounts[m]
        if values > 1:
            stamp += 1
            moved += count
            few = pack_classes(now, own, count, kept[p], value_shift, part, spread, slots, stamps, stamp)
            records, more = _failing(
                part, spread, few, p + 1, level, shifts, masks, costs, worst,
                least, different, far, gaps, reference, p == m - 1,
            )  # fmt: skip
        else:
            records, more = _small(now, own, count, p + 1, level, shifts, masks, costs, worst, least)
        if p < m - 1:
            if records <= budget and fixed[p + 1] + more < bar:  # the rest of what is suppressed is in ``more``
                p += 1
            continue
        cost = fixed[m] + more
        if seen == len(bounds):
            nodes = np.concatenate((nodes, np.empty_like(nodes)))
            bounds = np.concatenate((bounds, np.empty_like(bounds)))
            gone = np.concatenate((gone, np.empty_like(gone)))
        nodes[seen], bounds[seen], gone[seen] = level, cost, records
        seen += 1
        if records <= budget and cost < best and shrink < np.inf:
            best, bar = cost, min(limit, cost * shrink)
            levels[:] = level
    return best, levels, nodes[:seen], bounds[:seen], gone[:seen], finished
