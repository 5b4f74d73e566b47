"""Groups that keep their variance: two values for each group instead of its mean (Höhne 3.3.2, M13)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

LEAST = 4
"""Two records share each of the two values of a group."""
AS_IT_IS, ENLARGED, PLAIN, MIXED = range(4)
"""What became of a value: as usual, in a group joined with its neighbour, the plain mean, or among both signs."""
LAST_DIGITS = 1e-12


def two_values(group: Floats, lower: int) -> tuple[float, float]:
    """What the ``lower`` smallest records of a group get, and what the others get: mean and variance stay.

    >>> [round(value, 2) for value in two_values(np.array([1280.0, 1290, 1300, 1490]), 2)]
    [1253.11, 1426.89]
    """
    upper, mean, sd = len(group) - lower, float(group.mean()), float(group.std())
    return mean - math.sqrt(upper / lower) * sd, mean + math.sqrt(lower / upper) * sd  # (3.3-1) and its uneven form


def by_sign(values: Floats, k: int, *, keep_zeros: bool = False) -> tuple[Floats, Ints]:
    """New values without missing ones, and what became of each; both signs apart where each has k values.

    Negative values are grouped by their size, so that no value crosses zero.

    >>> by_sign(np.array([1.0, 2, 3, 6]), 4)[0].round(3).tolist()
    [1.129, 1.129, 4.871, 4.871]
    """
    new, how = values.copy(), np.zeros(len(values), dtype=np.int64)
    held = values != 0 if keep_zeros else np.ones(len(values), dtype=np.bool_)
    below, above = held & (values < 0), held & (values >= 0)
    if min(int(below.sum()), int(above.sum())) == 0 or min(int(below.sum()), int(above.sum())) >= k:
        for block, sign in ((above, 1.0), (below, -1.0)):
            if block.any():
                found, how[block] = preserved(sign * values[block], k, floor=True)
                new[block] = sign * found
    else:  # a few values of the other sign cannot hide on their own
        new[held], _ = preserved(values[held], k, floor=False)
        how[held] = MIXED
    return new, how


def preserved(values: Floats, k: int, *, floor: bool) -> tuple[Floats, Ints]:
    """Two values for each group of k neighbours, and what became of each record.

    Groups are cut from the largest value downwards, the last takes the remainder; equal values keep their order. With
    a ``floor`` no value may fall below zero: fewer records share the upper value, down to two; then the group is
    joined with a neighbour, the larger one first; then its records get their mean (Höhne L1541).
    """
    if len(values) < k or k < LEAST:
        raise ValueError("too few values")
    order = np.argsort(-values, kind="stable")
    ordered = values[order]
    starts = np.arange(len(values) // k) * k
    sizes = np.diff(np.append(starts, len(values)))
    upper = sizes // 2
    mean, sd = _moments(ordered, starts, sizes)
    bad = np.zeros(len(starts), dtype=np.bool_)
    if floor:
        bad = _below(mean, sd, sizes, upper)
        while (fewer := bad & (upper > 2)).any():
            upper[fewer] -= 1
            bad = _below(mean, sd, sizes, upper)
    how = np.where(bad, PLAIN, AS_IT_IS)
    head = np.ones(len(starts), dtype=np.bool_)
    for i in np.flatnonzero(bad):
        for one, other in ((i - 1, i), (i, i + 1)):
            free = one >= 0 and other < len(starts) and (how[[one, other]] != ENLARGED).all()
            # The plain mean of a larger neighbour was decided on already.
            if not free or how[i] == ENLARGED or (one < i and how[one] == PLAIN):
                continue
            end = starts[other] + sizes[other]
            if (found := _fitting(ordered[starts[one] : end])) is not None:
                sizes[one], upper[one], head[other] = end - starts[one], found, False
                how[[one, other]] = ENLARGED
    starts, sizes, upper, how = starts[head], sizes[head], upper[head], how[head]
    mean, sd = _moments(ordered, starts, sizes)
    sd[how == PLAIN] = 0.0
    lower = sizes - upper
    low, high = mean - np.sqrt(upper / lower) * sd, mean + np.sqrt(lower / upper) * sd
    if floor:
        low = np.maximum(low, 0.0)  # the last digits of a zero
    rank = np.arange(len(values)) - np.repeat(starts, sizes)
    new, became = np.empty(len(values)), np.empty(len(values), dtype=np.int64)
    new[order] = np.where(rank < np.repeat(upper, sizes), np.repeat(high, sizes), np.repeat(low, sizes))
    became[order] = np.repeat(how, sizes)
    return new, became


def _moments(ordered: Floats, starts: Ints, sizes: Ints) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each group, computed inside the group: nothing cancels out."""
    mean = np.add.reduceat(ordered, starts) / sizes
    apart = ordered - np.repeat(mean, sizes)
    return mean, np.sqrt(np.add.reduceat(apart * apart, starts) / sizes)


def _below(mean: Floats, sd: Floats, sizes: Ints, upper: Ints) -> Bools:
    result: Bools = np.sqrt(upper / (sizes - upper)) * sd > mean * (1 + LAST_DIGITS)
    return result


def _fitting(group: Floats) -> int | None:
    """How many records share the upper value so that the lower one is not below zero: as many as possible."""
    size, mean, sd = len(group), float(group.mean()), float(group.std())
    for upper in range(size // 2, 1, -1):
        if math.sqrt(upper / (size - upper)) * sd <= mean * (1 + LAST_DIGITS):
            return upper
    return None
