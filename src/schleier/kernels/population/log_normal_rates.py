"""Classes whose rates are log-normal around what their values make expect: the parameters that explain a sample best.

log rate = shift + slope * single + lean * pairs + sigma * noise,    size = Poisson(rate), given that it is not zero
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from schleier.kernels.compiled import compiled
from schleier.kernels.population.log_normal_sums import sum_likelihood

Floats = NDArray[np.float64]
Groups = tuple[Floats, Floats, Floats]
"""What the levels of classes are made of, their sizes, and how many classes are so."""
Density = Callable[[Floats], tuple[float, Floats]]
"""Minus the logarithm of a density, and its slopes."""
LARGEST = float(np.log(30.0))
"""Classes expected to be larger say nothing about uniques."""
FINE = 0.25
"""Classes are put together whose logarithms agree to so much."""
APART, WIDE = 0.25, 0.5
"""How far levels are apart for which the likelihood is computed, where there are many: in the end, and to come near."""
USUAL, LOOSE = np.array([0.0, 1.0, 0.5, -0.5]), np.array([1.0, 0.25, 0.5, 0.7])
"""Where shift, slope, lean and log sigma are expected, and how far they may be away: it matters in small files."""
EXACT, NEAR = 0.02, 1.0
"""How near to the peak the last step may begin, in standard errors: in the end, and to come near. Being so near, a step
squares what is left."""
MOST = 60
"""Steps that may lead to a peak."""
FARTHEST = 10.0
"""Nothing is computed for parameters that are more than so many times as far away."""


def best_fit(single: Floats, pairs: Floats, sizes: NDArray[np.int64], middle: float) -> tuple[Floats, Density]:
    """Shift, slope, lean and log sigma where the posterior density is highest, and minus its logarithm.

    The shift is expected at ``middle``.
    """
    usual = USUAL + np.array([middle, 0, 0, 0])
    small = single + pairs < LARGEST - middle
    if not small.any():
        small[:] = True
    groups = merge_classes(single[small], pairs[small], sizes[small], FINE)
    near = _descend(usual, usual, NEAR, *groups, WIDE)
    return np.asarray(_descend(usual, near, EXACT, *groups, APART)), _density(groups, usual)


def _density(groups: Groups, usual: Floats) -> Density:
    factorials = float((groups[2] * gammaln(groups[1] + 1)).sum())

    def at(p: Floats) -> tuple[float, Floats]:
        low, slopes, _ = _posterior(p, usual, *groups, APART)
        return float(low) + factorials, slopes

    return at


@compiled
def _posterior(p: Any, usual: Any, at: Any, drawn: Any, counts: Any, apart: Any) -> Any:
    """Minus the logarithm of the posterior density without the factorials of sizes, its slopes and how it bends."""
    far = (p - usual) / LOOSE
    # A long step may look where nothing can be computed: the likelihood stays there as it is at the edge.
    inside = usual + LOOSE * np.minimum(np.maximum(far, -FARTHEST), FARTHEST)
    found = sum_likelihood(inside[:3], math.exp(inside[3]), at, drawn, counts, apart)
    slopes, bend = far / LOOSE, np.zeros((4, 4))
    for j in range(4):
        bend[j, j] = 1 / LOOSE[j] ** 2
        if abs(far[j]) < FARTHEST:
            slopes[j] -= found[1 + j]
            for k in range(4):
                if abs(far[k]) < FARTHEST:
                    bend[j, k] -= found[5 + 4 * j + k]
    return (far * far).sum() / 2 - found[0], slopes, bend


@compiled
def _descend(usual: Any, start: Any, enough: Any, at: Any, drawn: Any, counts: Any, apart: Any) -> Any:
    """The lowest point, by Newton's steps: shorter ones where the density does not bend upwards, or a step rises."""
    here, damping = start.copy(), 0.0
    low, slopes, bend = _posterior(here, usual, at, drawn, counts, apart)
    for _ in range(MOST):
        step, length = _solved(bend, damping, slopes)
        if length < 0:  # not bent upwards
            damping = max(4 * damping, 1.0)
            continue
        if damping == 0 and length < enough**2:
            return here - step
        value, there, bent = _posterior(here - step, usual, at, drawn, counts, apart)
        if value <= low:
            here, low, slopes, bend = here - step, value, there, bent
            damping = damping / 8 if damping > 0.05 else 0.0
        elif length < 1e-6:  # the rest is rounding
            break
        else:
            damping = max(4 * damping, 1.0)
    return here


@compiled
def _solved(bend: Any, damping: Any, slopes: Any) -> Any:
    """The step of Newton, and its length in standard errors, squared; below zero where there is none (Cholesky).

    Damping adds so many times what is known beforehand.
    """
    root, step, length = np.zeros((4, 4)), np.zeros(4), 0.0
    for j in range(4):
        for i in range(j, 4):
            rest = bend[i, j] + (damping / LOOSE[j] ** 2 if i == j else 0.0)
            for k in range(j):
                rest -= root[i, k] * root[j, k]
            if i == j:
                if not rest > 1e-2:
                    return step, -1.0
                root[j, j] = math.sqrt(rest)
            else:
                root[i, j] = rest / root[j, j]
    for j in range(4):
        step[j] = slopes[j]
        for k in range(j):
            step[j] -= root[j, k] * step[k]
        step[j] /= root[j, j]
        length += step[j] ** 2
    for j in range(3, -1, -1):
        for k in range(j + 1, 4):
            step[j] -= root[k, j] * step[k]
        step[j] /= root[j, j]
    return step, length


def merge_classes(
    single: Floats, pairs: Floats, sizes: NDArray[np.int64], width: float, counts: Floats | None = None
) -> Groups:
    """Classes of the same size that are nearly the same, as one, by size; ``counts`` tells how many each is already."""
    places = [np.rint(column / width).astype(np.int64) for column in (single, pairs)]
    lows = [int(place.min()) for place in places]
    wide = int(places[1].max()) - lows[1] + 1
    room = (int(places[0].max()) - lows[0] + 1) * wide
    packed = sizes * room + (places[0] - lows[0]) * wide + places[1] - lows[1]
    if counts is None:
        packed, many = np.unique(packed, return_counts=True)
    else:
        packed, place = np.unique(packed, return_inverse=True)
        many = np.bincount(place, counts)
    drawn, rest = np.divmod(packed, room)
    first, second = np.divmod(rest, wide)
    at = np.stack([np.ones(len(packed)), (first + lows[0]) * width, (second + lows[1]) * width], axis=1)
    return at, drawn.astype(np.float64), many.astype(np.float64)


def log_likelihood(p: Floats, at: Floats, drawn: Floats, counts: Floats) -> tuple[float, Floats]:
    """Log likelihood of sizes that are Poisson with log-normal rates, none of them zero, and its slopes.

    >>> one = np.array([[1.0, 0.0, 0.0]])  # without spread: exp(-1) / (1 - exp(-1))
    >>> round(log_likelihood(np.array([0.0, 1.0, 0.5, -9.0]), one, np.ones(1), np.ones(1))[0], 4)
    -0.5413
    """
    found = sum_likelihood(p[:3], math.exp(p[3]), at, drawn, counts, APART)
    return float(found[0] - (counts * gammaln(drawn + 1)).sum()), found[1:5]


def bend_at(density: Density, best: Floats) -> Floats:
    """Second derivatives, by central differences of the slopes."""
    moves = [np.eye(4)[i] * 1e-3 * LOOSE[i] for i in range(4)]
    found = np.stack([(density(best + d)[1] - density(best - d)[1]) / (2 * d.sum()) for d in moves])
    return np.asarray((found + found.T) / 2)
