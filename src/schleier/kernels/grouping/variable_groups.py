"""Groups of k to 2k-1 records, as many as lie close together (Höhne M09): V-MDAV and k-Ward."""

from __future__ import annotations

import numpy as np

from schleier.kernels.compiled import compiled
from schleier.kernels.grouping.centroid_groups import added_up, fresh, mdav, take_group
from schleier.kernels.grouping.halving import Floats, Whole
from schleier.kernels.grouping.leaves import Leaves, far, nearest_records, squared_distance, take


def extended(x: Floats, k: int, reach: float) -> Whole:
    """V-MDAV (Solanas and Martínez-Ballesté 2006): a group takes further records that are nearer to it than
    ``reach`` times their distance from the other records."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    return divide_groups(x, _extended(x, k, reach), k)


def ward(x: Floats, k: int) -> Whole:
    """k-Ward (Domingo-Ferrer and Mateo-Sanz 2002): join what costs least until every group has k records."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    return divide_groups(x, _ward(x, k), k)


def divide_groups(x: Floats, groups: Whole, k: int) -> Whole:
    """Groups of 2k records and more divided by MDAV; all numbered from 0."""
    groups = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    sizes = np.bincount(groups)
    number = len(sizes)
    for group in np.flatnonzero(sizes >= 2 * k):
        members = np.flatnonzero(groups == group)
        parts = mdav(x[members], k)
        groups[members[parts > 0]] = number + parts[parts > 0] - 1
        number += int(parts.max())
    return groups


@compiled
def _extended(x: Floats, k: int, reach: float) -> Whole:
    groups, total = np.full(len(x), -1, np.int64), added_up(x)
    centre, leaves, left, group = total / max(len(x), 1), fresh(x, groups), len(x), 0
    built = left
    members = np.empty(2 * k, np.int64)
    while left >= k:
        row, _ = far(leaves, centre)
        take_group(x, leaves, total, groups, group, row, members[:k])
        size = _extend(x, leaves, members, k, reach)
        for i in range(k, size):
            groups[members[i]] = group
        left -= size
        group += 1
        if 5 * left < 4 * built:
            leaves, built = fresh(x, groups), left
    found: Whole = _attached(x, groups, max(group, 1))
    return found


@compiled
def _extend(x: Floats, leaves: Leaves, members: Whole, size: int, reach: float) -> int:
    """Take further records into a group of k up to 2k-1; its new size."""
    most, distance, found = 2 * size - 1, np.empty(2), np.empty(2, np.int64)
    nearest, inside = np.full(most, -1, np.int64), np.full(most, np.inf)
    while size < most:
        best = -1
        for i in range(size):
            if nearest[i] < 0 or leaves.place[nearest[i]] < 0:
                if nearest_records(leaves, x[members[i]], 1, distance, found) == 0:
                    return size
                nearest[i], inside[i] = found[0], distance[0]
            if best < 0 or inside[i] < inside[best] or (inside[i] == inside[best] and nearest[i] < nearest[best]):
                best = i
        row, gap = nearest[best], inside[best]
        others = nearest_records(leaves, x[row], 2, distance, found)  # itself, and the nearest of the others
        other = distance[1] if found[0] == row else distance[0]
        if others > 1 and gap >= reach * reach * other:
            return size
        take(leaves, row)
        members[size] = row
        size += 1
    return size


@compiled
def _attached(x: Floats, groups: Whole, number: int) -> Whole:
    """What is left over joins the group whose mean is nearest."""
    centres, sizes = np.zeros((number, x.shape[1])), np.zeros(number, np.int64)
    for i in range(len(x)):
        if groups[i] >= 0:
            centres[groups[i]] += x[i]
            sizes[groups[i]] += 1
    for group in range(number):
        centres[group] /= max(sizes[group], 1)
    for i in range(len(x)):
        if groups[i] < 0:
            best = 0
            for group in range(1, number):
                if squared_distance(x[i], centres[group]) < squared_distance(x[i], centres[best]):
                    best = group
            groups[i] = best
    return groups


@compiled
def _ward(x: Floats, k: int) -> Whole:
    """Two groups of k or more are never joined, so only smaller ones look for their cheapest partner."""
    count = len(x)
    centres, sizes, groups = x.copy(), np.ones(count, np.int64), np.arange(count)
    partner, price = np.full(count, -1, np.int64), np.full(count, np.inf)
    small = k > 1 and count > 1
    if small:
        for a in range(count):
            partner[a], price[a] = _cheapest(centres, sizes, a)
    while small:
        a = int(np.argmin(price))
        b = partner[a]
        if b < 0:
            break
        a, b = min(a, b), max(a, b)
        centres[a] = (centres[a] * sizes[a] + centres[b] * sizes[b]) / (sizes[a] + sizes[b])
        sizes[a] += sizes[b]
        sizes[b], price[b] = 0, np.inf
        for i in range(count):
            if groups[i] == b:
                groups[i] = a
        price[a] = np.inf
        if sizes[a] < k:
            partner[a], price[a] = _cheapest(centres, sizes, a)
        small = False
        for c in range(count):
            if 0 < sizes[c] < k:
                small = True
                if c != a and (partner[c] == a or partner[c] == b):
                    partner[c], price[c] = _cheapest(centres, sizes, c)
    return groups


@compiled
def _cheapest(centres: Floats, sizes: Whole, a: int) -> tuple[int, float]:
    """With whom joining adds least to the squared error; a joined group is never cheaper than its parts (Ward)."""
    best, price = -1, np.inf
    for b in range(len(sizes)):
        if sizes[b] > 0 and b != a:
            found = sizes[a] * sizes[b] / (sizes[a] + sizes[b]) * squared_distance(centres[a], centres[b])
            if found < price:
                best, price = b, found
    return best, price
