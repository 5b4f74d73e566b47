"""Groups of k records that are near each other, from the rim inwards (Höhne M07, M08, and MDAV).

The rules that make the groups unique: distances are squared and added up column by column; of equally distant records
the first is taken; the centre is the running sum of the records that are left (each taken record is subtracted, in the
order of taking) divided by their number.
"""

from __future__ import annotations

import heapq

import numpy as np

from schleier.kernels.compiled import compiled
from schleier.kernels.grouping.halving import Floats, Whole
from schleier.kernels.grouping.leaves import Leaves, build, far, nearest_records, take


def mdav(x: Floats, k: int) -> Whole:
    """Two groups per centre: around the record farthest from it, and around the one farthest from that one.

    >>> mdav(np.array([[0.0], [1], [2], [10], [11], [12], [50], [51], [52], [53]]), 3).tolist()
    [1, 1, 1, 2, 2, 2, 2, 0, 0, 0]
    """
    groups: Whole = _from_rim(np.ascontiguousarray(x, dtype=np.float64), k, True)
    return groups


def centroid(x: Floats, k: int) -> Whole:
    """One group per centre (Höhne M08, 3.1-2), around the record farthest from it."""
    groups: Whole = _from_rim(np.ascontiguousarray(x, dtype=np.float64), k, False)
    return groups


def max_distance(x: Floats, k: int) -> Whole:
    """Groups around the two records that are farthest apart of all that are left (Höhne M07, 3.1-1)."""
    groups: Whole = _from_pairs(np.ascontiguousarray(x, dtype=np.float64), k)
    return groups


@compiled
def take_group(x: Floats, leaves: Leaves, total: Floats, groups: Whole, group: int, row: int, members: Whole) -> None:
    """Take a record and those nearest to it out, as a group that fills ``members``; ``total`` sums up what is left."""
    distances = np.empty(len(members))
    take(leaves, row)
    members[0] = row
    if len(members) > 1:
        nearest_records(leaves, x[row], len(members) - 1, distances, members[1:])
    for i in range(len(members)):
        if i > 0:
            take(leaves, members[i])
        groups[members[i]] = group
        for j in range(x.shape[1]):
            total[j] -= x[members[i], j]


@compiled
def fresh(x: Floats, groups: Whole) -> Leaves:
    """Leaves of the records that have no group."""
    leaves: Leaves = build(x, np.flatnonzero(groups < 0))
    return leaves


@compiled
def rest(groups: Whole, group: int) -> None:
    """The records that have no group become one."""
    for i in range(len(groups)):
        if groups[i] < 0:
            groups[i] = group


@compiled
def added_up(x: Floats) -> Floats:
    """Column sums, row after row."""
    total = np.zeros(x.shape[1])
    for i in range(len(x)):
        for j in range(x.shape[1]):
            total[j] += x[i, j]
    return total


@compiled
def _from_rim(x: Floats, k: int, two: bool) -> Whole:
    groups, total = np.full(len(x), -1, np.int64), added_up(x)
    leaves, left, group = fresh(x, groups), len(x), 0
    built, members = left, np.empty(k, np.int64)
    while left >= 2 * k:
        centre = total / left
        row, _ = far(leaves, centre)
        take_group(x, leaves, total, groups, group, row, members)
        group += 1
        left -= k
        if two and left >= 2 * k:
            other, _ = far(leaves, x[row])
            take_group(x, leaves, total, groups, group, other, members)
            group += 1
            left -= k
        if 5 * left < 4 * built:
            leaves, built = fresh(x, groups), left
    rest(groups, group)
    return groups


@compiled
def _from_pairs(x: Floats, k: int) -> Whole:
    """A distance to the farthest record can only fall as records go: old ones are bounds until they are needed."""
    groups, total = np.full(len(x), -1, np.int64), added_up(x)
    leaves, left, group = fresh(x, groups), len(x), 0
    built, members = left, np.empty(k, np.int64)
    partner = np.full(len(x), -1, np.int64)
    heap = [(0.0, 0)]
    heap.clear()
    if left >= 2 * k:
        for row in range(len(x)):
            partner[row], distance = far(leaves, x[row])
            heap.append((-distance, row))
        heapq.heapify(heap)
    while left >= 2 * k:
        _, row = heapq.heappop(heap)
        if groups[row] >= 0:
            continue
        if groups[partner[row]] >= 0:
            partner[row], distance = far(leaves, x[row])
            heapq.heappush(heap, (-distance, row))
            continue
        take_group(x, leaves, total, groups, group, row, members)
        group += 1
        left -= k
        if left >= 2 * k:
            other, _ = far(leaves, x[row])
            take_group(x, leaves, total, groups, group, other, members)
            group += 1
            left -= k
        if 5 * left < 4 * built:
            leaves, built = fresh(x, groups), left
    rest(groups, group)
    return groups
