"""How likely a class of the sample has no further member in the population, told from the values it is made of.

The other models look at the sizes of classes only. This one asks first how many records a class should have if its
values, and the pairs of values that hang together most (a tree of them: Chow and Liu 1968), were combined at random;
the class itself is left out of these counts. Its rate in the sample is then log-normal around

    log rate = shift + slope * log(expected from single values) + lean * log(factor of the pairs),  spread sigma,

and the four parameters are those of the largest posterior density, given that the class was found at all: empty
combinations, possible or not, play no part. With the rate known, other members are Poisson numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled
from schleier.kernels.exponential import quick_exp
from schleier.kernels.population.expected_sizes import expected
from schleier.kernels.population.log_normal_rates import LOOSE, Density, bend_at, best_fit

Floats = NDArray[np.float64]
NODES = np.linspace(-8.0, 8.0, 49)
MASS = np.exp(-NODES * NODES / 2)
MASS /= MASS.sum()
POINTS = 25
"""Levels that are looked at in every unit; between them is a straight line."""
LOOKED_AT = 50_000
"""So many classes are enough to see how sure the estimate is."""


@dataclass(frozen=True)
class Peak:
    """The highest point of the posterior density, and some classes to see what moves with it."""

    best: Floats
    """Shift, slope, lean and log sigma."""
    density: Density
    """Minus the logarithm of the density, and its slopes."""
    looked: NDArray[np.int64]
    """Places of some classes."""
    stand_for: Floats
    """How many classes each of them stands for."""
    design: Floats
    """What their levels are made of."""

    def spread(self, total: Callable[[Floats, float], float]) -> float:
        """Standard error of log(total), a function of the levels of the classes looked at and of sigma."""

        def log_total(p: Floats) -> float:
            return float(np.log(total(self.design @ p[:3], float(np.exp(p[3]))) + 1e-300))

        moves = [np.eye(4)[i] * 1e-3 * LOOSE[i] for i in range(4)]
        along = np.array([(log_total(self.best + d) - log_total(self.best - d)) / (2 * d.sum()) for d in moves])
        values, vectors = np.linalg.eigh(bend_at(self.density, self.best))
        return float(np.sqrt(((vectors.T @ along) ** 2 / np.maximum(values, 1e-6)).sum()))


@dataclass(frozen=True)
class Fitted:
    """What the model says of each class."""

    chances: Floats
    """Probability that the class has one member in the population; zero where it has more in the sample."""
    parameters: tuple[float, float, float, float]
    """Shift, slope, lean and sigma."""
    levels: Floats
    """Middle of the logarithm of the rate of each class."""
    peak: Peak | None = None
    """How sure the parameters are."""


def chances(codes: NDArray[np.int32], sizes: NDArray[np.int64], fraction: float) -> Fitted:
    """Fit the model to the classes of a sample.

    >>> codes = np.array([(i % 7, i % 11, i % 13) for i in range(200)], dtype=np.int32)
    >>> found = chances(codes, np.ones(200, dtype=np.int64), 0.1)
    >>> bool((0 < found.chances).all() and (found.chances < 1).all())
    True
    """
    single, pairs = expected(codes, sizes)
    if not len(sizes):
        return Fitted(np.zeros(0), (0.0, 1.0, 0.5, 1.0), single)
    ones = sizes == 1
    centre = float(single[ones].mean() if ones.any() else single.mean())
    single = single - centre
    best, density = best_fit(single, pairs, sizes, centre)
    levels = best[0] + best[1] * single + best[2] * pairs
    looked, stand_for = _some(ones)
    design = np.stack([np.ones(len(looked)), single[looked], pairs[looked]], axis=1)
    peak = Peak(best, density, looked, stand_for, design)
    told = (float(best[0] - centre), float(best[1]), float(best[2]), float(np.exp(best[3])))
    found = Fitted(np.zeros(len(sizes)), told, levels, peak)
    return replace(found, chances=unique_chances(found, sizes, fraction))


def unique_chances(fitted: Fitted, sizes: NDArray[np.int64], fraction: float | Floats) -> Floats:
    """The chance of each class to have one member in the population; the fraction may differ from class to class."""
    found, ones = np.zeros(len(sizes)), sizes == 1
    if ones.any():
        part = np.atleast_1d(np.asarray(fraction, dtype=np.float64))
        found[ones] = _alone(fitted.levels[ones], fitted.parameters[3], part[ones] if len(part) > 1 else part)
    return found


def _alone(level: Floats, sigma: float, fraction: Floats) -> Floats:
    """P(one in the population | one in the sample) = f h(level - log f) / h(level), h(x) = E[rate exp(-rate)]."""
    far = -np.log(fraction)
    low, high = float(level.min()), float(level.max() + far.max()) + 1e-9
    grid = np.linspace(low, high, min(int((high - low) * POINTS) + 2, 4_000))
    return np.asarray(_ratios(level, far, _heights(grid, sigma), low, grid[1] - low))


@compiled
def _heights(level: Any, sigma: Any) -> Any:
    """Logarithm of E[rate exp(-rate)]."""
    result, height = np.empty(len(level)), np.empty(len(NODES))
    for i in range(len(level)):
        for k in range(len(NODES)):
            log_rate = min(max(level[i] + sigma * NODES[k], -690.0), 12.0)  # exp(-exp(12)) is zero
            height[k] = log_rate - quick_exp(log_rate)
        for k in range(len(NODES)):
            height[k] = quick_exp(height[k]) if height[k] > -690.0 else 0.0
        result[i] = math.log((MASS * height).sum() + 1e-300)
    return result


@compiled
def _ratios(level: Any, far: Any, height: Any, low: Any, step: Any) -> Any:
    """exp(height at level + far - height at level - far), at most one; heights are given in equal steps."""
    result, ends = np.empty(len(level)), np.empty(2)
    for i in range(len(level)):
        away = far[i] if len(far) > 1 else far[0]
        for end in range(2):
            place = (level[i] + end * away - low) / step
            below = min(max(int(place), 0), len(height) - 2)
            ends[end] = height[below] + (place - below) * (height[below + 1] - height[below])
        result[i] = math.exp(min(ends[1] - ends[0] - away, 0.0))
    return result


def _some(ones: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Floats]:
    """Enough of the classes with one record and of the others, and how many each stands for."""
    parts = [np.flatnonzero(ones), np.flatnonzero(~ones)]
    steps = [max(len(part) // LOOKED_AT, 1) for part in parts]
    looked = [part[::step] for part, step in zip(parts, steps, strict=True)]
    return np.concatenate(looked), np.repeat(np.array(steps, dtype=np.float64), [len(part) for part in looked])
