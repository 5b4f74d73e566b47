"""Records drawn from a kernel density, and Latin hypercubes with the rank correlations of a file (Höhne Y01, Y02)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TRIES, MOST_TRIES = 20, 2_000_000
"""Pairs tried per record and in all when a hypercube is refined."""


def bandwidth(count: int, columns: int) -> float:
    """Scott's rule, n^(-1/(d+4)), as a share of the standard deviation.

    >>> round(bandwidth(1000, 2), 4)
    0.3162
    """
    return float(count ** (-1 / (columns + 4)))


def from_density(values: Floats, size: int, smooth: float, rng: np.random.Generator) -> Floats:
    """Draw from a density of normal kernels: a random record plus noise with ``smooth`` times its covariance.

    The values are drawn towards the mean first, so that the density has the variance of the file (shrunken kernels,
    Silverman 1986, 6.4.1). What is missing in the record stays missing. A column without a negative value has none
    afterwards (reflected), and zeros stay zeros: its mean then grows a little.
    """
    donor = values[rng.integers(0, len(values), size)]
    complete = values[~np.isnan(values).any(axis=1)]
    mean = np.array([column[~np.isnan(column)].mean() if (~np.isnan(column)).any() else 0.0 for column in values.T])
    spread = (
        np.cov(complete.T, ddof=0).reshape(values.shape[1], -1) if len(complete) > 1 else np.zeros((len(mean),) * 2)
    )
    found, vectors = np.linalg.eigh((spread + spread.T) / 2)
    noise = rng.standard_normal((size, len(mean))) @ (vectors * np.sqrt(np.clip(found, 0, None))).T
    drawn: Floats = mean + (donor - mean + smooth * noise) / np.sqrt(1 + smooth**2)
    for j, column in enumerate(values.T):
        held = column[~np.isnan(column)]
        if len(held) and held.min() >= 0:
            drawn[:, j] = np.where(donor[:, j] == 0, 0.0, np.abs(drawn[:, j]))
    return drawn


def quantiles(sorted_values: Floats, at: Floats, steps: bool) -> Floats:
    """The smoothed quantile function (straight lines between the values), or the one with steps.

    >>> quantiles(np.array([0.0, 10, 20]), np.array([0.25, 0.5]), False).tolist()
    [5.0, 10.0]
    """
    count = len(sorted_values)
    if steps:
        return sorted_values[np.minimum((at * count).astype(np.int64), count - 1)]
    return np.interp(at * (count - 1), np.arange(count), sorted_values)


def stratified(size: int, rng: np.random.Generator) -> Floats:
    """One number from each of ``size`` equal parts of (0, 1), ascending: (i - v_i) / n (L912)."""
    found: Floats = (np.arange(1, size + 1) - rng.random(size)) / size
    return found


def rank_correlation(values: Floats) -> Floats:
    """Spearman's correlation of the records without gaps; 0 for a column that does not vary."""
    from scipy.stats import rankdata

    whole = values[~np.isnan(values).any(axis=1)]
    ranks = rankdata(whole, axis=0) if len(whole) else np.zeros((1, values.shape[1]))
    ranks = ranks - ranks.mean(axis=0)
    size = np.sqrt((ranks**2).sum(axis=0))
    ranks = ranks / np.where(size > 0, size, 1)
    found: Floats = ranks.T @ ranks
    np.fill_diagonal(found, 1.0)
    return found


def iman_conover(target: Floats, size: int, rng: np.random.Generator) -> Ints:
    """Ranks (from 0) for each column, whose correlation is near the target (Iman and Conover 1982)."""
    from scipy.special import ndtri

    columns = len(target)
    base = ndtri(np.arange(1, size + 1) / (size + 1))
    table = np.stack([rng.permutation(base) for _ in range(columns)], axis=1)
    table = table @ np.linalg.inv(_root(np.corrcoef(table.T).reshape(columns, -1))).T @ _root(target).T
    ranks = np.empty((size, columns), dtype=np.int64)
    for j in range(columns):
        ranks[np.argsort(table[:, j], kind="stable"), j] = np.arange(size)
    return ranks


def _root(matrix: Floats) -> Floats:
    """A Cholesky factor; what is not quite a correlation matrix is made one first."""
    found, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    whole = (vectors * np.clip(found, 1e-8, None)) @ vectors.T
    size = np.sqrt(np.diag(whole))
    return np.linalg.cholesky(whole / np.outer(size, size))


def refined(ranks: Ints, target: Floats, rng: np.random.Generator) -> Ints:
    """Exchange pairs within columns as long as that brings the rank correlations nearer to the target."""
    size, columns = ranks.shape
    if columns < 2 or size < 3:
        return ranks
    tries = min(TRIES * size, MOST_TRIES)
    result = ranks.astype(np.float64) - (size - 1) / 2
    pairs, column = rng.integers(0, size, (tries, 2)), rng.integers(0, columns, tries)
    _refine(result, target, pairs, column)
    found: Ints = np.round(result + (size - 1) / 2).astype(np.int64)
    return found


@compiled
def _refine(ranks: Floats, target: Floats, pairs: Ints, column: Ints) -> None:
    size, columns = ranks.shape
    total = 0.0
    for i in range(size):
        total += ranks[i, 0] ** 2
    now = np.zeros((columns, columns))
    for j in range(columns):
        for k in range(columns):
            for i in range(size):
                now[j, k] += ranks[i, j] * ranks[i, k]
    now /= total
    change = np.zeros(columns)
    for n in range(len(column)):
        a, b, j = pairs[n, 0], pairs[n, 1], column[n]
        gain = 0.0
        for k in range(columns):
            change[k] = 0.0
            if k != j:
                change[k] = -(ranks[a, j] - ranks[b, j]) * (ranks[a, k] - ranks[b, k]) / total
                gain += (now[j, k] - target[j, k]) ** 2 - (now[j, k] + change[k] - target[j, k]) ** 2
        if gain > 0:
            ranks[a, j], ranks[b, j] = ranks[b, j], ranks[a, j]
            for k in range(columns):
                now[j, k] += change[k]
                now[k, j] = now[j, k]


def hypercube(values: Floats, size: int, whole: Any, refine: bool, rng: np.random.Generator) -> Floats:
    """``size`` records with the distribution of each column and about the rank correlations of the values."""
    columns = values.shape[1]
    target = rank_correlation(values)
    ranks = iman_conover(target, size, rng) if columns > 1 else rng.permutation(size)[:, None]
    ranks = refined(ranks, target, rng) if refine else ranks
    found = np.full((size, columns), np.nan)
    for j in range(columns):
        held = np.sort(values[~np.isnan(values[:, j]), j])
        at = stratified(size, rng)
        if not len(held):
            continue
        found[:, j] = quantiles(held, at, bool(whole[j]))[ranks[:, j]]
        gaps = int(np.floor(size * (1 - len(held) / len(values)) + 0.5))
        found[rng.permutation(size)[:gaps], j] = np.nan
    return found
