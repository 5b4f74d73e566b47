"""Groups of records with numbers and categories, by Gower's distance: MDAV with modes in the centre."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled
from schleier.kernels.grouping.halving import Floats, Whole


def group_mixed(x: Floats, codes: Whole, distances: Sequence[Floats], k: int) -> Whole:
    """``x`` numbers, ``codes`` categories by number, ``distances`` between the categories of each column (0 to 1).

    Each column counts alike: numbers by their difference as a share of the range, categories by their distance.

    >>> codes = np.array([[0], [0], [0], [1], [1], [1]])
    >>> group_mixed(np.zeros((6, 1)), codes, [1 - np.eye(2)], 3).tolist()
    [1, 1, 1, 0, 0, 0]
    """
    scaled = np.zeros(x.shape)
    for j in range(x.shape[1]):
        span = float(np.ptp(x[:, j])) if len(x) else 0.0
        if span > 0:
            scaled[:, j] = (x[:, j] - x[:, j].min()) / span
    most = max((len(matrix) for matrix in distances), default=1)
    apart = np.zeros((max(len(distances), 1), most, most))
    for j, matrix in enumerate(distances):
        apart[j, : len(matrix), : len(matrix)] = matrix
    groups: Whole = _mixed(scaled, np.ascontiguousarray(codes, dtype=np.int64), apart, k)
    return groups


@compiled
def _apart(x: Floats, codes: Whole, row: int, point: Floats, kinds: Whole, apart: Any) -> float:
    total = 0.0
    for j in range(x.shape[1]):
        total += abs(x[row, j] - point[j])
    for j in range(codes.shape[1]):
        total += apart[j, codes[row, j], kinds[j]]
    return total


@compiled
def _mixed(x: Floats, codes: Whole, apart: Any, k: int) -> Whole:
    """MDAV as in ``centroid_groups``; the centre has the most frequent category, the first of equally frequent ones."""
    count, groups, group = len(x), np.full(len(x), -1, np.int64), 0
    left, rows = count, np.arange(count)
    total = np.zeros(x.shape[1])
    seen = np.zeros((codes.shape[1], apart.shape[1]), np.int64)
    for i in range(count):
        total += x[i]
        for j in range(codes.shape[1]):
            seen[j, codes[i, j]] += 1
    point, kinds = np.empty(x.shape[1]), np.empty(codes.shape[1], np.int64)
    while left >= 2 * k:
        for j in range(codes.shape[1]):
            kinds[j] = np.argmax(seen[j])
        point[:] = total / left
        row = _far(x, codes, rows[:left], point, kinds, apart)
        for _ in range(2):
            point[:], kinds[:] = x[row], codes[row]
            _nearest(x, codes, rows[:left], row, apart, groups, group, k, total, seen)
            left = _compact(rows, left, groups)
            group += 1
            if left < 2 * k:
                break
            row = _far(x, codes, rows[:left], point, kinds, apart)
    for i in range(left):
        groups[rows[i]] = group
    return groups


@compiled
def _compact(rows: Whole, left: int, groups: Whole) -> int:
    at = 0
    for i in range(left):
        if groups[rows[i]] < 0:
            rows[at] = rows[i]
            at += 1
    return at


@compiled
def _far(x: Floats, codes: Whole, rows: Whole, point: Floats, kinds: Whole, apart: Any) -> int:
    best, distance = -1, -1.0
    for row in rows:
        found = _apart(x, codes, row, point, kinds, apart)
        if found > distance:
            best, distance = row, found
    return best


@compiled
def _nearest(
    x: Floats,
    codes: Whole,
    rows: Whole,
    row: int,
    apart: Any,
    groups: Whole,
    group: int,
    k: int,
    total: Floats,
    seen: Any,
) -> None:
    """Put a record and the k - 1 nearest into a group, and take them out of the centre."""
    distances, found, count = np.full(k, np.inf), np.full(k, -1, np.int64), 1
    distances[0], found[0] = -1.0, row
    for other in rows:
        if other == row:
            continue
        gap = _apart(x, codes, other, x[row], codes[row], apart)
        at = count
        while at > 1 and gap < distances[at - 1]:
            if at < k:
                distances[at], found[at] = distances[at - 1], found[at - 1]
            at -= 1
        if at < k:
            distances[at], found[at] = gap, other
        count = min(count + 1, k)
    for i in range(count):
        groups[found[i]] = group
        total -= x[found[i]]
        for j in range(codes.shape[1]):
            seen[j, codes[found[i], j]] -= 1
