"""How varied the sensitive values of each class are.

Sparse counts: ``counts[i]`` rows of ``classes[i]`` share one value. Entries are in order of class; a class that does
not occur has no rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

TINY = 1e-9
"""What rounding may add to a level without a class failing for it."""


def distinct(classes: Whole, size: int) -> Floats:
    """Different values in each class.

    >>> distinct(np.array([0, 0, 2]), 3).tolist()
    [2.0, 0.0, 1.0]
    """
    return np.bincount(classes, minlength=size).astype(np.float64)


def rows(classes: Whole, counts: Whole, size: int) -> Whole:
    """Rows of each class."""
    result = np.zeros(size, dtype=np.int64)
    np.add.at(result, classes, counts)
    return result


def class_shares(classes: Whole, counts: Whole, size: int) -> Floats:
    """What part of its class each entry is."""
    return counts / np.maximum(rows(classes, counts, size), 1)[classes]


def effective(classes: Whole, counts: Whole, size: int, *, corrected: bool = False) -> Floats:
    """So many equally frequent values are as varied as those of the class: the exponential of its entropy.

    With ``corrected`` of Grassberger's estimate (2003), ln n - sum n_i G(n_i) / n.

    >>> effective(np.array([0, 0, 1, 1]), np.array([2, 2, 3, 1]), 2).round(4).tolist()
    [2.0, 1.7548]
    """
    p = class_shares(classes, counts, size)
    if corrected:
        many = np.maximum(rows(classes, counts, size), 1)
        entropy = np.log(many) - np.bincount(classes, weights=p * grassberger(counts), minlength=size)
    else:
        entropy = np.bincount(classes, weights=-p * np.log(p), minlength=size)
    result: Floats = np.where(np.bincount(classes, minlength=size) > 0, np.exp(entropy), 0.0)
    return result


def grassberger(counts: Whole) -> Floats:
    """G(n) = psi(n) + (-1)^n / 2 (psi((n + 1) / 2) - psi(n / 2)), which stands in for ln n.

    >>> grassberger(np.array([1, 2, 3])).round(4).tolist()
    [-1.2704, 0.7296, 0.7296]
    """
    from scipy.special import digamma

    sign = np.where(counts % 2, -0.5, 0.5)
    result: Floats = digamma(counts) + sign * (digamma((counts + 1) / 2) - digamma(counts / 2))
    return result


def recursive(classes: Whole, counts: Whole, size: int, c: float) -> Floats:
    """The largest l for which the most frequent value is rarer than c times all from the l-th most frequent on.

    >>> recursive(np.array([0, 0, 0, 1]), np.array([4, 2, 1, 5]), 2, 2.0).tolist()
    [2.0, 1.0]
    """
    order = np.lexsort((-counts, classes))
    classes, counts = classes[order], counts[order]
    before = np.cumsum(counts) - counts
    first = np.searchsorted(classes, classes, side="left")
    tail = rows(classes, counts, size)[classes] - (before - before[first])  # the entry and all that are rarer
    return np.bincount(classes[counts[first] < c * tail], minlength=size).astype(np.float64)


def highest(classes: Whole, values: NDArray[Any], size: int) -> Floats:
    """The largest value of each class; 0 where there is none or all are below.

    >>> highest(np.array([0, 0, 2]), np.array([0.5, 1.5, -1.0]), 3).tolist()
    [1.5, 0.0, 0.0]
    """
    result = np.zeros(size)
    np.maximum.at(result, classes, values)
    return result
