"""Classes whose rates are log-normal around what their values make expect: the parameters that explain a sample best.

log rate = shift + slope * single + lean * pairs + sigma * noise,    size = Poisson(rate), given that it is not zero
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
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
FINE, ROUGH, FIRST = 0.25, 1.0, 2.0
"""Classes are put together whose logarithms agree to so much: in the end, and to come near the result quickly."""
USUAL, LOOSE = np.array([0.0, 1.0, 0.5, -0.5]), np.array([1.0, 0.25, 0.5, 0.7])
"""Where shift, slope, lean and log sigma are expected, and how far they may be away: it matters in small files."""
LOOSE_BEND = np.diag(LOOSE**-2.0)
MOST = 60
"""Steps that may lead to the peak of what is put together roughly."""
EXACT, NEAREST = 0.02, 12
"""How near to the peak is near enough, in standard errors, and how many steps may lead there."""
FARTHEST = 10.0
"""Nothing is computed for parameters that are more than so many times as far away."""


@dataclass(frozen=True)
class Near:
    """Where the highest posterior density lies: shift, slope, lean and log sigma, told more and more exactly."""

    usual: Floats
    """Where they are expected."""
    fine: Groups
    """Classes put together that hardly differ."""

    @cached_property
    def rough(self) -> Groups:
        """Classes put together that are about the same."""
        return _coarser(self.fine, ROUGH)

    @cached_property
    def first(self) -> Floats:
        """Told by very few groups."""
        return self._peak(_coarser(self.rough, FIRST), self.usual)

    @cached_property
    def at(self) -> Floats:
        """Told by few groups."""
        return self._peak(self.rough, self.first)

    def _peak(self, groups: Groups, start: Floats) -> Floats:
        far = np.clip((start - self.usual) / LOOSE, -FARTHEST, FARTHEST)
        inside = self.usual + LOOSE * far
        products = sum_likelihood(inside[:3], math.exp(inside[3]), *groups)[5:].reshape(4, 4)
        enough = 3e-2 * float(self.fine[2].sum()) ** 0.5
        return _lowest(groups, self.usual, start, _inverse(products + LOOSE_BEND), enough)


def near_fit(single: Floats, pairs: Floats, sizes: NDArray[np.int64], middle: float) -> Near:
    """What tells where the posterior density is highest; the shift is expected at ``middle``."""
    small = single + pairs < LARGEST - middle
    if not small.any():
        small[:] = True
    return Near(USUAL + np.array([middle, 0, 0, 0]), merge_classes(single[small], pairs[small], sizes[small], FINE))


def _coarser(groups: Groups, width: float) -> Groups:
    return merge_classes(groups[0][:, 1], groups[0][:, 2], groups[1].astype(np.int64), width, groups[2])


def best_fit(near: Near) -> tuple[Floats, Density]:
    """Shift, slope, lean and log sigma where the posterior density is highest, and minus its logarithm.

    Classes put together roughly tell nearly where the peak is: few looks at the others are then enough.
    """
    fine = _density(near.fine, near.usual)
    return _newton(fine, near.at, bend_at(_density(near.rough, near.usual), near.at)), fine


def _density(groups: Groups, usual: Floats) -> Density:
    factorials = float((groups[2] * gammaln(groups[1] + 1)).sum())

    def at(p: Floats) -> tuple[float, Floats]:
        low, slopes = _posterior(p, usual, *groups)
        return float(low) + factorials, slopes

    return at


def _lowest(groups: Groups, usual: Floats, start: Floats, inverse: Floats, enough: float) -> Floats:
    """Where no slope is above ``enough``, by quasi-Newton steps; more carefully where one of them does not descend."""
    at, descended = _descend(usual, start, inverse, enough, *groups)
    if descended:
        return np.asarray(at)
    options = {"maxiter": 100, "gtol": enough, "hess_inv0": inverse}
    return np.asarray(minimize(_density(groups, usual), start, jac=True, method="BFGS", options=options).x)


@compiled
def _posterior(p: Any, usual: Any, at: Any, drawn: Any, counts: Any) -> Any:
    """Minus the logarithm of the posterior density, without the factorials of sizes, and its slopes."""
    far = (p - usual) / LOOSE
    # A line search may look where nothing can be computed: the likelihood stays there as it is at the edge.
    inside = usual + LOOSE * np.minimum(np.maximum(far, -FARTHEST), FARTHEST)
    found = sum_likelihood(inside[:3], math.exp(inside[3]), at, drawn, counts)
    slopes = far / LOOSE
    for j in range(4):
        if abs(far[j]) < FARTHEST:
            slopes[j] -= found[1 + j]
    return (far * far).sum() / 2 - found[0], slopes


@compiled
def _descend(usual: Any, start: Any, inverse: Any, enough: Any, at: Any, drawn: Any, counts: Any) -> Any:
    """Quasi-Newton steps, and whether each of them descended until it was enough."""
    here, around, one = start.copy(), inverse.copy(), np.eye(4)
    low, slopes = _posterior(here, usual, at, drawn, counts)
    for _ in range(MOST):
        if np.abs(slopes).max() < enough:
            return here, True
        way, part = -(around * slopes).sum(axis=1), 1.0
        fall = (way * slopes).sum()
        while True:
            value, there = _posterior(here + part * way, usual, at, drawn, counts)
            if not value > low + 1e-4 * part * fall or part < 1e-3:
                break
            part *= min(max(-fall * part / (2 * (value - low - fall * part)), 0.1), 0.5)
        move, turn = part * way, there - slopes
        along = (move * turn).sum()
        if not (value < low and along > 0):
            break
        here, low, slopes = here + move, value, there
        side = one - np.outer(move, turn) / along  # so that it explains how the slopes turned (BFGS)
        around = _product(_product(side, around), side.T) + np.outer(move, move) / along
    return here, False


@compiled
def _product(left: Any, right: Any) -> Any:
    """Of two small matrices, without a library that may use many threads."""
    result = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            for k in range(4):
                result[i, j] += left[i, k] * right[k, j]
    return result


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
    found = sum_likelihood(p[:3], math.exp(p[3]), at, drawn, counts)
    return float(found[0] - (counts * gammaln(drawn + 1)).sum()), found[1:5]


def bend_at(density: Density, best: Floats) -> Floats:
    """Second derivatives, by central differences of the slopes."""
    moves = [np.eye(4)[i] * 1e-3 * LOOSE[i] for i in range(4)]
    found = np.stack([(density(best + d)[1] - density(best - d)[1]) / (2 * d.sum()) for d in moves])
    return np.asarray((found + found.T) / 2)
