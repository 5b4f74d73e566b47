"""How alike two distributions are: weighted columns of two files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def weight_shares(weights: NDArray[Any]) -> Floats:
    """Weights as parts of one; all zero when there is none."""
    total = weights.sum()
    result: Floats = np.asarray(weights / (total if total else 1.0), dtype=np.float64)
    return result


def hellinger(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Hellinger's distance of two rows of counts: 0 for the same shares, 1 when they have nothing in common.

    >>> hellinger(np.array([1.0, 1.0]), np.array([2.0, 2.0])), hellinger(np.array([1.0, 0.0]), np.array([0.0, 3.0]))
    (0.0, 1.0)
    """
    return float(np.sqrt(((np.sqrt(weight_shares(a)) - np.sqrt(weight_shares(b))) ** 2).sum() / 2))


def total_variation(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Share that must move to turn one distribution into the other."""
    return float(np.abs(weight_shares(a) - weight_shares(b)).sum() / 2)


def _steps(x: Floats, wx: Floats, y: Floats, wy: Floats) -> tuple[Floats, Floats]:
    """The different numbers in order, and the difference of the two distribution functions at each."""
    numbers, place = np.unique(np.concatenate([x, y]), return_inverse=True)
    below = np.bincount(place[: len(x)], weights=weight_shares(wx), minlength=len(numbers))
    above = np.bincount(place[len(x) :], weights=weight_shares(wy), minlength=len(numbers))
    result: Floats = np.cumsum(below - above)
    return numbers, result


def kolmogorov(x: Floats, wx: Floats, y: Floats, wy: Floats) -> float:
    """Largest distance of the two distribution functions (Kolmogorov and Smirnov).

    >>> one = np.ones(2)
    >>> kolmogorov(np.array([1.0, 2.0]), one, np.array([2.0, 3.0]), one)
    0.5
    """
    return float(np.abs(_steps(x, wx, y, wy)[1]).max(initial=0.0))


def wasserstein(x: Floats, wx: Floats, y: Floats, wy: Floats) -> float:
    """How far the numbers of one file must be moved on average to become those of the other (earth mover).

    >>> one = np.ones(2)
    >>> wasserstein(np.array([1.0, 2.0]), one, np.array([2.0, 3.0]), one)
    1.0
    """
    numbers, apart = _steps(x, wx, y, wy)
    return float(np.abs(apart[:-1]) @ np.diff(numbers)) if len(numbers) else 0.0
