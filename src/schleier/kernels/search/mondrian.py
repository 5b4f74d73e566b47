"""Cuts a table into parts, level by level: always across the widest axis on which a cut is allowed (LeFevre 2006)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled
from schleier.kernels.search.boxes import Ints, Space, box_width, span

NONE, GAP, ORDERED, TREE = 0, 1, 2, 3
"""Kinds of cut: none, missing from not missing, below from above, branch from branch."""
Judge = Callable[[Ints, int], NDArray[np.bool_]]
"""Told the part of each row (-1 for rows of no interest) and their number, says which parts are bad."""


class Cuts(NamedTuple):
    """A tree of cuts: the root first, children side by side. A node that is not cut is a part."""

    axis: Ints
    kind: Ints
    at: Ints
    """Last code of the lower side; in a tree the level of the node that is cut into its branches."""
    tie: Ints
    """Of the rows at the cut those up to here are on the lower side."""
    child: Ints
    """First child; of a part its number."""
    children: Ints
    """How many there are; in a tree the last one holds all branches that are not named if ``rest``."""
    rest: Ints
    branch: Ints
    """As a child: the node of the tree it holds."""


def partition(space: Space, codes: NDArray[np.int32], sizes: Ints, tie: Ints | None, least: int,
              judge: Judge | None = None) -> tuple[Cuts, Ints, int]:  # fmt: skip
    """The cuts, the part of each row, and how many parts there are; every part holds ``least`` records.

    Without ``tie`` rows with equal codes on the axis that is cut stay together (strict), else rows with all codes
    equal (relaxed). Python is called once per level of the tree and rejected axis, never per part.
    """
    n = len(codes)
    strict = tie is None
    tie = np.zeros(n, np.int64) if tie is None else tie
    order, levels, count = np.arange(n), list[tuple[Ints, ...]](), 0
    starts, ends, branch = np.array([0]), np.array([n]), np.array([-1])
    part, total = np.empty(n, np.int64), 1
    while len(starts):
        found = _proposed(space, codes, sizes, order, starts, ends, tie, strict, least, judge)
        axis, kind, at, above, children, rest, side = found
        cut = kind != NONE
        child = np.where(cut, total + np.cumsum(np.where(cut, children, 0)) - children, -1)
        child[~cut] = count + np.arange(int((~cut).sum()))
        _finish(order, starts, ends, child, cut, part)
        count += int((~cut).sum())
        levels.append((axis, kind, at, above, child, np.where(cut, children, 0), rest, branch))
        starts, ends, branch = _divide(
            codes, order, starts, ends, side, axis, kind, at, children, rest, space.tree, space.ancestors
        )
        total += len(starts)
    columns = (np.concatenate(column) for column in zip(*levels, strict=True))
    return Cuts(*columns), part, count


def _proposed(space: Space, codes: Any, sizes: Any, order: Any, starts: Any, ends: Any, tie: Any, strict: bool,
              least: int, judge: Judge | None) -> tuple[Any, ...]:  # fmt: skip
    """For every part the first cut that is allowed, asking the judge about all parts at once."""
    parts, d = len(starts), codes.shape[1]
    out = tuple(np.zeros(parts, np.int64) for _ in range(6))
    side, rejected = np.zeros(len(order), np.int64), np.zeros((parts, d), np.uint8)
    todo = np.arange(parts)
    while len(todo):
        _propose(codes, sizes, order, starts, ends, tie, strict, least, todo, rejected, *out, side, *space)
        if judge is None:
            break
        axis, kind, _, _, children, _ = out
        todo = todo[kind[todo] != NONE]
        first = np.cumsum(children[todo]) - children[todo]
        bad = judge(_places(order, starts, ends, side, todo, first), int(children[todo].sum()))
        broken = np.add.reduceat(bad.astype(np.int64), first) > 0 if len(todo) else np.zeros(0, bool)
        todo = todo[broken]
        rejected[todo, axis[todo]] |= np.where(kind[todo] == GAP, 1, 2).astype(np.uint8)
    return (*out, side)


@compiled
def _places(order: Any, starts: Any, ends: Any, side: Any, todo: Any, first: Any) -> Any:
    place = np.full(len(order), -1, np.int64)
    for q in range(len(todo)):
        for i in range(starts[todo[q]], ends[todo[q]]):
            place[order[i]] = first[q] + side[i]
    return place


@compiled
def _propose(codes: Any, sizes: Any, order: Any, starts: Any, ends: Any, ties: Any, strict: Any, least: Any, todo: Any,
             rejected: Any, axis: Any, kind: Any, at: Any, above: Any, children: Any, rest: Any, side: Any, tree: Any,
             gap: Any, position: Any, offset: Any, ancestors: Any, width: Any, depth: Any,
             importance: Any) -> None:  # fmt: skip
    d = codes.shape[1]
    first, last, gaps, wide = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d)
    amounts, group = np.zeros(ancestors.shape[2] + 1, np.int64), np.zeros(ancestors.shape[2] + 1, np.int64)
    for p in todo:
        start, end = starts[p], ends[p]
        kind[p] = 0
        total = 0
        for i in range(start, end):
            total += sizes[order[i]]
        if total < 2 * least:
            continue
        for j in range(d):
            first[j], last[j], gaps[j] = span(codes, order, start, end, j, tree, gap, ancestors)
            wide[j] = importance[j] * box_width(first[j], last[j], gaps[j], j, tree, position, offset, width)
        while kind[p] == 0:
            j = int(np.argmax(wide))
            if wide[j] <= 0:
                break
            wide[j] = 0.0
            if tree[j] >= 0:
                if not rejected[p, j] & 2:
                    level = last[j] - 1
                    count, pool = _branches(codes, sizes, order, start, end, j, ancestors[tree[j], level], least,
                                            amounts, group, side)  # fmt: skip
                    if count > 1:
                        axis[p], kind[p], at[p], children[p], rest[p] = j, 3, level, count, pool
                continue
            if gaps[j] == 1 and not rejected[p, j] & 1:
                empty = 0
                for i in range(start, end):
                    if codes[order[i], j] == gap[j]:
                        empty += sizes[order[i]]
                if min(empty, total - empty) >= least:
                    axis[p], kind[p], children[p], rest[p] = j, 1, 2, 0
                    for i in range(start, end):
                        side[i] = 0 if codes[order[i], j] == gap[j] else 1
                    continue
            if not rejected[p, j] & 2:
                code, tie, lower = _middle(codes, sizes, order, start, end, j, first[j], last[j], ties, strict, total)
                if min(lower, total - lower) >= least:
                    axis[p], kind[p], at[p], above[p], children[p], rest[p] = j, 2, code, tie, 2, 0
                    for i in range(start, end):
                        own = codes[order[i], j]
                        side[i] = 0 if own < code or (own == code and ties[order[i]] <= tie) else 1


@compiled
def _middle(codes: Any, sizes: Any, order: Any, start: Any, end: Any, j: Any, first: Any, last: Any, ties: Any,
            strict: Any, total: Any) -> Any:  # fmt: skip
    """The cut that divides the records most evenly, the lower of two: code, tie and records on the lower side."""
    rows, low = end - start, first - 1  # what is missing lies below everything
    code, tie, lower, best = low, np.int64(2**63 - 1), 0, total
    median, below, running = low, 0, 0
    if last - low < 4 * rows + 64:
        sums = np.zeros(last - low + 1, np.int64)
        for i in range(start, end):
            sums[max(codes[order[i], j], low) - low] += sizes[order[i]]
        for c in range(len(sums)):
            if 2 * running < total:
                median, below = c + low, running
            running += sums[c]
            if sums[c] and abs(total - 2 * running) < best:
                best, code, lower = abs(total - 2 * running), c + low, running
    else:  # few rows on a long axis
        own = np.empty(rows, np.int64)
        for i in range(rows):
            own[i] = max(codes[order[start + i], j], low)
        sequence = np.argsort(own)
        for i in range(rows):
            c = own[sequence[i]]
            if 2 * running < total and (i == 0 or c != own[sequence[i - 1]]):
                median, below = c, running
            running += sizes[order[start + sequence[i]]]
            if (i == rows - 1 or c != own[sequence[i + 1]]) and abs(total - 2 * running) < best:
                best, code, lower = abs(total - 2 * running), c, running
    if strict:
        return -1 if code == low else code, tie, lower
    # A relaxed cut may go through the rows of the code in the middle, in the order of their ties.
    members, count = np.empty(rows, np.int64), 0
    for i in range(start, end):
        if max(codes[order[i], j], low) == median:
            members[count] = order[i]
            count += 1
    inner = np.argsort(ties[members[:count]])
    for i in range(count - 1):
        below += sizes[members[inner[i]]]
        same = ties[members[inner[i]]] == ties[members[inner[i + 1]]]
        if not same and abs(total - 2 * below) < best:
            best, code, tie, lower = abs(total - 2 * below), median, ties[members[inner[i]]], below
    return -1 if code == low else code, tie, lower


@compiled
def _branches(codes: Any, sizes: Any, order: Any, start: Any, end: Any, j: Any, above: Any, least: Any, amounts: Any,
              group: Any, side: Any) -> Any:  # fmt: skip
    """Every branch becomes a part; those with too few records, and if need be the smallest other one, stay together."""
    nodes, count = np.empty(min(end - start, len(amounts)), np.int64), 0
    for i in range(start, end):
        node = above[codes[order[i], j]]
        if amounts[node] == 0:
            nodes[count] = node
            count += 1
        amounts[node] += sizes[order[i]]
    nodes = np.sort(nodes[:count])
    pooled, smallest = 0, -1
    for node in nodes:
        if amounts[node] < least:
            pooled += amounts[node]
        elif smallest < 0 or amounts[node] < amounts[smallest]:
            smallest = node
    joins = smallest if 0 < pooled < least else -1
    found = 0
    for node in nodes:
        if amounts[node] >= least and node != joins:
            group[node] = found
            found += 1
        else:
            group[node] = -1
    for i in range(start, end):
        own = group[above[codes[order[i], j]]]
        side[i] = found if own < 0 else own
    for node in nodes:
        amounts[node] = 0
    return found + (1 if pooled else 0), 1 if pooled else 0


@compiled
def _finish(order: Any, starts: Any, ends: Any, child: Any, cut: Any, part: Any) -> None:
    for p in range(len(starts)):
        if not cut[p]:
            for i in range(starts[p], ends[p]):
                part[order[i]] = child[p]


@compiled
def _divide(codes: Any, order: Any, starts: Any, ends: Any, side: Any, axis: Any, kind: Any, at: Any, children: Any,
            rest: Any, tree: Any, ancestors: Any) -> Any:  # fmt: skip
    """Put the rows of each child side by side; their order within a child stays."""
    total = 0
    for p in range(len(starts)):
        total += children[p] if kind[p] else 0
    begin, finish, branch = np.empty(total, np.int64), np.empty(total, np.int64), np.full(total, -1, np.int64)
    done = 0
    for p in range(len(starts)):
        if not kind[p]:
            continue
        start, end, many = starts[p], ends[p], children[p]
        sums = np.zeros(many + 1, np.int64)
        for i in range(start, end):
            sums[side[i] + 1] += 1
        for c in range(many):
            sums[c + 1] += sums[c]
            begin[done + c], finish[done + c] = start + sums[c], start + sums[c + 1]
        old = order[start:end].copy()
        for i in range(len(old)):
            c = side[start + i]
            order[start + sums[c]] = old[i]
            sums[c] += 1
        if kind[p] == 3:
            for c in range(many - rest[p]):
                leaf = codes[order[begin[done + c]], axis[p]]
                branch[done + c] = ancestors[tree[axis[p]], at[p], leaf]
        done += many
    return begin, finish, branch
