"""Groups of less squared error than those of MDAV: cut anew along a path through them, then improved by exchange.

Along the path the groups of MDAV follow each other, so they are one of the cuts the optimal cut is chosen from; an
exchange is made only when the error falls. So the result is never worse than MDAV.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled
from schleier.kernels.grouping.centroid_groups import mdav
from schleier.kernels.grouping.group_values import squared_error
from schleier.kernels.grouping.halving import Floats, Whole
from schleier.kernels.grouping.leaves import build, far, nearest_records, squared_distance, take
from schleier.kernels.grouping.sorted_groups import cut

NEIGHBOURS, SWEEPS, FEW = 12, 30, 2000
"""So many nearest groups are looked at, so many times, while more than one record in so many changes its group."""


def improved_groups(x: Floats, k: int) -> Whole:
    """The groups of MDAV, improved."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    plain = mdav(x, k)
    order = path(x, plain)
    along = np.empty_like(plain)
    along[order] = cut(x[order], k)[0]
    found = min((improved(x, start, k) for start in (plain, along)), key=lambda groups: squared_error(x, groups))
    return found if squared_error(x, found) <= squared_error(x, plain) else plain


def path(x: Floats, groups: Whole) -> Whole:
    """The records in the order of a path that goes from group to nearest group, from the rim on."""
    count = np.bincount(groups)
    centres = np.stack([np.bincount(groups, weights=x[:, j]) / count for j in range(x.shape[1])], axis=1)
    turn, heading = _path(np.ascontiguousarray(centres))
    ahead = np.einsum("ij,ij->i", x, heading[groups])
    found: Whole = np.lexsort((ahead, turn[groups]))
    return found


@compiled
def _path(centres: Floats) -> tuple[Whole, Floats]:
    """When each group is visited, and in which direction the path runs there."""
    count = len(centres)
    turn, order = np.zeros(count, np.int64), np.zeros(count, np.int64)
    leaves = build(centres, np.arange(count))
    row, _ = far(leaves, leaves.centre)
    distance, found, left = np.empty(1), np.empty(1, np.int64), count
    for step in range(count):
        turn[row], order[step] = step, row
        take(leaves, row)
        if 2 * (count - step - 1) < left:
            left = count - step - 1
            rest = np.full(left, -1, np.int64)
            at = 0
            for i in range(count):
                if leaves.place[i] >= 0:
                    rest[at] = i
                    at += 1
            leaves = build(centres, rest)
        if nearest_records(leaves, centres[row], 1, distance, found) > 0:
            row = found[0]
    heading = np.empty(centres.shape)
    for step in range(count):
        heading[order[step]] = centres[order[min(step + 1, count - 1)]] - centres[order[max(step - 1, 0)]]
    return turn, heading


def improved(x: Floats, groups: Whole, k: int) -> Whole:
    """Records moved to other groups or exchanged with records of other groups while the squared error falls."""
    groups = groups.copy()
    if groups.max(initial=0) > 0:
        _improve(x, groups, k, int(groups.max()) + 1)
    return groups


@compiled
def _improve(x: Floats, groups: Whole, k: int, number: int) -> None:
    sizes, centres = np.zeros(number, np.int64), np.zeros((number, x.shape[1]))
    for i in range(len(x)):
        sizes[groups[i]] += 1
        centres[groups[i]] += x[i]
    members = np.full((number, max(2 * k - 1, sizes.max())), -1, np.int64)
    sizes[:] = 0
    for i in range(len(x)):
        members[groups[i], sizes[groups[i]]] = i
        sizes[groups[i]] += 1
    for group in range(number):
        centres[group] /= sizes[group]
    wanted = min(NEIGHBOURS + 1, number)
    distances, around = np.empty(wanted), np.empty(wanted, np.int64)
    for _ in range(SWEEPS):
        leaves, changed = build(centres.copy(), np.arange(number)), 0
        for group in range(number):
            nearest_records(leaves, centres[group], wanted, distances, around)
            for other in around:
                if other != group:
                    changed += _between(x, groups, members, sizes, centres, k, group, other)
        if changed * FEW <= len(x):
            return


@compiled
def _between(x: Floats, groups: Whole, members: Any, sizes: Whole, centres: Floats, k: int, a: int, b: int) -> int:
    """Move a record of group a to group b, or exchange one of each, where the error falls; how often it did."""
    changed = 0
    for i in range(members.shape[1]):
        if i >= sizes[a]:
            break
        row = members[a, i]
        own, far_off = squared_distance(x[row], centres[a]), squared_distance(x[row], centres[b])
        if sizes[a] > k and sizes[b] < 2 * k - 1:
            gain = own * sizes[a] / (sizes[a] - 1) - far_off * sizes[b] / (sizes[b] + 1)
            if gain > 1e-9 * own:
                centres[a] = (centres[a] * sizes[a] - x[row]) / (sizes[a] - 1)
                centres[b] = (centres[b] * sizes[b] + x[row]) / (sizes[b] + 1)
                sizes[a] -= 1
                members[a, i], members[b, sizes[b]] = members[a, sizes[a]], row
                sizes[b] += 1
                groups[row] = b
                changed += 1
                continue
        for m in range(sizes[b]):
            other = members[b, m]
            # 2 (c_b - c_a) (x_other - x_row) - |x_other - x_row|^2 (1/a + 1/b): what the exchange adds to the error
            inner, square = 0.0, 0.0
            for j in range(x.shape[1]):
                gap = x[other, j] - x[row, j]
                inner += (centres[b, j] - centres[a, j]) * gap
                square += gap * gap
            if 2 * inner - square * (1 / sizes[a] + 1 / sizes[b]) < -1e-9 * square:
                for j in range(x.shape[1]):
                    gap = x[other, j] - x[row, j]
                    centres[a, j] += gap / sizes[a]
                    centres[b, j] -= gap / sizes[b]
                members[a, i], members[b, m] = other, row
                groups[row], groups[other] = b, a
                changed += 1
                break
    return changed
