"""Grows parts from single rows, always by the row that widens the part least (greedy k-member clustering)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled
from schleier.kernels.search.boxes import Boxes, Ints, Space, box_width


def clusters(space: Space, codes: NDArray[np.int32], sizes: Ints, least: int, seed: int) -> tuple[Ints, int]:
    """The part of each row and the number of parts, each of at least ``least`` records if there are so many at all.

    The first part begins with the row ``seed``, every other with the row farthest from where the one before began.
    """
    part, count = _clusters(codes, sizes, least, seed, *space)
    return part, int(count)


def join_bad_parts(space: Space, boxes: Boxes, sizes: Ints, bad: NDArray[np.bool_]) -> tuple[Ints, int]:
    """Every bad part joined with the part that together with it loses least: the new number of each part."""
    into = _joined(*boxes, sizes, bad, *space)
    roots, place = np.unique(into, return_inverse=True)
    return place.reshape(-1).astype(np.int64), len(roots)


@compiled
def _point(code: Any, j: Any, tree: Any, gap: Any, ancestors: Any) -> Any:
    """The box around one row on one axis."""
    if tree[j] >= 0:
        return np.int64(ancestors[tree[j], 0, code]), np.int64(0), np.int64(0)
    if code == gap[j]:
        return np.int64(0), np.int64(-1), np.int64(2)
    return np.int64(code), np.int64(code), np.int64(0)


@compiled
def _both(one: Any, other: Any, leaf: Any, farther: Any, j: Any, tree: Any, ancestors: Any) -> Any:
    """The box around two boxes on one axis; of a node some leaf below it must be told."""
    if tree[j] >= 0:
        t, level = tree[j], max(one[1], other[1])
        while ancestors[t, level, leaf] != ancestors[t, level, farther]:
            level += 1
        return np.int64(ancestors[t, level, leaf]), np.int64(level), np.int64(0)
    if one[2] == 2 or other[2] == 2:
        if one[2] == 2 and other[2] == 2:
            return one
        held = other if one[2] == 2 else one
        return held[0], held[1], np.int64(1)
    return min(one[0], other[0]), max(one[1], other[1]), max(one[2], other[2])


@compiled
def _wide(i: Any, codes: Any, box: Any, leaves: Any, tree: Any, gap: Any, position: Any, offset: Any, ancestors: Any,
          width: Any, importance: Any, limit: Any) -> Any:  # fmt: skip
    """Width of a box widened by a row, all axes together; no longer exact above the limit."""
    total = 0.0
    for j in range(codes.shape[1]):
        point = _point(codes[i, j], j, tree, gap, ancestors)
        one = (box[j, 0], box[j, 1], box[j, 2])
        found = _both(one, point, leaves[j], codes[i, j], j, tree, ancestors)
        total += importance[j] * box_width(found[0], found[1], found[2], j, tree, position, offset, width)
        if total > limit:
            break
    return total


@compiled
def _widen(i: Any, codes: Any, box: Any, leaves: Any, tree: Any, gap: Any, ancestors: Any) -> None:
    for j in range(codes.shape[1]):
        point = _point(codes[i, j], j, tree, gap, ancestors)
        one = (box[j, 0], box[j, 1], box[j, 2])
        box[j, 0], box[j, 1], box[j, 2] = _both(one, point, leaves[j], codes[i, j], j, tree, ancestors)


@compiled
def _begin(i: Any, codes: Any, box: Any, tree: Any, gap: Any, ancestors: Any) -> None:
    for j in range(codes.shape[1]):
        box[j, 0], box[j, 1], box[j, 2] = _point(codes[i, j], j, tree, gap, ancestors)


@compiled
def _clusters(codes: Any, sizes: Any, least: Any, seed: Any, tree: Any, gap: Any, position: Any, offset: Any,
              ancestors: Any, width: Any, depth: Any, importance: Any) -> Any:  # fmt: skip
    n, d = codes.shape
    part, free, left = np.full(n, -1, np.int64), np.arange(n), sizes.sum()
    boxes, seeds, amounts, count = np.zeros((n, d, 3), np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64), 0
    rest, before = n, -1
    while left >= least and rest:
        place = 0
        if before < 0:
            place = seed
        else:
            far = -1.0
            _begin(before, codes, boxes[count], tree, gap, ancestors)
            for q in range(rest):
                found = _wide(free[q], codes, boxes[count], codes[before], tree, gap, position, offset, ancestors,
                              width, importance, np.inf)  # fmt: skip
                if found > far:
                    far, place = found, q
        before = free[place]
        seeds[count] = before
        _begin(before, codes, boxes[count], tree, gap, ancestors)
        while True:
            i = free[place]
            _widen(i, codes, boxes[count], codes[before], tree, gap, ancestors)
            part[i] = count
            amounts[count] += sizes[i]
            left -= sizes[i]
            for q in range(place, rest - 1):  # their order stays: of equally near rows the first is taken
                free[q] = free[q + 1]
            rest -= 1
            if amounts[count] >= least or not rest:
                break
            near = np.inf
            for q in range(rest):
                found = _wide(free[q], codes, boxes[count], codes[before], tree, gap, position, offset, ancestors,
                              width, importance, near)  # fmt: skip
                if found < near:
                    near, place = found, q
        count += 1
    for q in range(rest):  # too few for a part of their own
        i, cheapest, best = free[q], np.inf, 0
        for p in range(count):
            held = amounts[p] * _cost(boxes[p], d, tree, position, offset, width, importance)
            found = _wide(i, codes, boxes[p], codes[seeds[p]], tree, gap, position, offset, ancestors, width,
                          importance, np.inf)  # fmt: skip
            more = (amounts[p] + sizes[i]) * found - held
            if more < cheapest:
                cheapest, best = more, p
        _widen(i, codes, boxes[best], codes[seeds[best]], tree, gap, ancestors)
        part[i] = best
        amounts[best] += sizes[i]
    return part, max(count, 1)


@compiled
def _cost(box: Any, d: Any, tree: Any, position: Any, offset: Any, width: Any, importance: Any) -> Any:
    total = 0.0
    for j in range(d):
        total += importance[j] * box_width(box[j, 0], box[j, 1], box[j, 2], j, tree, position, offset, width)
    return total


@compiled
def _leaf(node: Any, level: Any, t: Any, ancestors: Any) -> Any:
    """The first leaf below a node."""
    for leaf in range(ancestors.shape[2]):
        if ancestors[t, level, leaf] == node:
            return leaf
    return 0


@compiled
def _joined(first: Any, last: Any, gaps: Any, sizes: Any, bad: Any, tree: Any, gap: Any, position: Any, offset: Any,
            ancestors: Any, width: Any, depth: Any, importance: Any) -> Any:  # fmt: skip
    parts, d = first.shape
    into, leaves, costs = np.arange(parts), np.zeros((parts, d), np.int64), np.zeros(parts)
    for p in range(parts):
        for j in range(d):
            if tree[j] >= 0:
                leaves[p, j] = _leaf(first[p, j], last[p, j], tree[j], ancestors)
            part = box_width(first[p, j], last[p, j], gaps[p, j], j, tree, position, offset, width)
            costs[p] += importance[j] * part
    touched = np.zeros(parts, np.bool_)
    for p in range(parts):
        if not bad[p] or touched[p]:
            continue
        cheapest, best = np.inf, -1
        for q in range(parts):
            if q == p:
                continue
            total = 0.0
            for j in range(d):
                one, other = (first[p, j], last[p, j], gaps[p, j]), (first[q, j], last[q, j], gaps[q, j])
                found = _both(one, other, leaves[p, j], leaves[q, j], j, tree, ancestors)
                total += importance[j] * box_width(found[0], found[1], found[2], j, tree, position, offset, width)
            more = (sizes[p] + sizes[q]) * total - sizes[p] * costs[p] - sizes[q] * costs[q]
            if more < cheapest:
                cheapest, best = more, q
        if best >= 0:
            into[p] = into[best]
            touched[p] = touched[best] = True
    return into
