"""Groups of k to 2k-1 records, as many as lie close together (Höhne M09): V-MDAV and k-Ward."""

from __future__ import annotations

import numba
import numpy as np

from schleier.kernels.centroid_groups import added_up, fresh, gather, mdav
from schleier.kernels.leaves import Floats, Leaves, Whole, apart, far, near, take


def extended(x: Floats, k: int, reach: float) -> Whole:
    """V-MDAV (Solanas and Martínez-Ballesté 2006): a group takes further records that are nearer to it than
    ``reach`` times their distance from the other records."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    return split(x, _extended(x, k, reach), k)


def ward(x: Floats, k: int) -> Whole:
    """k-Ward (Domingo-Ferrer and Mateo-Sanz 2002): join what costs least until every group has k records."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    return split(x, _ward(x, k), k)


def split(x: Floats, groups: Whole, k: int) -> Whole:
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


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _extended(x: Floats, k: int, reach: float) -> Whole:
    groups, total = np.full(len(x), -1, np.int64), added_up(x)
    centre, leaves, left, group = total / max(len(x), 1), fresh(x, groups), len(x), 0
    built = left
    members = np.empty(2 * k, np.int64)
    while left >= k:
        row, _ = far(leaves, centre)
        gather(x, leaves, row, k - 1, total, groups, group, members)
        size = _extend(x, leaves, members, k, reach)
        for i in range(k, size):
            groups[members[i]] = group
        left -= size
        group += 1
        if 2 * left < built:
            leaves, built = fresh(x, groups), left
    return _attached(x, groups, max(group, 1))


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _extend(x: Floats, leaves: Leaves, members: Whole, size: int, reach: float) -> int:
    """Take further records into a group of k up to 2k-1; its new size."""
    most, distance, found = 2 * size - 1, np.empty(2), np.empty(2, np.int64)
    nearest, inside = np.full(most, -1, np.int64), np.full(most, np.inf)
    while size < most:
        best = -1
        for i in range(size):
            if nearest[i] < 0 or leaves.place[nearest[i]] < 0:
                if near(leaves, x[members[i]], 1, distance, found) == 0:
                    return size
                nearest[i], inside[i] = found[0], distance[0]
            if best < 0 or inside[i] < inside[best] or (inside[i] == inside[best] and nearest[i] < nearest[best]):
                best = i
        row, gap = nearest[best], inside[best]
        take(leaves, row)
        if near(leaves, x[row], 1, distance, found) > 0 and gap >= reach * reach * distance[0]:
            give(leaves, row)
            return size
        members[size] = row
        size += 1
    return size


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def give(leaves: Leaves, row: int) -> None:
    """Put back the record that was taken last: it still lies behind the others of its leaf."""
    leaf = leaves.gone[0]
    slot = leaves.counts[leaf]
    leaves.rows[leaf, slot], leaves.place[row] = row, leaf * leaves.rows.shape[1] + slot
