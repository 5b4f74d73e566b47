"""How well sensitive values are guessed by whoever knows the class: sparse counts by class and value.

``counts[i]`` rows of ``classes[i]`` share one value. Entries are in order of class; every class has an entry unless its
rows have no value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.spread.diversity import rows

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


def best_guess(classes: Whole, counts: Whole, size: int) -> Whole:
    """Rows of each class that its most frequent value is right for.

    >>> best_guess(np.array([0, 0, 2]), np.array([3, 1, 2]), 3).tolist()
    [3, 0, 2]
    """
    result = np.zeros(size, dtype=np.int64)
    np.maximum.at(result, classes, counts)
    return result


def gain(hit: float, blind: float) -> float:
    """How much of what a blind guess misses knowledge of the class gets right: (a - b) / (1 - b).

    >>> gain(0.75, 0.5), gain(1.0, 1.0)
    (0.5, 0.0)
    """
    return (hit - blind) / (1 - blind) if blind < 1 else 0.0


def within_reach(classes: Whole, values: Floats, size: int, within: float) -> NDArray[np.bool_]:
    """Classes in which one guess is within a share of every value: 0.05 is 5 % of it; none without a value.

    A guess g fits v when |g - v| <= within |v|: v of one sign and the intervals of the smallest and largest overlap.

    >>> within_reach(np.array([0, 0, 1, 1, 2]), np.array([100.0, 109.0, 100.0, 120.0, 0.0]), 4, 0.05).tolist()
    [True, False, True, False]
    """
    reach = within * np.abs(values)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, classes, values + reach)
    np.maximum.at(high, classes, values - reach)
    there = rows(classes, np.ones(len(classes), dtype=np.int64), size) > 0
    result: NDArray[np.bool_] = there & (high <= low)
    return result
