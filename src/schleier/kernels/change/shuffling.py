"""A rank order drawn from a conditional normal model (Muralidhar and Sarathy 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TINY = 1e-10


def normal_scores(values: Floats) -> Floats:
    """Normal scores of the ranks, (rank - 1/2) / n through the inverse normal; ties share their mean, missing is NaN.

    >>> normal_scores(np.array([30.0, 10, np.nan, 20])).round(3).tolist()
    [0.967, -0.967, nan, 0.0]
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    found = np.full(len(values), np.nan)
    there = ~np.isnan(values)
    if there.any():
        found[there] = ndtri((rankdata(values[there]) - 0.5) / there.sum())
    return found


def drawn_scores(confidential: Floats, known: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """New scores of the confidential columns given the known ones, and how much the known ones explain of each.

    Y = S B + E, with B = Cov(S)^-1 Cov(S, X) and Cov(E) = Cov(X) - Cov(X, S) B. So Y has the correlations of X
    within and with S, and says nothing of X beyond what S says.
    """
    size, width = confidential.shape
    whole = ~(np.isnan(confidential).any(axis=1) | np.isnan(known).any(axis=1))
    noise = rng.standard_normal((size, width))
    if whole.sum() < 3:  # nothing to learn from: independent orders
        return noise, np.zeros(width)
    x, s = confidential[whole], known[whole]
    x_mean, s_mean = x.mean(axis=0), s.mean(axis=0)
    joint = np.cov(np.hstack([x - x_mean, s - s_mean]).T, ddof=0).reshape(width + s.shape[1], -1)
    xx, xs, ss = joint[:width, :width], joint[:width, width:], joint[width:, width:]
    slopes = np.linalg.pinv(ss, rcond=TINY, hermitian=True) @ xs.T  # collinear columns share their slope
    left = xx - xs @ slopes
    values, vectors = np.linalg.eigh((left + left.T) / 2)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    centred = np.nan_to_num(known - s_mean)  # who does not say is taken for average
    spread = np.diag(xx)
    explained = np.where(spread > TINY, 1 - np.diag(left) / np.where(spread > TINY, spread, 1), 0.0)
    return centred @ slopes + noise @ root.T, np.clip(explained, 0, 1)


def in_order(values: Floats, order: Floats) -> NDArray[np.int64]:
    """Who gets whose value: the record with the k-th smallest new score gets the k-th smallest value.

    >>> in_order(np.array([5.0, 9, 7]), np.array([0.1, -2.0, 3.0])).tolist()
    [2, 0, 1]
    """
    place = np.empty(len(values), dtype=np.int64)
    place[np.argsort(order, kind="stable")] = np.argsort(values, kind="stable")
    return place


def dummies(codes: NDArray[np.int64]) -> Floats:
    """A column of 0 and 1 for each category but the first; missing is in none."""
    count = int(codes.max(initial=-1)) + 1
    found: Floats = (codes[:, None] == np.arange(1, max(count, 1))).astype(np.float64)
    return found
