"""Classes whose rates are log-normal around what their values make expect: the parameters that explain a sample best.

    log rate = shift + slope * single + lean * pairs + sigma * noise,    size = Poisson(rate), given that it is not zero

Large sizes tell their rate closely, so the rates looked at lie around the one that explains a size best: on rates that
are the same for all sizes the density would have bumps, and the result would be one of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln

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
FARTHEST = 10.0
"""Nothing is computed for parameters that are more than so many times as far away."""
STEPS = np.arange(-16.0, 8.1, 0.7)
"""Where the density of a log rate is looked at, in widths of its peak: small sizes fall slowly to the left."""
NODES = np.linspace(-8.0, 8.0, 65)
MASS = np.exp(-NODES * NODES / 2)
MASS /= MASS.sum()


def best_fit(single: Floats, pairs: Floats, sizes: NDArray[np.int64], middle: float) -> tuple[Floats, Floats]:
    """Shift, slope, lean and log sigma where the posterior density is highest, and how it bends there.

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

    enough = 1e-4 * float(fine[2].sum()) ** 0.5
    near = minimize(density(rough), usual, jac=True, method="BFGS", options={"maxiter": 100, "gtol": 100 * enough}).x
    values, vectors = np.linalg.eigh(_bend(density(rough), near))
    steps = vectors / np.sqrt(np.maximum(values, 1e-2))
    inverse = steps @ steps.T
    options = {"maxiter": 100, "gtol": enough, "hess_inv0": (inverse + inverse.T) / 2}
    best = minimize(density(fine), near, jac=True, method="BFGS", options=options).x
    return best, _bend(density(fine), best)


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
    sigma, level, size = float(np.exp(p[3])), np.einsum("ij,j->i", at, p[:3]), drawn[:, None]
    peak = _peak(level, sigma, drawn)
    width = 1 / np.sqrt(np.exp(peak) + sigma**-2)
    log_rate = peak[:, None] + width[:, None] * STEPS
    rate, away = np.exp(np.minimum(log_rate, 50.0)), (log_rate - level[:, None]) / sigma
    height = size * log_rate - rate - away * away / 2
    top = height.max(axis=1)
    density = np.exp(height - top[:, None])
    total, moved = density.sum(axis=1), density * (size - rate)
    new = np.append(True, (at[1:] != at[:-1]).any(axis=1))  # groups with the same level stand side by side
    some, one, turned = (part[np.cumsum(new) - 1] for part in _not_zero(level[new], sigma))
    by_level = counts * (moved.sum(axis=1) / total - one / some)
    by_sigma = counts * sigma * (np.einsum("ij,ij->i", moved, away) / total - turned / some)
    step = (STEPS[1] - STEPS[0]) * width / (sigma * np.sqrt(2 * np.pi))
    high = top + np.log(total * step) - gammaln(drawn + 1) - np.log(some)
    return float((counts * high).sum()), np.append((at * by_level[:, None]).sum(axis=0), by_sigma.sum())


def _not_zero(level: Floats, sigma: float) -> tuple[Floats, ...]:
    """P(size > 0), and its slopes in the level and in sigma."""
    rate = np.exp(np.clip(level[:, None] + sigma * NODES, -700.0, 12.0))
    zero = np.exp(-rate)
    one = rate * zero
    some = np.where(rate < 1e-5, rate - rate * rate / 2, 1 - zero)  # as exact as millions of classes need
    # Not as products of matrices: threads cost more than they bring for so few rows.
    return tuple(np.einsum("ij,j->i", part, by) for part, by in ((some, MASS), (one, MASS), (one, MASS * NODES)))


def _peak(level: Floats, sigma: float, drawn: Floats) -> Floats:
    """The log rate that explains a size best: where drawn - rate - (log rate - level) / sigma^2 is zero."""
    at = np.minimum(level + drawn * sigma**2, np.maximum(np.log(drawn), level))
    for _ in range(6):
        rate = np.exp(at)
        at = at + np.clip((drawn - rate - (at - level) / sigma**2) / (rate + sigma**-2), -2.0, 2.0)
    return np.asarray(at)


def _bend(density: Density, best: Floats) -> Floats:
    """Second derivatives, by central differences of the slopes."""
    moves = [np.eye(4)[i] * 1e-3 * LOOSE[i] for i in range(4)]
    found = np.stack([(density(best + d)[1] - density(best - d)[1]) / (2 * d.sum()) for d in moves])
    return np.asarray((found + found.T) / 2)
