"""Which part of a partition a row belongs to: by the cuts that made it, or by a box around it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled
from schleier.kernels.search.boxes import Boxes, Floats, Ints, Space, inside
from schleier.kernels.search.mondrian import Cuts


class Points(NamedTuple):
    """Rows to place, as codes on the axes."""

    codes: NDArray[np.int32]
    known: NDArray[np.bool_]
    """Whether a value is one the axis was made of, not only one between two of them."""
    lengths: Ints
    """Values of each axis."""


def by_cuts(cuts: Cuts, boxes: Boxes, space: Space, points: Points, tie: Ints | None) -> Ints:
    """The part each row falls into by the cuts, -1 where there is none or where its labels would be wrong."""
    tie = np.zeros(len(points.codes), np.int64) if tie is None else tie
    axes = space.tree, space.gap, space.ancestors, space.depth
    return _by_cuts(*cuts, *boxes, *points, tie, *axes)  # type: ignore[no-any-return]


@compiled
def _by_cuts(axis: Any, kind: Any, at: Any, above: Any, child: Any, children: Any, rest: Any, branch: Any, first: Any,
             last: Any, gaps: Any, codes: Any, known: Any, lengths: Any, ties: Any, tree: Any, gap: Any, ancestors: Any,
             depth: Any) -> Any:  # fmt: skip
    part = np.full(len(codes), -1, np.int64)
    for i in range(len(codes)):
        node = 0
        while node >= 0 and kind[node]:
            j, start, many = axis[node], child[node], children[node]
            code = codes[i, j]
            if kind[node] == 1:
                node = start if code == gap[j] else start + 1
            elif kind[node] == 2:
                node = start if code < at[node] or (code == at[node] and ties[i] <= above[node]) else start + 1
            else:
                wanted = ancestors[tree[j], at[node], code]
                low, high = start, start + many - rest[node]
                while low < high:
                    middle = (low + high) // 2
                    if branch[middle] < wanted:
                        low = middle + 1
                    else:
                        high = middle
                end = start + many - rest[node]
                other = end if rest[node] else -1
                node = low if low < end and branch[low] == wanted else other
        if node >= 0 and inside(i, child[node], codes, known, first, last, gaps, tree, gap, lengths, ancestors, depth):
            part[i] = child[node]
    return part


def by_box(boxes: Boxes, costs: Floats, space: Space, points: Points) -> Ints:
    """The part of the least cost whose box holds a row, -1 where there is none."""
    order = np.argsort(costs, kind="stable")
    axes = space.tree, space.gap, space.ancestors, space.depth
    return _by_box(*boxes, *points, order, *axes)  # type: ignore[no-any-return]


@compiled
def _by_box(first: Any, last: Any, gaps: Any, codes: Any, known: Any, lengths: Any, order: Any, tree: Any, gap: Any,
            ancestors: Any, depth: Any) -> Any:  # fmt: skip
    part = np.full(len(codes), -1, np.int64)
    for i in range(len(codes)):
        for p in order:
            if inside(i, p, codes, known, first, last, gaps, tree, gap, lengths, ancestors, depth):
                part[i] = p
                break
    return part
