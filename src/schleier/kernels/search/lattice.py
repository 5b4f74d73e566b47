"""Walks the lattice of generalisations: a node's class table is rolled up from its parent's, most nodes are cut off.

A class is one 64-bit code with some bits for each key. The walk fixes the level of one key after the other. A node is
cut off when what is fixed already costs as much as the best node, or suppresses too many records: a record whose class
is too small on some of the keys is in a class that is too small on all of them. What is fixed is judged on a table of
these keys alone, which is small; the table of all keys is made only for nodes whose keys are all fixed.

Every key has a loss of its own, which rises with its level and with what is suppressed. The cost of a node is their sum
with weights, that of their logarithms, or the largest: it never falls when one of them rises.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled
from schleier.kernels.search.limits import Limits, lose_again, lose_failing, lose_small, set_reference
from schleier.kernels.search.rolled import pack_classes, projected, roll_head, roll_up
from schleier.kernels.search.shapes import Shape
from schleier.kernels.search.whole import walk_whole

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
SUM, LOGARITHMS, LARGEST = 0, 1, 2
"""How the losses of the keys become one cost: their sum, that of ln (1 + loss), or the largest; all with weights."""


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
    base: Floats
    """Loss of a key at a level when no record is suppressed; ``[j, level]``."""
    extras: Floats
    """What is added to it by one suppressed record with this code."""
    least: Floats
    """The least that is added to the loss of a key by any suppressed record when its level is not known."""
    weights: Floats
    """Of each key in the cost."""
    join: int = SUM
    """How losses become one cost."""
    value_shift: int = 0
    """First bit of the sensitive value, where classes are split by one."""
    totals: Ints = np.ones(1, np.int64)
    """Records of each sensitive value in the whole table, no value being the last; of length 1 when there is none."""
    tree: Ints = np.zeros((0, 1), np.int64)
    """The label of each sensitive value at every level of its hierarchy below the root; ``[level, value]``."""


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
    lattice: Lattice,
    limits: Limits,
    budget: int,
    limit: float,
    *,
    shrink: float | None,
    most: int = 1 << 62,
    shape: Shape | None = None,
) -> Walk:
    """Look at the nodes that cost less than ``limit``, with at most ``budget`` records in classes that fail.

    With ``shrink`` the limit falls to so many times the cost of every better node found: with 1 the last one is the
    best, with more all that are nearly as good are told too. Without it all nodes below the limit are told. Stops
    unfinished after ``most`` class rows were moved. ``shape`` is a loss that does not follow from the losses of keys.
    """
    if shape is None:
        found = _walk(lattice, limits, budget, limit, shrink or np.inf, most)
    else:
        found = walk_whole(lattice, shape, limits, budget, limit, shrink or np.inf, most)
    best, levels, nodes, bounds, suppressed, finished = found
    return Walk(best, levels, nodes, bounds, suppressed, finished)


@compiled
def _joined(cost: Any, loss: Any, weight: Any, join: Any) -> Any:
    """A cost with the loss of one more key."""
    if join == LARGEST:
        return max(cost, weight * loss)
    return cost + weight * (np.log1p(loss) if join == LOGARITHMS else loss)


@compiled
def _told(cost: Any, join: Any) -> Any:
    """A cost on the scale of a loss."""
    return np.expm1(cost) if join == LOGARITHMS else cost


@compiled
def _walk(lattice: Any, limits: Any, budget: Any, limit: Any, shrink: Any, most: Any) -> Any:  # noqa: PLR0915  # one loop: its state in records would cost more than it explains
    codes, sizes, shifts, masks, tops, maps, base, extras, least, weights, join, value_shift, first, tree = lattice
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
    values = len(first)
    part, spread = np.empty(n, np.int64), np.empty((n if values > 1 else 1, values), np.int64)
    gone, wide = np.zeros(n, np.bool_), max(values, int(tree.max()) + 1 if len(tree) else 0)
    shares, low, high, sums = np.zeros((len(tree) + 1, wide)), np.zeros(values), np.zeros(values), np.zeros(wide)
    set_reference(first, tree, limits, shares, low, high)
    level, fixed, kept, lost = np.full(m, -1, np.int64), np.zeros(m + 1), np.zeros(m, np.int64), np.zeros(m)
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
        rest[j] = _joined(rest[j + 1], base[j, 0], weights[j], join)
    best, bar, levels = limit, limit, np.full(m, -1, np.int64)
    nodes, bounds, suppressed = np.empty((64, m), np.int64), np.empty(64), np.empty(64, np.int64)
    seen, moved, finished = 0, 0, True
    p = 0
    while p >= 0:
        level[p] += 1
        if level[p] <= tops[p]:
            fixed[p + 1] = _joined(fixed[p], base[p, level[p]], weights[p], join)
            cost = max(fixed[p + 1], rest[p + 1]) if join == LARGEST else fixed[p + 1] + rest[p + 1]
        if level[p] > tops[p] or _told(cost, join) >= bar:
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
            now, own, count = head[p], head_sizes[p], size[p]
        else:
            stamp, rows = roll_up(
                m, level, maps, shifts, masks, table, amounts, counts, made, lookup, slots, stamps, stamp
            )
            moved += rows
            now, own, count = table[m], amounts[m], counts[m]
        lost[:] = 0.0
        if values > 1:
            stamp += 1
            moved += count
            few = pack_classes(now, own, count, kept[p], value_shift, part, spread, slots, stamps, stamp)
            records = lose_failing(
                part, spread, few, p + 1, level, shifts, masks, extras, tree, limits, shares, low, high, sums, gone,
                p == m - 1, lost,
            )  # fmt: skip
            if p == m - 1 and limits.again and 0 < records <= budget:
                moved += count
                records = lose_again(
                    part, spread, few, level, shifts, masks, extras, tree, limits, shares, low, high, sums, gone,
                    budget, records, lost,
                )  # fmt: skip
                set_reference(first, tree, limits, shares, low, high)
        else:
            records = lose_small(now, own, count, p + 1, level, shifts, masks, extras, limits.least, lost)
        cost = 0.0
        for j in range(m):
            own_loss = base[j, level[j]] + lost[j] if j <= p else base[j, 0] + records * least[j]
            cost = _joined(cost, own_loss, weights[j], join)
        cost = _told(cost, join)
        if p < m - 1:
            if records <= budget and cost < bar:
                p += 1
            continue
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
