"""Records as points on axes, parts of them as boxes: the shape that all partitions of a table share.

An axis is ordered (numbers, dates, lists: a box is a first and a last code) or a tree (a box is a node).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NO_GAP, MIXED, ONLY_GAP = 0, 1, 2
"""Whether a box on an ordered axis holds no missing value, some, or nothing else."""
UNKNOWN = -2
"""Code of a value an axis has never seen."""


class Space(NamedTuple):
    """All axes side by side, for points that are rows of codes."""

    tree: Ints
    """For each axis its place among the trees; -1 for an ordered one."""
    gap: Ints
    """The code that means missing: -1 on an ordered axis, one more than the last leaf in a tree."""
    position: Floats
    """Where a code of an ordered axis lies between 0 and 1; all axes one after the other."""
    offset: Ints
    """Where an axis begins among the positions."""
    ancestors: NDArray[np.int32]
    """``[tree, level, leaf]``: the node above a leaf; level 0 is the leaf itself, the last level the root."""
    width: Floats
    """``[tree, level, node]``: share of the leaves below a node, from 0 for one leaf to 1 for all."""
    depth: Ints
    """Level of the root of each tree; 0 for an ordered axis."""
    importance: Floats
    """How much the width of an axis counts."""


class Boxes(NamedTuple):
    """One row per part, one column per axis."""

    first: Ints
    """First code; the node in a tree."""
    last: Ints
    """Last code; the level in a tree."""
    gaps: Ints
    """Missing values on an ordered axis; in a tree a missing value is a leaf."""


def ties(codes: NDArray[Any]) -> Ints:
    """A number for each row that depends on all of its codes and on nothing else: SplitMix64 over the row.

    >>> ties(np.array([[1, 2], [2, 1], [1, 2]]))[0] == ties(np.array([[1, 2]]))[0]
    np.True_
    """
    result = np.full(len(codes), 0x9E3779B97F4A7C15, dtype=np.uint64)
    for column in codes.T:
        result = (result ^ column.astype(np.int64).astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        result = (result ^ (result >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        result ^= result >> np.uint64(31)
    return result.astype(np.int64)


@compiled
def span(codes: Any, order: Any, start: Any, end: Any, j: Any, tree: Any, gap: Any, ancestors: Any) -> Any:
    """The box on one axis around some rows: first and last code (or node and level), and missing values."""
    t = tree[j]
    if t >= 0:
        leaf, level = codes[order[start], j], 0
        for i in range(start + 1, end):
            other = codes[order[i], j]
            while ancestors[t, level, other] != ancestors[t, level, leaf]:
                level += 1
        return np.int64(ancestors[t, level, leaf]), np.int64(level), np.int64(0)
    first, last, empty = np.int64(2**62), np.int64(-1), False
    for i in range(start, end):
        code = codes[order[i], j]
        if code == gap[j]:
            empty = True
        else:
            first, last = min(first, np.int64(code)), max(last, np.int64(code))
    if last < 0:
        return np.int64(0), np.int64(-1), np.int64(2)
    return first, last, np.int64(1 if empty else 0)


@compiled
def box_width(first: Any, last: Any, gaps: Any, j: Any, tree: Any, position: Any, offset: Any, width: Any) -> Any:
    """Width of a box on one axis, between 0 and 1: what its label leaves open."""
    t = tree[j]
    if t >= 0:
        return width[t, last, first]
    if gaps == 2:
        return 0.0
    if gaps == 1:
        return 1.0  # only the root label covers both what is missing and what is not
    return position[offset[j] + last] - position[offset[j] + first]


@compiled
def _around(codes: Any, order: Any, starts: Any, ends: Any, tree: Any, gap: Any, ancestors: Any) -> Any:
    shape = len(starts), codes.shape[1]
    first, last, gaps = np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(shape, np.int64)
    for p in range(shape[0]):
        for j in range(shape[1]):
            found = span(codes, order, starts[p], ends[p], j, tree, gap, ancestors)
            first[p, j], last[p, j], gaps[p, j] = found
    return first, last, gaps


def around(space: Space, codes: NDArray[np.int32], part: Ints, parts: int) -> Boxes:
    """The smallest box around each part; ``part`` is the part of each row."""
    order = np.argsort(part, kind="stable")
    starts = np.searchsorted(part[order], np.arange(parts))
    ends = np.searchsorted(part[order], np.arange(parts), side="right")
    return Boxes(*_around(codes, order, starts, ends, space.tree, space.gap, space.ancestors))


def box_widths(space: Space, boxes: Boxes) -> Floats:
    """Width of each box on each axis."""
    return _widths(*boxes, space.tree, space.position, space.offset, space.width)  # type: ignore[no-any-return]


@compiled
def _widths(first: Any, last: Any, gaps: Any, tree: Any, position: Any, offset: Any, width: Any) -> Any:
    result = np.empty(first.shape, np.float64)
    for p in range(first.shape[0]):
        for j in range(first.shape[1]):
            result[p, j] = box_width(first[p, j], last[p, j], gaps[p, j], j, tree, position, offset, width)
    return result


@compiled
def inside(i: Any, p: Any, codes: Any, known: Any, first: Any, last: Any, gaps: Any, tree: Any, gap: Any, lengths: Any,
           ancestors: Any, depth: Any) -> Any:  # fmt: skip
    """Whether the labels of a box cover a row: a label of a single value covers that value only."""
    for j in range(codes.shape[1]):
        t = tree[j]
        if t >= 0:
            if last[p, j] < depth[j] and ancestors[t, last[p, j], codes[i, j]] != first[p, j]:
                return False
            continue
        whole = first[p, j] == 0 and last[p, j] == lengths[j] - 1 and lengths[j] > 1
        if gaps[p, j] == 1:
            continue
        if codes[i, j] == gap[j] or gaps[p, j] == 2:
            if not (codes[i, j] == gap[j] and gaps[p, j] == 2):
                return False
            continue
        if whole:
            continue
        if codes[i, j] < first[p, j] or codes[i, j] > last[p, j] or not (known[i, j] or first[p, j] < last[p, j]):
            return False
    return True
