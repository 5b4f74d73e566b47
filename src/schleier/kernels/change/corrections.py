"""What an analyst does to results from changed data, so that they fit the original again (Höhne 2010)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def additive_covariance(covariance: Floats, d: float) -> Floats:
    """Covariances without noise of covariance d times their own (L700): divided by 1 + d.

    >>> additive_covariance(np.array([[1.25, 0.5], [0.5, 2.5]]), 0.25).tolist()
    [[1.0, 0.4], [0.4, 2.0]]
    """
    result: Floats = np.asarray(covariance, dtype=np.float64) / (1 + d)
    return result


def additive_correlation(correlation: Floats, d: float, changed: Bools, noisy: Bools) -> Floats:
    """Correlations without noise of d times the variance of the ``changed`` columns (from L700).

    Noise in one column alone makes a correlation smaller by the root of 1 + d. Where ``noisy``, it raised the
    covariance by 1 + d too.

    >>> changed, noisy = np.array([True, False]), np.array([[True, False], [False, False]])
    >>> additive_correlation(np.array([[1.0, 0.4], [0.4, 1.0]]), 0.5625, changed, noisy).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    grown = np.where(changed, 1 + d, 1.0)
    factor = np.sqrt(np.outer(grown, grown)) / np.where(noisy, 1 + d, 1.0)
    result: Floats = np.asarray(correlation, dtype=np.float64) * factor
    return result


def multiplied_variance(variance: float, mean: float, noise: float) -> float:
    """Variance without factors of mean one and variance ``noise`` (L2350).

    >>> round(multiplied_variance(1389153778.0**2, 122246804.0, 0.013) ** 0.5)
    1380141896
    """
    return (variance - noise * mean**2) / (1 + noise)


def multiplied_covariance(covariance: Floats, means: Floats, shared: float, own: float) -> Floats:
    """Covariances without factors whose covariance is ``shared`` in one unit and whose variance is ``shared + own``.

    Mixture noise has shared = f squared and own = s squared; factors drawn for every value alone share nothing.
    """
    means = np.asarray(means, dtype=np.float64)
    noise = np.full((len(means), len(means)), shared) + np.diag(np.full(len(means), own))
    result: Floats = (np.asarray(covariance, dtype=np.float64) - noise * np.outer(means, means)) / (1 + noise)
    return result


def noise_spread(noisy: Floats, clean: Floats, records: int) -> Floats:
    """Covariances [i, j, k, l] of the entries of a covariance matrix that come of normal noise alone.

    Given the original values, of any distribution, noise U of covariance N moves them by (XUᵗ + UXᵗ + UUᵗ - nN) / n:
    what products of normal numbers have in the ``noisy`` matrix, less what they have in the ``clean`` one.

    >>> noise_spread(np.array([[1.25]]), np.array([[1.0]]), 101).round(6).tolist()
    [[[[0.01125]]]]
    """
    return (_products(noisy) - _products(clean)) / (records - 1)


def _products(matrix: Floats) -> Floats:
    pairs = np.einsum("ik,jl->ijkl", matrix, matrix)
    return np.asarray(pairs + pairs.transpose(0, 1, 3, 2))


def slope_errors(matrix: Floats, spread: Floats, response: int, records: int) -> Floats:
    """Standard errors of the slopes that follow from corrected covariances with this spread (delta method).

    As those of the original values, for residuals of the same variance everywhere, and what the noise adds to them:
    slopes b = A⁻¹c move by A⁻¹ (dc - dA b).

    >>> clean = np.array([[1.0, 0.5], [0.5, 1.25]])
    >>> slope_errors(clean, np.zeros((2, 2, 2, 2)), 1, 102).round(6).tolist()  # 1 / sqrt(100), as without noise
    [0.1]
    """
    x = [j for j in range(len(matrix)) if j != response]
    inverse = np.linalg.inv(matrix[np.ix_(x, x)])
    direction = np.zeros(len(matrix))
    direction[x], direction[response] = -(inverse @ matrix[x, response]), 1.0
    residual = max(float(direction @ matrix @ direction), 0.0) / (records - 1 - len(x))
    moved = np.einsum("ijkl,j,l->ik", spread, direction, direction)[np.ix_(x, x)]
    found = inverse * residual + inverse @ moved @ inverse
    return np.asarray(np.sqrt(np.maximum(np.diag(found), 0.0)))


def exchanged_counts(counts: Floats, matrix: Floats) -> Floats:
    """Counts before categories were exchanged with these probabilities, row by origin (L734).

    >>> p = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.25, 0.25, 0.5]])
    >>> exchanged_counts(np.array([46.0, 31.0, 23.0]), p).round(9).tolist()
    [40.625, 26.875, 32.5]
    """
    found = np.linalg.solve(np.asarray(matrix, dtype=np.float64).T, np.asarray(counts, dtype=np.float64))
    return np.asarray(found, dtype=np.float64)
