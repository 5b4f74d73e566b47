"""Classes whose rates are log-normal around what their values make expect: the parameters that explain a sample best.

    log rate = shift + slope * single + lean * pairs + sigma * noise,    size = Poisson(rate), given that it is not zero

Large sizes tell their rate closely, so the rates looked at lie around the one that explains a size best: on rates that
are the same for all sizes the density would have bumps, and the result would be one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln

from schleier.kernels.compiled import compiled, inlined

Floats = NDArray[np.float64]
Groups = tuple[Floats, Floats, Floats]
"""What the levels of classes are made of, their sizes, and how many classes are so."""
Density = Callable[[Floats], tuple[float, Floats]]
"""Minus the logarithm of a density, and its slopes."""
LARGEST = float(np.log(30.0))
"""Classes expected to be larger say nothing about uniques."""
FINE, ROUGH = 0.25, 1.0
"""Classes are put together whose logarithms agree to so much: in the end, and to come near the result quickly."""
USUAL, LOOSE = np.array([0.0, 1.0, 0.5, -0.5]), np.array([1.0, 0.25, 0.5, 0.7])
"""Where shift, slope, lean and log sigma are expected, and how far they may be away: it matters in small files."""
LOOSE_BEND = np.diag(LOOSE**-2.0)
EXACT, NEAREST = 0.02, 12
"""How near to the peak is near enough, in standard errors, and how many steps may lead there."""
FARTHEST = 10.0
"""Nothing is computed for parameters that are more than so many times as far away."""
BEFORE, STEP, FAR, LOWEST = -0.6, 0.7, 40.0, -35.0
"""Where the density of a log rate is looked at, in widths of its peak, and the logarithm of what counts as nothing."""
ROOT = math.sqrt(2 * math.pi)
NODES = np.linspace(-8.0, 8.0, 33)
MASS = np.exp(-NODES * NODES / 2)
MASS /= MASS.sum()


def best_fit(single: Floats, pairs: Floats, sizes: NDArray[np.int64], middle: float) -> tuple[Floats, Density]:
    """Shift, slope, lean and log sigma where the posterior density is highest, and minus its logarithm.

    The shift is expected at ``middle``. Classes put together roughly tell nearly where the peak is: few looks at the
    others are then enough.
    """
    usual = USUAL + np.array([middle, 0, 0, 0])
    small = single + pairs < LARGEST - middle
    if not small.any():
        small[:] = True
    fine = merge_classes(single[small], pairs[small], sizes[small], FINE)
    rough = merge_classes(fine[0][:, 1], fine[0][:, 2], fine[1].astype(np.int64), ROUGH, fine[2])

    def density(groups: Groups) -> Density:
        def at(p: Floats) -> tuple[float, Floats]:
            far = (p - usual) / LOOSE
            # A line search may look where nothing can be computed: the likelihood stays there as it is at the edge.
            high, slopes = log_likelihood(usual + LOOSE * np.clip(far, -FARTHEST, FARTHEST), *groups)
            return float(far @ far / 2 - high), far / LOOSE - np.where(np.abs(far) < FARTHEST, slopes, 0.0)

        return at

    products = _summed(usual[:3], math.exp(usual[3]), *rough)[5:].reshape(4, 4)
    options = {"maxiter": 100, "gtol": 3e-2 * float(fine[2].sum()) ** 0.5, "hess_inv0": _inverse(products + LOOSE_BEND)}
    near = minimize(density(rough), usual, jac=True, method="BFGS", options=options).x
    return _newton(density(fine), near, bend_at(density(rough), near)), density(fine)


def _newton(density: Density, near: Floats, bend: Floats) -> Floats:
    """The lowest point, from one near it, with the second derivatives there; more slowly where that leads astray."""
    inverse, at = _inverse(bend), near
    first, slopes = density(near)
    for _ in range(NEAREST):
        step = inverse @ slopes
        if float(slopes @ step) < EXACT**2:
            return at
        at = at - step
        low, slopes = density(at)
        if low > first + EXACT:
            break
    options = {"maxiter": 100, "gtol": EXACT, "hess_inv0": inverse}
    return np.asarray(minimize(density, near, jac=True, method="BFGS", options=options).x)


def _inverse(bend: Floats) -> Floats:
    values, vectors = np.linalg.eigh(bend)
    steps = vectors / np.sqrt(np.maximum(values, 1e-2))
    inverse = steps @ steps.T
    return np.asarray((inverse + inverse.T) / 2)


def merge_classes(
    single: Floats, pairs: Floats, sizes: NDArray[np.int64], width: float, counts: Floats | None = None
) -> Groups:
    """Classes of the same size that are nearly the same, as one; ``counts`` tells how many each is already."""
    places = [np.rint(column / width).astype(np.int64) for column in (single, pairs)]
    lows = [int(place.min()) for place in places]
    wide, most = int(places[1].max()) - lows[1] + 1, int(sizes.max()) + 1
    packed = ((places[0] - lows[0]) * wide + places[1] - lows[1]) * most + sizes
    if counts is None:
        packed, many = np.unique(packed, return_counts=True)
    else:
        packed, place = np.unique(packed, return_inverse=True)
        many = np.bincount(place, counts)
    rest, drawn = np.divmod(packed, most)
    first, second = np.divmod(rest, wide)
    at = np.stack([np.ones(len(packed)), (first + lows[0]) * width, (second + lows[1]) * width], axis=1)
    return at, drawn.astype(np.float64), many.astype(np.float64)


def log_likelihood(p: Floats, at: Floats, drawn: Floats, counts: Floats) -> tuple[float, Floats]:
    """Log likelihood of sizes that are Poisson with log-normal rates, none of them zero, and its slopes.

    >>> one = np.array([[1.0, 0.0, 0.0]])  # without spread: exp(-1) / (1 - exp(-1))
    >>> round(log_likelihood(np.array([0.0, 1.0, 0.5, -9.0]), one, np.ones(1), np.ones(1))[0], 4)
    -0.5413
    """
    found = _summed(p[:3], math.exp(p[3]), at, drawn, counts)
    return float(found[0] - (counts * gammaln(drawn + 1)).sum()), found[1:5]


@compiled
def _summed(p: Any, sigma: Any, at: Any, drawn: Any, counts: Any) -> Any:
    """Without the factorials of sizes: the sum, its slopes in the three parts of the level and in log sigma, and the
    sum of their products, which is about how the likelihood bends.

    Places are in equal steps, so that the rates there follow from the first by multiplication.
    """
    result, nothing, before, slopes = np.zeros(21), np.zeros(3), math.nan, np.zeros(4)
    for i in range(len(drawn)):
        size, count = drawn[i], counts[i]
        level = at[i, 0] * p[0] + at[i, 1] * p[1] + at[i, 2] * p[2]
        if level != before:  # groups with the same level stand side by side
            _not_zero(level, sigma, nothing)
            before = level
        peak = _peak(level, sigma, size)
        width = 1 / math.sqrt(math.exp(peak) + 1 / sigma**2)
        top = size * peak - math.exp(peak) - ((peak - level) / sigma) ** 2 / 2
        total = moved = turned = 0.0
        for way in range(2):  # to the left and to the right, until nothing is left of the density
            place, step = peak + width * (BEFORE if way == 0 else BEFORE + STEP), width * (STEP if way else -STEP)
            rate, growth = math.exp(place), math.exp(step)
            while abs(place - peak) < FAR * width:
                away = (place - level) / sigma
                height = size * place - rate - away * away / 2 - top
                if height < LOWEST:
                    break
                density = math.exp(height)
                total += density
                moved += density * (size - rate)
                turned += density * (size - rate) * away
                place, rate = place + step, rate * growth
        result[0] += count * (top + math.log(total * STEP * width / (sigma * ROOT)) - math.log(nothing[0]))
        slopes[:3] = at[i] * (moved / total - nothing[1] / nothing[0])
        slopes[3] = sigma * (turned / total - nothing[2] / nothing[0])
        for j in range(4):
            result[1 + j] += count * slopes[j]
            for k in range(4):
                result[5 + 4 * j + k] += count * slopes[j] * slopes[k]
    return result


@compiled
def _not_zero(level: Any, sigma: Any, result: Any) -> None:
    """P(size > 0), and its slopes in the level and in sigma."""
    result[:] = 0.0
    rate, growth = math.exp(max(level + sigma * NODES[0], -600.0)), math.exp(sigma * (NODES[1] - NODES[0]))
    for k in range(len(NODES)):
        zero = math.exp(-rate) if rate < 700.0 else 0.0
        result[0] += MASS[k] * (rate - rate * rate / 2 if rate < 1e-5 else 1 - zero)
        result[1] += MASS[k] * rate * zero if zero else 0.0
        result[2] += MASS[k] * NODES[k] * rate * zero if zero else 0.0
        rate = min(rate * growth, 1e300)


@inlined
def _peak(level: Any, sigma: Any, size: Any) -> Any:
    """The log rate that explains a size best: where size - rate - (log rate - level) / sigma^2 is zero."""
    at, tight = min(level + size * sigma**2, max(math.log(size), level)), 1 / sigma**2
    for _ in range(400):
        rate = math.exp(min(at, 300.0))
        step = (size - rate - (at - level) * tight) / (rate + tight)
        at += min(max(step, -2.0), 2.0)
        if abs(step) < 1e-6:
            break
    return at


def bend_at(density: Density, best: Floats) -> Floats:
    """Second derivatives, by central differences of the slopes."""
    moves = [np.eye(4)[i] * 1e-3 * LOOSE[i] for i in range(4)]
    found = np.stack([(density(best + d)[1] - density(best - d)[1]) / (2 * d.sum()) for d in moves])
    return np.asarray((found + found.T) / 2)
