"""What the mean and the variance of a block of records tell of each of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.change.restoration import blocks_of

Real = NDArray[np.float64]
USUAL = 2.0
"""Three quarters of a block at least lie within so many standard deviations of its mean (Chebyshev)."""


def block_bounds(values: Real, block: int | None) -> tuple[Real, Real, Real]:
    """For each value the mean of its block, how far most of the block lie from it, and how far any of it can.

    Nobody in a block of n is farther from its mean than √(n - 1) standard deviations (Samuelson 1968). As many equal
    values as a block holds are one of their own; the others are cut as the correction cuts them, from the largest value
    downwards. Without a size all values are one. Gaps are nan.

    >>> mean, most, any_ = block_bounds(np.array([9.0, 11.0, 5.0, 5.0, 5.0]), 2)
    >>> mean.tolist(), most.tolist(), any_.tolist()
    ([10.0, 10.0, 5.0, 5.0, 5.0], [2.0, 2.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0])
    """
    found = np.full((3, len(values)), np.nan)
    held = np.flatnonzero(~np.isnan(values))
    if not len(held):
        return found[0], found[1], found[2]
    _, number, many = np.unique(values[held], return_inverse=True, return_counts=True)
    alike = many[number] >= (block or len(held))
    rest = held[~alike]
    order, starts = blocks_of(values[rest], block or len(held))
    parts = np.split(rest[order], starts[1:])
    equal = held[alike][np.argsort(number[alike], kind="stable")]
    parts += np.split(equal, np.flatnonzero(np.diff(values[equal])) + 1)
    for who in parts:
        if not len(who):
            continue
        mean, sd = values[who].mean(), values[who].std()
        found[:, who] = np.array([[mean], [USUAL * sd], [np.sqrt(len(who) - 1) * sd]])
    return found[0], found[1], found[2]
