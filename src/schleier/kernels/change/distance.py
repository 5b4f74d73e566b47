"""Exchange values that lie too close to what they were with the nearest that do not (Höhne S04)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def close(old: Floats, new: Floats, share: float) -> NDArray[np.bool_]:
    """Which values differ by less than a share of what they were; from zero every distance is enough but none.

    >>> close(np.array([100.0, 100, 0]), np.array([103.0, 110, 0]), 0.05).tolist()
    [True, False, False]
    """
    return np.abs(new - old) < share * np.abs(old)


def pair_at_distance(old: Floats, new: Floats, share: float, rng: np.random.Generator) -> tuple[Ints, int]:
    """Who gets whose new value, and how many are still too close: pairs, taken in random order.

    >>> old, new = np.array([100.0, 200, 300]), np.array([101.0, 230, 340])
    >>> place, left = pair_at_distance(old, new, 0.05, np.random.default_rng(1))
    >>> place.tolist(), left
    ([1, 0, 2], 0)
    """
    order = np.argsort(new, kind="stable")
    rank = np.empty(len(new), dtype=np.int64)
    rank[order] = np.arange(len(new))
    flagged = np.flatnonzero(close(old, new, share))
    other = np.arange(len(new))
    left = int(_pairs(old[order], new[order], share, rank[rng.permutation(flagged)], other))
    place = np.empty(len(new), dtype=np.int64)
    place[order] = order[other]
    return place, left


@compiled
def _pairs(old: Floats, new: Floats, share: float, flagged: Ints, other: Ints) -> int:
    """Everything in order of the new values. ``up`` and ``down`` lead to the next rank that is free (union-find)."""
    count, left = len(new), 0
    up, down = np.arange(count + 1), np.arange(count + 1)  # down is shifted by one: 0 stands for nobody
    for i in flagged:
        if other[i] != i:
            continue
        gap = share * abs(old[i])
        j, k = np.searchsorted(new, old[i] + gap), np.searchsorted(new, old[i] - gap, side="right")
        while True:
            while up[j] != j:
                up[j] = up[up[j]]
                j = up[j]
            while down[k] != k:
                down[k] = down[down[k]]
                k = down[k]
            if j >= count and k <= 0:
                left += 1
                break
            higher = k <= 0 or (j < count and new[j] - new[i] <= new[i] - new[k - 1])
            c = j if higher else k - 1
            if c != i and abs(new[i] - old[c]) >= share * abs(old[c]) and abs(new[c] - old[i]) >= gap:
                other[i], other[c] = c, i
                up[i], up[c] = i + 1, c + 1
                down[i + 1], down[c + 1] = i, c
                break
            if higher:
                j += 1
            else:
                k -= 1
    return left
