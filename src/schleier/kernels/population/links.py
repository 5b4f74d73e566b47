"""How likely somebody who picks one of the persons of a class is right, where the values of the class tell its size.

The rate of a class in the sample is log-normal around its level (see ``schleier.kernels.population.margins``). Given
the records f of the class, its density is that of a Poisson number times that of the level; given the rate, the persons
who were not drawn are a Poisson number with mean odds * rate, odds = (1 - fraction) / fraction. 1/F is averaged over
both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled
from schleier.kernels.population.individual_risk import class_risk as by_size
from schleier.kernels.population.individual_risk import given_rate, squared_given_rate
from schleier.kernels.population.individual_risk import variance as variance_by_size
from schleier.kernels.population.margins import Fitted

Floats = NDArray[np.float64]
SMALL = 30
"""Classes with more records tell their own size best: then F - f is negative binomial."""
STEPS = np.arange(-16.0, 8.1, 0.5)
"""Where the density is looked at, in widths of its peak: its left side falls slowly, like exp."""
FINE = 0.1
"""Classes whose levels, or logarithms of odds, differ by less are read off the same table."""
MOST = 200
"""Lines of a table at most."""
SURE = -8.0
"""Logarithm of odds below which all persons of a class are in the file."""


@dataclass(frozen=True)
class InverseSizes:
    """What is known about 1/F of each class."""

    risks: Floats
    """E[1/F | f]."""
    variances: Floats
    """Var[1/F | f]."""


def links(fitted: Fitted, sizes: NDArray[np.int64], fraction: float | Floats) -> InverseSizes:
    """The chance that a person picked from those of the class is the right one; fractions may differ between classes.

    >>> from schleier.kernels.population.margins import chances
    >>> codes = np.array([(i % 7, i % 11) for i in range(77)], dtype=np.int32)
    >>> sizes = np.arange(77) + 1
    >>> found = links(chances(codes, sizes, 0.1), sizes, 0.1).risks
    >>> bool((found > 0).all() and (found <= 1 / sizes).all())
    True
    """
    return _links(fitted.levels, fitted.parameters[3], sizes, fraction)


def log_sum_error(fitted: Fitted, sizes: NDArray[np.int64], fraction: float) -> float:
    """Standard error of the logarithm of the sum of 1/F over records, from the parameters of the model."""
    if fitted.peak is None:
        return 0.0
    own, stand_for = sizes[fitted.peak.looked], fitted.peak.stand_for

    def total(levels: Floats, sigma: float) -> float:
        return float((own * stand_for) @ _links(levels, sigma, own, fraction).risks)

    return fitted.peak.spread(total)


def _links(levels: Floats, sigma: float, sizes: NDArray[np.int64], fraction: float | Floats) -> InverseSizes:
    part = np.atleast_1d(np.asarray(fraction, dtype=np.float64))
    odds = np.log(np.maximum(1 - part, np.exp(SURE) * part) / part)
    risks, variances = 1 / np.maximum(sizes, 1.0), np.zeros(len(sizes))
    guessed = odds > SURE
    large = np.flatnonzero(guessed & (sizes > SMALL))
    if len(large):
        persons = sizes[large] / (part[large] if len(part) > 1 else part)
        risks[large] = by_size("negative_binomial", sizes[large], persons)
        variances[large] = variance_by_size("negative_binomial", sizes[large], persons)
    for size in np.flatnonzero(np.bincount(np.minimum(sizes, SMALL + 1))[: SMALL + 1]):
        own = np.flatnonzero(guessed & (sizes == size))
        if len(own):
            by = odds[own] if len(part) > 1 else odds
            risks[own], variances[own] = _of_size(levels[own], by, int(size), sigma)
    return InverseSizes(risks, variances)


def _of_size(levels: Floats, odds: Floats, size: int, sigma: float) -> tuple[Floats, Floats]:
    """Read off a table where there are more classes than the table has entries."""
    lines, columns = _lines(levels), _lines(odds)
    if len(levels) <= len(lines) * len(columns):
        return _averaged(levels, np.broadcast_to(odds, len(levels)), size, sigma)
    at, by = np.repeat(lines, len(columns)), np.tile(columns, len(lines))
    means, variances = (each.reshape(len(lines), len(columns)) for each in _averaged(at, by, size, sigma))
    found = np.exp(_between(np.log(means), lines, columns, levels, odds))
    return np.asarray(found), np.asarray(_between(variances, lines, columns, levels, odds))


def _lines(values: Floats) -> Floats:
    low, high = float(values.min()), float(values.max())
    return np.linspace(low, high, min(int((high - low) / FINE) + 2, MOST)) if high > low else np.array([low])


def _averaged(levels: Floats, odds: Floats, size: int, sigma: float) -> tuple[Floats, Floats]:
    """Mean and variance of 1/F over the rate and over who was not drawn."""
    peak = np.minimum(np.maximum(levels, np.log(size)), levels + size * sigma**2)  # right of it, where Newton is safe
    for _ in range(20):
        rate = np.exp(peak)
        peak += (size - rate - (peak - levels) / sigma**2) / (rate + sigma**-2)
    place = peak[:, None] + STEPS / np.sqrt(np.exp(peak) + sigma**-2)[:, None]
    height = size * place - np.exp(place) - ((place - levels[:, None]) / sigma) ** 2 / 2
    weight = np.exp(height - height.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    unseen = np.exp(np.minimum(place + odds[:, None], 60.0)).ravel()
    each = given_rate(np.full(unseen.size, size), unseen)
    squares = squared_given_rate(np.full(unseen.size, size), unseen)
    mean, square = ((weight * one.reshape(weight.shape)).sum(axis=1) for one in (each, squares))
    return mean, np.maximum(square - mean**2, 0.0)


@compiled
def _between(table: Any, lines: Any, columns: Any, at: Any, by: Any) -> Any:
    """Bilinear interpolation in a table with equal steps."""
    result = np.empty(len(at))
    high, wide = len(lines) - 1, len(columns) - 1
    first = high / (lines[-1] - lines[0]) if high else 0.0
    second = wide / (columns[-1] - columns[0]) if wide else 0.0
    for i in range(len(at)):
        x, y = (at[i] - lines[0]) * first, ((by[i] if len(by) > 1 else by[0]) - columns[0]) * second
        j, k = min(int(x), max(high - 1, 0)), min(int(y), max(wide - 1, 0))
        x, y = x - j, y - k
        up, right = min(j + 1, high), min(k + 1, wide)
        lower = table[j, k] * (1 - y) + table[j, right] * y
        upper = table[up, k] * (1 - y) + table[up, right] * y
        result[i] = lower * (1 - x) + upper * x
    return result
