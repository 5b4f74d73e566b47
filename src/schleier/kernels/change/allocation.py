"""How many units to take from each stratum, and where the draw of the last one lies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Shares = NDArray[np.float64]


def by_fraction(sizes: Counts, fraction: float | Shares) -> Counts:
    """The nearest whole number of each stratum; at least one, and not all unless everything is asked for.

    >>> by_fraction(np.array([100, 5, 2, 1]), 0.9).tolist()
    [90, 4, 1, 1]
    >>> by_fraction(np.array([100, 100, 5]), np.array([0.1, 0.5, 1.0])).tolist()
    [10, 50, 5]
    """
    wanted = np.floor(sizes * fraction + 0.5).astype(np.int64)
    taken: Counts = np.where(np.asarray(fraction) == 1, sizes, np.clip(wanted, 1, np.maximum(sizes - 1, 1)))
    return taken


def by_total(sizes: Counts, total: int, most: Counts) -> Counts:
    """``total`` in proportion to the sizes (largest remainders), at least one and at most ``most`` of each stratum.

    Needs ``len(sizes) <= total <= most.sum()``.

    >>> by_total(np.array([60, 30, 10]), 5, np.array([59, 29, 9])).tolist()
    [3, 1, 1]
    """
    share = sizes * total
    taken = np.clip(share // max(int(sizes.sum()), 1), 1, most)
    while (left := total - int(taken.sum())) != 0:
        over = taken * sizes.sum() - share  # how far beyond its share, in whole numbers
        if left > 0:
            free = np.flatnonzero(taken < most)
            chosen = free[np.argsort(over[free], kind="stable")][:left]
        else:
            free = np.flatnonzero(taken > 1)
            chosen = free[np.argsort(-over[free], kind="stable")][:-left]
        taken[chosen] += np.sign(left)
    return taken


def border(stratum: Counts, bucket: Counts, counts: Counts, taken: Counts) -> tuple[Counts, Counts]:
    """The bucket of draws in which each stratum is full, and how many it takes from that bucket.

    ``counts[i]`` units of ``stratum[i]`` have their draw in ``bucket[i]``; buckets ascend with the draws.

    >>> border(np.array([0, 0, 0]), np.array([2, 0, 1]), np.array([5, 3, 4]), np.array([6]))
    (array([1]), array([3]))
    """
    order = np.lexsort((bucket, stratum))
    stratum, bucket, counts = stratum[order], bucket[order], counts[order]
    starts = np.searchsorted(stratum, np.arange(len(taken)))
    running = np.cumsum(counts)
    before = np.concatenate([[0], running])[starts]  # units of earlier strata
    place = np.searchsorted(running, before + taken)
    return bucket[place], taken - (running[place] - counts[place] - before)
