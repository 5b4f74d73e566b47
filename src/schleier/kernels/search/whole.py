"""Walks the lattice by a loss of whole classes: of their sizes, or of what all labels of a class stand for together.

The walk fixes the level of one key after the other, as the one by cells does. What all coarser nodes cost at least is
told by the table of all keys, those not fixed yet as fine as they are, with nothing suppressed; a table of the fixed
keys alone tells which records must go whatever becomes of the others, and what that adds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled
from schleier.kernels.search.limits import lose_again, lose_failing, lost_records, set_reference
from schleier.kernels.search.rolled import (
    merged,
    pack_classes,
    projected,
    roll_head,
    roll_up,
)
from schleier.kernels.search.shapes import DIVERGENCE, PRODUCT, cost_at_least, dropped_cost, logarithms, whole_cost


@compiled
def _classes(codes: Any, amounts: Any, count: Any, bits: Any, lattice: Any, part: Any, members: Any, spread: Any,
             slots: Any, stamps: Any, stamp: Any) -> Any:  # fmt: skip
    """The classes of some rows, their sizes, and their records by sensitive value where rows are split by one."""
    if len(lattice.totals) > 1:
        count = pack_classes(codes, amounts, count, bits, lattice.value_shift, part, spread, slots, stamps, stamp)
        for i in range(count):
            members[i] = spread[i].sum()
        return count
    part[:count], members[:count] = codes[:count], amounts[:count]
    return count


@compiled
def _sure(members: Any, spread: Any, count: Any, lattice: Any, limits: Any, bars: Any, lost: Any) -> Any:
    """Records of each class that must go when it may still be split; their number."""
    shares, low, high, sums = bars
    records = 0
    for i in range(count):
        if len(lattice.totals) > 1:
            lost[i] = lost_records(spread[i], lattice.tree, limits, shares, low, high, sums, False)
        else:
            lost[i] = members[i] if members[i] < limits.least else 0
        records += lost[i]
    return records


@compiled
def _dropped(codes: Any, members: Any, spread: Any, count: Any, level: Any, lattice: Any, limits: Any, bars: Any,
             budget: Any, gone: Any) -> Any:  # fmt: skip
    """Which classes of a node must go, and how many records that are."""
    shares, low, high, sums = bars
    shifts, masks, extras, tree, none = lattice.shifts, lattice.masks, lattice.extras, lattice.tree, level[:0]
    if len(lattice.totals) == 1:
        records = 0
        for i in range(count):
            gone[i] = members[i] < limits.least
            records += members[i] if gone[i] else 0
        return records
    unused = shares[0]
    records = lose_failing(
        codes, spread, count, 0, none, shifts, masks, extras, tree, limits, shares, low, high, sums, gone, True, unused
    )
    if limits.again and 0 < records <= budget:
        records = lose_again(
            codes, spread, count, none, shifts, masks, extras, tree, limits, shares, low, high, sums, gone, budget,
            records, unused,
        )  # fmt: skip
        set_reference(lattice.totals, tree, limits, shares, low, high)
    return records


@compiled
def walk_whole(lattice: Any, shape: Any, limits: Any, budget: Any, limit: Any, shrink: Any, most: Any) -> Any:  # noqa: PLR0915  # one loop, as the one by cells
    """What ``walk`` tells, by a loss of whole classes."""
    codes, sizes, shifts, masks, tops, maps = (
        lattice.codes, lattice.sizes, lattice.shifts, lattice.masks, lattice.tops, lattice.maps,
    )  # fmt: skip
    n, m, values, total = len(codes), len(tops), len(lattice.totals), sizes.sum()
    logs = logarithms(total)
    table, amounts = np.empty((m + 1, n), np.int64), np.empty((m + 1, n), np.int64)
    table[0], amounts[0] = codes, sizes
    counts, made = np.zeros(m + 1, np.int64), np.full(m + 1, -1, np.int64)
    counts[0] = n
    room = 16
    while room < 2 * n:
        room *= 2
    slots, stamps, stamp = np.empty(room, np.int64), np.zeros(room, np.int64), 0
    part, members, lost, gone = (
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.bool_),
    )
    fine, alike = np.empty(n, np.int64), np.empty(n, np.int64)
    spread = np.empty((n if values > 1 else 1, values), np.int64)
    wide = max(values, int(lattice.tree.max()) + 1 if len(lattice.tree) else 0)
    bars = np.zeros((len(lattice.tree) + 1, wide)), np.zeros(values), np.zeros(values), np.zeros(wide)
    set_reference(lattice.totals, lattice.tree, limits, bars[0], bars[1], bars[2])
    level, kept, bits = np.full(m, -1, np.int64), np.zeros(m, np.int64), 0
    for j in range(m):
        bits |= masks[j] << shifts[j]
        kept[j] = bits
    above = -1 << lattice.value_shift if values > 1 else 0
    heads, head_amounts, head_counts, stamp = projected(codes, sizes, kept, above, slots, stamps, stamp)
    head, head_sizes, size = np.empty((m, n), np.int64), np.empty((m, n), np.int64), np.zeros(m, np.int64)
    lookup = np.empty(maps.shape[2], np.int64)
    best, bar, levels = limit, limit, np.full(m, -1, np.int64)
    nodes, bounds, suppressed = np.empty((64, m), np.int64), np.empty(64), np.empty(64, np.int64)
    seen, moved, finished = 0, 0, True
    # floors[q], full[q]: what a node costs at least, and its classes, when the first q keys are fixed.
    floors, full = np.zeros(m + 1), np.zeros(m + 1, np.int64)
    p = 0
    while p >= 0:
        level[p] += 1
        if level[p] > tops[p] or floors[p + 1] >= bar:
            level[p] = -1  # coarser levels cost more still
            p -= 1
            continue
        if moved > most:
            finished = False
            break
        if p < m - 1:
            size[p], stamp = roll_head(
                p, level, maps, shifts, masks, heads, head_amounts, head_counts, head, head_sizes, size, lookup,
                slots, stamps, stamp,
            )  # fmt: skip
            moved += size[p]
            stamp += 1
            count = _classes(
                head[p], head_sizes[p], size[p], kept[p], lattice, part, members, spread, slots, stamps, stamp
            )
            if _sure(members, spread, count, lattice, limits, bars, lost) > budget:
                continue
            if shape.kind == PRODUCT:
                floors[p + 1] = whole_cost(shape, part, members, count, p + 1, level, shifts, masks, total, logs)
            elif level[p] == 0 and p > 0:
                floors[p + 1], full[p + 1] = floors[p], full[p]
            else:
                stamp, rows = roll_up(
                    p + 1, level, maps, shifts, masks, table, amounts, counts, made, lookup, slots, stamps, stamp
                )
                moved += rows
                now, own, few = table[p + 1], amounts[p + 1], counts[p + 1]
                if values > 1:
                    for i in range(few):
                        fine[i] = now[i] & bits
                    stamp += 1
                    few = merged(fine, own, few, fine, alike, slots, stamps, stamp)
                    now, own = fine, alike
                full[p + 1] = few
                floors[p + 1] = whole_cost(shape, now, own, few, p + 1, level, shifts, masks, total, logs)
            cost = cost_at_least(
                shape, floors[p + 1], part, members, lost, count, full[p + 1], p + 1, level, shifts, masks, total
            )
            if cost < bar and floors[p + 1] < bar:
                p += 1
                floors[p + 1] = floors[p]
            continue
        stamp, rows = roll_up(m, level, maps, shifts, masks, table, amounts, counts, made, lookup, slots, stamps, stamp)
        moved += rows + counts[m]
        stamp += 1
        count = _classes(table[m], amounts[m], counts[m], bits, lattice, part, members, spread, slots, stamps, stamp)
        floors[m] = whole_cost(shape, part, members, count, m, level, shifts, masks, total, logs)
        if floors[m] >= bar:
            continue
        records = _dropped(part, members, spread, count, level, lattice, limits, bars, budget, gone)
        cost = floors[m]
        if records and (shape.exact or shape.kind != DIVERGENCE):
            cost = dropped_cost(shape, part, members, gone, count, level, shifts, masks, total, records, logs)
        if seen == len(bounds):
            nodes = np.concatenate((nodes, np.empty_like(nodes)))
            bounds = np.concatenate((bounds, np.empty_like(bounds)))
            suppressed = np.concatenate((suppressed, np.empty_like(suppressed)))
        nodes[seen], bounds[seen], suppressed[seen] = level, cost, records
        seen += 1
        if records <= budget and cost < best and shrink < np.inf:
            best, bar = cost, min(limit, cost * shrink)
            levels[:] = level
    return best, levels, nodes[:seen], bounds[:seen], suppressed[:seen], finished
