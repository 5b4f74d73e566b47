"""Noise to add to a matrix of numbers, with a given covariance (Höhne 2.2.2 and 4.1; Kim 1986; Roque, Yancey)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.change.keyed import KeyedDraws

Floats = NDArray[np.float64]


def complete(numbers: Floats) -> NDArray[np.bool_]:
    """Rows without a missing number."""
    return ~np.asarray(np.isnan(numbers).any(axis=1))


def means_and_covariances(numbers: Floats) -> tuple[Floats, Floats]:
    """Means and covariances (divisor n) of the complete rows; NaN when there are none.

    Sums over rows go column by column in NumPy's own order, the same however many threads there are.
    """
    whole = complete(numbers)
    held = numbers if whole.all() else numbers[whole]
    n, m = held.shape
    if not n:
        return np.full(m, np.nan), np.full((m, m), np.nan)
    mean = np.array([column.sum() / n for column in held.T])
    covariance = np.empty((m, m))
    for j in range(m):
        first = held[:, j] - mean[j]
        for k in range(j, m):
            second = first if k == j else held[:, k] - mean[k]
            covariance[j, k] = covariance[k, j] = (first * second).sum() / n
    return mean, covariance


def root(covariance: Floats) -> Floats:
    """A matrix L with L Lᵗ = covariance: Cholesky's, or a symmetric one where columns depend on each other."""
    if definite(covariance):
        return np.asarray(np.linalg.cholesky(covariance), np.float64)
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))


def definite(covariance: Floats) -> bool:
    """Whether no column follows from the others, up to rounding."""
    sd = np.sqrt(np.diag(covariance))
    if not (sd > 0).all():
        return False
    return bool(np.linalg.eigvalsh(covariance / np.outer(sd, sd)).min() > 1e-10)


def largest_centre(covariance: Floats, signs: Floats) -> float:
    """c_max = (eᵗ R⁻¹ e)^(-1/2): below it the components of the mixture have a covariance (from 4.1-12).

    >>> round(largest_centre(np.array([[4, 1.2], [1.2, 1]]), np.ones(2)), 6)
    0.894427
    """
    if not definite(covariance):
        return 0.0
    sd = np.sqrt(np.diag(covariance))
    return float(1 / np.sqrt(signs @ np.linalg.solve(covariance / np.outer(sd, sd), signs)))


def within(covariance: Floats, d: float, centre: Floats) -> Floats:
    """Covariance of each component of the mixture, d·Σ - μμᵗ (4.1-12)."""
    return np.asarray(d * covariance - np.outer(centre, centre))


def simplex(m: int) -> Floats:
    """The m + 1 corners of a regular simplex around 0: their mean is 0, their covariance the unit matrix.

    >>> corners = simplex(2)
    >>> bool(np.allclose(corners.T @ corners / 3, np.eye(2)) and np.allclose(corners.sum(axis=0), 0))
    True
    """
    centred = np.eye(m + 1) - 1 / (m + 1)
    # An orthonormal basis of the hyperplane the corners lie in.
    basis = np.linalg.svd(centred)[0][:, :m]
    return np.asarray(centred @ basis * np.sqrt(m + 1))


def correlated(draws: KeyedDraws, covariance: Floats, d: float) -> Floats:
    """√d·W₁·Lᵗ with white noise W₁ (4.1-10)."""
    return coloured(draws.normals("noise", len(covariance)), root(covariance) * np.sqrt(d))


def roque(draws: KeyedDraws, covariance: Floats, d: float, g: float) -> Floats:
    """m + 1 components of equal weight and covariance g·d·Σ, their centres on a simplex (4.1-9)."""
    m = len(covariance)
    corners = simplex(m) * np.sqrt(1 - g)
    component = np.minimum((draws.uniform("component") * (m + 1)).astype(np.int64), m)
    white = draws.normals("noise", m) * np.sqrt(g) + corners[component]
    return coloured(white, root(covariance) * np.sqrt(d))


def yancey(draws: KeyedDraws, covariance: Floats, d: float, c: float) -> Floats:
    """Each column of white noise is a mixture of two, then all are mixed by the root of the covariance."""
    m = len(covariance)
    white = draws.normals("noise", m) * np.sqrt(1 - c * c)
    for column in range(m):
        white[:, column] += c * draws.signs(f"component:{column}")
    return coloured(white, root(covariance) * np.sqrt(d))


def mixture(draws: KeyedDraws, covariance: Floats, d: float, centre: Floats) -> Floats:
    """Two components at ±μ with covariance d·Σ - μμᵗ: columns with 2 μ² > d·Var have two peaks (Höhne 4.1)."""
    found = coloured(draws.normals("noise", len(centre)), root(within(covariance, d, centre)))
    sign = draws.signs("component")
    for column in range(len(centre)):
        found[:, column] += sign * centre[column]
    return found


def coloured(white: Floats, factor: Floats) -> Floats:
    """White noise with the covariance L Lᵗ."""
    if len(factor) == 1:
        white *= factor[0, 0]
        return white
    return np.asarray(white @ factor.T)


def exact_noise(noise: Floats, numbers: Floats, d: float) -> Floats:
    """Noise with mean 0, covariance exactly d·Σ and none with the numbers, where rows are complete.

    Brand's and Yancey's whitening (footnote 17) after the part that follows the numbers was taken out.
    """
    rows = complete(numbers)
    mean, covariance = means_and_covariances(numbers)
    held, clean = numbers[rows] - mean, noise[rows]
    for _ in range(2):  # the second time takes out what rounding left of the first
        clean = clean - np.array([column.mean() for column in clean.T])
        cross = np.array([[(held[:, j] * clean[:, k]).mean() for k in range(len(mean))] for j in range(len(mean))])
        clean -= held @ np.linalg.solve(covariance, cross)
    have = np.linalg.cholesky(means_and_covariances(clean)[1])
    noise = noise.copy()
    noise[rows] = clean @ np.linalg.solve(have.T, np.linalg.cholesky(d * covariance).T)
    return noise


def white(noise: Floats) -> Floats:
    """W' = (W - mean)·((Σ^½)⁻¹)ᵗ: mean 0 and covariance exactly the unit matrix (N03)."""
    mean, covariance = means_and_covariances(noise)
    return np.asarray(np.linalg.solve(np.linalg.cholesky(covariance), (noise - mean).T).T)
