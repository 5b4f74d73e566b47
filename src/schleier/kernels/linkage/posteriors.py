"""How likely each of some candidates is the record of a person who has one record at most, from their weights alone.

A weight is the logarithm of how much likelier a pair looks when it is one person than when it is two. The share of the
persons who are in the file at all is learnt from the weights, too (expectation and maximisation).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.linkage.penalties import Neighbours

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

STEPS = 200
"""Turns of learning at most; it stops when nothing changes."""
STILL = 1e-9
ALIKE = 1e-6
"""Weights that differ by less are equal: the rest is rounding."""


def posteriors(
    target: Whole,
    weight: Floats,
    targets: int,
    records: int,
    *,
    contained: float | None = None,
    many: int | None = None,
) -> tuple[Floats, float]:
    """The probability of each pair, and the share of targets who are in the file.

    Pairs stand in the order of their targets. Records that are no candidate count for nothing, unless the list of a
    target was cut after so ``many``: then each of the others counts like the last candidate, or like anybody.

    >>> found, share = posteriors(np.array([0, 0, 1]), np.log([900.0, 100.0, 1e-6]), 2, 1000, contained=0.5)
    >>> found.round(3).tolist(), share
    ([0.45, 0.05, 0.0], 0.5)
    """
    if not len(target):
        return np.zeros(0), 0.0 if contained is None else contained
    starts = np.flatnonzero(np.diff(target, prepend=-1))
    owner = target[starts]
    counts = np.diff(starts, append=len(target))
    factor = np.exp(np.minimum(weight, 700.0)) / records
    total = np.zeros(targets)
    total[owner] = np.add.reduceat(factor, starts)
    if many is not None:
        last = np.minimum.reduceat(factor, starts)
        total[owner] += np.where(counts >= many, (records - counts) * np.minimum(last, 1.0 / records), 0.0)
    share = _share(total) if contained is None else contained
    return np.asarray(share * factor / (1 - share + share * total[target])), share


def _share(total: Floats) -> float:
    """The share that makes the weights likeliest; never nobody, never everybody."""
    least = 1.0 / (len(total) + 1)
    share = 0.5
    for _ in range(STEPS):
        here = float(np.clip(np.mean(share * total / (1 - share + share * total)), least, 1 - least))
        if abs(here - share) < STILL:
            return here
        share = here
    return share


def listed(target: Whole, record: Whole, distance: Floats, targets: int, many: int) -> Neighbours:
    """Pairs as the nearest records of each target.

    >>> found = listed(np.array([1, 1, 0]), np.array([4, 2, 3]), np.array([0.5, 0.1, 0.2]), 3, 2)
    >>> found.record.tolist(), found.tied.tolist()
    ([[3, -1], [2, 4], [-1, -1]], [1, 1, 0])
    """
    order = np.lexsort((record, distance, target))
    target, record, distance = target[order], record[order], distance[order]
    starts = np.searchsorted(target, np.arange(targets))
    rank = np.arange(len(target)) - starts[target] if len(target) else np.zeros(0, dtype=np.int64)
    best = distance[starts[target]] if len(target) else distance
    tied = np.bincount(target[distance <= best + ALIKE], minlength=targets)
    kept = rank < many
    width = max(int(rank[kept].max(initial=0)) + 1, 1)
    near, where = np.full((targets, width), np.inf), np.full((targets, width), -1, dtype=np.int64)
    near[target[kept], rank[kept]], where[target[kept], rank[kept]] = distance[kept], record[kept]
    return Neighbours(near, where, tied.astype(np.int64))
