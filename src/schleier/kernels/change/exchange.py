"""Who gets whose value: permutations, windows of ranks, halves (Höhne S01 to S03)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
BATCH = 1 << 20
"""So many draws are made at a time: the draws of ten million records need not be in memory at once."""


def permuted(count: int, share: float, rng: np.random.Generator) -> Places:
    """A random order of a random ``share`` of the records; the others keep their place.

    >>> sorted(permuted(5, 1.0, np.random.default_rng(1)).tolist())
    [0, 1, 2, 3, 4]
    """
    place = np.arange(count)
    chosen = np.sort(rng.permutation(count)[: math.floor(share * count + 0.5)])
    place[chosen] = rng.permutation(chosen)
    return place


def reach(window: float, count: int) -> int:
    """The farthest rank within a window in per cent: the largest whole number below window * count / 100 (L805).

    >>> reach(40, 10), reach(0.172, 16824), reach(1, 10)
    (3, 28, 0)
    """
    return max(math.ceil(window * count / 100 - 1e-9) - 1, 0)


def rank_swapped(values: Floats, window: float, rng: np.random.Generator) -> tuple[Places, int]:
    """Exchange each value with one of at most ``window`` per cent lower rank (S02), and how many found nobody."""
    count, far = len(values), reach(window, len(values))

    def draws(start: int) -> Floats:
        return rng.random(min(BATCH, count - start))

    return swapped_by(values, far, draws)


def swapped_by(values: Floats, far: int, draws: Any) -> tuple[Places, int]:
    """``rank_swapped`` with given draws: ``draws(start)`` are those of the ranks from ``start`` on, in [0, 1).

    >>> x = np.array([10.0, 50, 20, 40, 30, 60, 80, 70, 100, 90])
    >>> x[swapped_by(x, 3, lambda _: np.full(10, 0.9))[0]].tolist()
    [40.0, 80.0, 20.0, 10.0, 30.0, 90.0, 50.0, 100.0, 70.0, 60.0]
    """
    count = len(values)
    small = np.int32 if count < 2**31 - 1 else np.int64  # half the memory
    order = np.argsort(-values, kind="stable").astype(small)
    other, free = np.arange(count, dtype=small), np.arange(count + 1, dtype=small)
    alone = 0
    for start in range(0, count, BATCH):
        alone += _swap(other, free, far, start, draws(start))
    place: Any = np.empty(count, dtype=small)
    _put(order, other, place)
    return place, alone


@compiled
def _swap(other: Any, free: Any, far: int, start: int, draws: Floats) -> int:
    """One batch of ranks. ``free[l]`` leads to the first rank from l on that is not yet exchanged (union-find)."""
    count, alone = len(other), 0
    for i in range(start, start + len(draws)):
        if free[i] != i:
            continue
        span = min(count - 1, i + far) - i
        if span > 0:
            j = i + 1 + int(draws[i - start] * span)
            while free[j] != j:
                free[j] = free[free[j]]
                j = free[j]
            if j <= i + span:
                other[i], other[j] = j, i
                free[i], free[j] = i + 1, j + 1
                continue
        alone += 1
    return alone


@compiled
def _put(order: Any, other: Any, place: Any) -> None:
    for i in range(len(order)):
        place[order[i]] = order[other[i]]


def swap_effect(values: Floats, window: float, rng: np.random.Generator) -> tuple[float, float]:
    """What a window does: the share of a correlation that two such columns keep, and the mean change in means.

    Moore's formulas for windows aim at these. They take the largest move for the usual one, so values move less.

    >>> even = np.linspace(0.0, 1.0, 20_000)
    >>> kept, change = swap_effect(even, window_for_correlation(0.9, even.std(), 1.0), np.random.default_rng(1))
    >>> round(kept, 2), round(swap_effect(even, window_for_change(0.1, 0.5, 1.0), np.random.default_rng(1))[1], 2)
    (0.94, 0.08)
    """
    moved = values[rank_swapped(values, window, rng)[0]]
    mean = float(values.mean())
    change = float(np.abs(moved - values).mean()) / abs(mean) if mean else math.inf
    return float(np.corrcoef(values, moved)[0, 1]) ** 2, change


def halved(values: Floats, rng: np.random.Generator) -> Places:
    """Divide at random into halves and exchange values of equal rank (S03); of an odd number one record stays."""
    order, half = rng.permutation(len(values)), len(values) // 2
    return exchange_ranks(values, np.sort(order[:half]), np.sort(order[half : 2 * half]))


def exchange_ranks(values: Floats, first: Places, second: Places) -> Places:
    """Exchange values of equal rank between two parts of the same size.

    >>> x = np.array([5.0, 1, 9, 7, 3, 8])
    >>> x[exchange_ranks(x, np.array([0, 2, 4]), np.array([1, 3, 5]))].tolist()
    [7.0, 3.0, 8.0, 5.0, 1.0, 9.0]
    """
    place = np.arange(len(values))
    first = first[np.argsort(-values[first], kind="stable")]
    second = second[np.argsort(-values[second], kind="stable")]
    place[first], place[second] = second, first
    return place


def window_for_correlation(target: float, sd: float, span: float) -> float:
    """The window in per cent at which the correlations of a column keep a share ``target`` (Moore, L865).

    >>> round(window_for_correlation(0.9, 1.0, 82.06), 5)
    0.54498
    """
    return 100 * math.sqrt(2 * (1 - target)) * sd / span


def window_for_change(target: float, mean: float, span: float) -> float:
    """The window in per cent at which values change by a share ``target`` of their mean (Moore, L877, ERR-9).

    >>> round(window_for_change(3.2863, 1 / 12, 82.06), 3)
    0.545
    """
    return 100 * math.sqrt(8 / 3) * target * abs(mean) / span
