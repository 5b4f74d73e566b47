"""Class sizes as Poisson numbers whose means follow an inverse Gaussian distribution (Carlson 2002).

With ``mean`` m and ``spread`` b the chance of an empty cell is L(1), where L(s) = exp((m/b) (1 - sqrt(1 + 2 b s))) is
the Laplace transform of the means. A sample of fraction c of the population has the same distribution with c m and c b.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Floats = NDArray[np.float64]
FITTED = 1000
"""Only classes up to this size are fitted, given that they are not larger: the small ones matter."""
WALKED = 2000
"""Up to this class size the risk is integrated; above it is expanded in moments (an error of about 1e-6 of it)."""
LOGS = ((-20.0, 14.0), (-15.0, 25.0))
"""Where the logarithms of mean and spread are looked for."""


@dataclass(frozen=True)
class Fit:
    """The distribution of the sizes of all cells of the sample, empty ones included."""

    mean: float
    """Records per cell."""
    spread: float
    """How unequal cells are: the variance of their means is mean times spread."""
    cells: float
    """Cells in all, also those nobody was drawn from."""
    edge: bool
    """Whether nothing fits: no class has two records, or the likelihood rises without end. Do not trust it."""
    covariance: NDArray[np.float64]
    """Of the logarithms of mean and spread."""


def fit(sizes: NDArray[np.int64]) -> Fit:
    """Maximum likelihood from the numbers of classes of each size; empty cells are not seen.

    >>> found = fit(np.repeat([1, 2, 3, 4, 5, 8, 20], [60, 20, 10, 6, 4, 2, 1]))
    >>> found.mean < found.spread, found.edge
    (True, False)
    """
    from scipy.optimize import minimize

    seen = np.bincount(np.minimum(sizes, FITTED + 1)).astype(np.float64)[1:]
    cut = len(seen) > FITTED
    counts = seen[:FITTED]

    def cost(logs: Floats) -> float:
        logs = np.clip(logs, [low for low, _ in LOGS], [high for _, high in LOGS])
        return -float(_likelihood(math.exp(logs[0]), math.exp(logs[1]), counts, cut))

    if not counts.any():
        return Fit(math.exp(LOGS[0][0]), math.exp(LOGS[1][0]), 0.0, True, np.zeros((2, 2)))
    grid = [np.array([a, b]) for a in np.linspace(-12, 6, 10) for b in np.linspace(-6, 12, 10)]
    start = min(grid, key=cost)
    options = {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 2000, "maxfev": 2000}
    logs = np.asarray(minimize(cost, start, method="Nelder-Mead", bounds=LOGS, options=options).x)
    mean, spread = math.exp(logs[0]), math.exp(logs[1])
    # A spread of 0 (cells alike) or a mean of 0 (cells without end) are models too; an upper limit is none.
    edge = len(counts) < 2 or any(high - x < 0.01 for x, (_, high) in zip(logs, LOGS, strict=True))
    empty = -2 * mean / (1 + math.sqrt(1 + 2 * spread))
    return Fit(mean, spread, float(seen.sum()) / -math.expm1(empty), edge, _covariance(cost, logs))


def class_risk(found: Fit, sizes: NDArray[np.int64], fraction: float) -> Floats:
    """E[1/F | f] of each class, F being its size in the population."""
    return inverse_moments(found, sizes, fraction)[0]


def inverse_moments(found: Fit, sizes: NDArray[np.int64], fraction: float) -> tuple[Floats, Floats]:
    """E[1/F | f] and the variance of 1/F given f, for each class.

    The first is the integral over t > 0 of exp(-f t) D(1 - (1 - fraction) exp(-t)) / D(fraction), D being the
    derivative of L of order f; with another factor t it is E[1/F² | f]. With t = exp(y) the trapezoidal rule is exact
    to rounding.
    """
    if fraction >= 1 or not len(sizes):
        return 1 / np.asarray(sizes, dtype=np.float64), np.zeros(len(sizes))
    different, place = np.unique(sizes, return_inverse=True)
    mean, spread = found.mean / fraction, found.spread / fraction
    values, squares = np.empty(len(different)), np.empty(len(different))
    y = np.arange(-46.0, 4.2, 0.2)
    t = np.exp(y)
    s = fraction - (1 - fraction) * np.expm1(-t)
    root, here = np.sqrt(1 + 2 * spread * s), math.sqrt(1 + 2 * spread * fraction)
    step, own = mean / root, mean / here  # ratios of derivatives of L of neighbouring orders
    height = -2 * mean * (s - fraction) / (root + here)
    wanted = {int(size): i for i, size in enumerate(different) if size <= WALKED}
    for k in range(1, max(wanted, default=0) + 1):
        if k > 1:
            step = (2 * spread * (k - 1.5) + mean * mean / step) / root**2
            own = (2 * spread * (k - 1.5) + mean * mean / own) / here**2
        height += np.log(step / own)
        if k in wanted:
            density = 0.2 * t * np.exp(height - k * t)
            values[wanted[k]], squares[wanted[k]] = density.sum(), (density * t).sum()
    variances, large, place = np.maximum(squares - values**2, 0.0), different > WALKED, place.reshape(-1)
    values[large], variances[large] = _large(different[large].astype(np.float64), mean, spread, fraction)
    return values[place], variances[place]


def unique_chance(found: Fit, fraction: float) -> float:
    """P(F = 1 | f = 1) = L'(1) / L'(fraction)."""
    mean, spread = found.mean / fraction, found.spread / fraction
    whole, part = math.sqrt(1 + 2 * spread), math.sqrt(1 + 2 * spread * fraction)
    return part / whole * math.exp(-2 * mean * (1 - fraction) / (whole + part))


def sum_error(found: Fit, sizes: NDArray[np.int64], fraction: float) -> float:
    """Standard deviation of the sum of risks over all records, because mean and spread are estimated."""
    different, counts = np.unique(sizes, return_counts=True)
    records = different * counts

    def total(by_mean: float, by_spread: float) -> float:
        moved = replace(found, mean=found.mean * math.exp(by_mean), spread=found.spread * math.exp(by_spread))
        return float((class_risk(moved, different, fraction) * records).sum())

    step = 1e-3
    slopes = np.array([total(step, 0) - total(-step, 0), total(0, step) - total(0, -step)]) / (2 * step)
    return math.sqrt(max(float(slopes @ found.covariance @ slopes), 0.0))


def _covariance(cost: Any, logs: Floats) -> NDArray[np.float64]:
    """The inverse of how the likelihood bends at its highest point; nothing where it does not bend."""
    step = 1e-3

    def at(a: float, b: float) -> float:
        return float(cost(logs + step * np.array([a, b])))

    middle = at(0, 0)
    first, second = at(1, 0) + at(-1, 0) - 2 * middle, at(0, 1) + at(0, -1) - 2 * middle
    both = (at(1, 1) + at(-1, -1) - at(1, -1) - at(-1, 1)) / 4
    bend = np.array([[first, both], [both, second]]) / step**2
    values, vectors = np.linalg.eigh(bend)
    kept = values > 1e-3 * max(float(values.max()), 1e-3)
    return np.asarray((vectors[:, kept] / values[kept]) @ vectors[:, kept].T)


@compiled
def _likelihood(mean: float, spread: float, counts: Any, cut: bool) -> float:
    """Log likelihood of class sizes, given that they are above 0 and, when ``cut``, not above those counted.

    Ratios of neighbouring probabilities follow the recursion of Willmot (1987); all terms are positive.
    """
    a, b = 2 * spread / (1 + 2 * spread), mean * mean / (1 + 2 * spread)
    ratio = mean / math.sqrt(1 + 2 * spread)
    empty = -2 * mean / (1 + math.sqrt(1 + 2 * spread))
    log_p = empty + math.log(ratio)
    result, highest, total, records = counts[0] * log_p, log_p, 1.0, counts[0]
    for i in range(1, len(counts)):
        k = i + 1
        ratio = a * (1 - 1.5 / k) + b / (k * (k - 1) * ratio)
        log_p += math.log(ratio)
        result += counts[i] * log_p
        records += counts[i]
        if log_p > highest:
            total = total * math.exp(highest - log_p) + 1
            highest = log_p
        else:
            total += math.exp(log_p - highest)
    below = highest + math.log(total) if cut else math.log(-math.expm1(empty))
    return float(result - records * below)


@compiled
def _large(sizes: Any, mean: float, spread: float, fraction: float) -> Any:
    """Mean and variance of 1/F for large classes, in ascending order, from those of F given f."""
    result, around = np.empty(len(sizes)), np.empty(len(sizes))
    width = 1 + 2 * spread * fraction
    step, k = mean / math.sqrt(width), 1
    for i in range(len(sizes)):
        while k < sizes[i] + 1:
            k += 1
            step = (2 * spread * (k - 1.5) + mean * mean / step) / width
        further = (2 * spread * (k - 0.5) + mean * mean / step) / width
        unseen = 1 - fraction
        center = sizes[i] + unseen * step
        variance = unseen * step + unseen * unseen * step * (further - step)
        result[i], around[i] = (1 + variance / center**2) / center, variance / center**4
    return result, around
