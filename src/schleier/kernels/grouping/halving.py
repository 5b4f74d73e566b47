"""Records cut in two at the middle of the column in which they spread most, again and again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def pieces(x: Floats, size: int) -> list[Whole]:
    """Records cut into pieces of ``size`` to twice as many, always at the middle of the widest column."""
    order, ends = _pieces(x, size)
    return [np.sort(part) for part in np.split(order, ends[:-1])]


@compiled
def _pieces(x: Floats, size: int) -> tuple[Whole, Whole]:
    order, stack = np.arange(len(x)), [(0, len(x))]
    ends = [0]
    ends.clear()
    while len(stack) > 0:
        start, end = stack.pop()
        if end - start < 2 * size:
            ends.append(end)
            continue
        middle = (start + end) // 2
        halve(x, order, start, end, middle, widest(x, order, start, end))
        stack.append((middle, end))
        stack.append((start, middle))
    return order, np.array(ends)


@compiled
def widest(x: Floats, order: Whole, start: int, end: int) -> int:
    """The column in which records ``order[start:end]`` spread most."""
    columns = x.shape[1]
    low, high = x[order[start]].copy(), x[order[start]].copy()
    for i in range(start + 1, end):
        for j in range(columns):
            value = x[order[i], j]
            low[j] = min(low[j], value)
            high[j] = max(high[j], value)
    return int(np.argmax(high - low))


@compiled
def halve(x: Floats, order: Whole, start: int, end: int, middle: int, j: int) -> None:
    """Put the smaller values of a column before ``middle`` and the larger ones behind (quickselect)."""
    low, high = start, end - 1
    while low < high:
        pivot = x[order[(low + high) // 2], j]
        i, m = low, high
        while i <= m:
            while x[order[i], j] < pivot:
                i += 1
            while x[order[m], j] > pivot:
                m -= 1
            if i <= m:
                order[i], order[m] = order[m], order[i]
                i += 1
                m -= 1
        if middle <= m:
            high = m
        elif middle >= i:
            low = i
        else:
            return
