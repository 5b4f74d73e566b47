"""Factors to multiply numbers with, their mean 1 (Höhne 2.2.2 and 4.2)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.change.controlled import objective
from schleier.kernels.change.keyed import KeyedDraws, beside
from schleier.kernels.change.noise import coloured, root

Floats = NDArray[np.float64]
Shape = Literal["normal", "uniform"]
FAR = 5.0
"""Normal numbers are drawn again beyond so many standard deviations: one in two million."""


def minimal_sd(f: float, p: float) -> float:
    """The smallest sd of normal factors that leaves at most the share p of values within ±f (N06, from L2177).

    >>> [round(minimal_sd(f, 0.5), 4) for f in (0.02, 0.05, 0.1)]
    [0.0297, 0.0741, 0.1483]
    """
    from scipy.special import ndtri

    return float(f / ndtri((1 + p) / 2))


def independent_factors(draws: KeyedDraws, columns: int, s: float) -> Floats:
    """Normal factors around 1, each on its own; as if drawn again until it is positive and below 2 (N04)."""
    found = beside([draws.normal(f"noise:{column}", 1 / s) for column in range(columns)])
    found *= s
    found += 1
    return found


def truncated(draws: KeyedDraws, columns: int, shape: Shape, s: float | None, inner: float, outer: float) -> Floats:
    """Factors with inner <= |w - 1| <= outer, as if drawn again until they are (N05)."""
    from scipy.special import ndtr, ndtri

    found = []
    for column in range(columns):
        draw = draws.uniform(f"noise:{column}")
        sign = np.where(draw < 0.5, -1.0, 1.0)
        draw = np.abs(2 * draw - 1)  # one number tells both: the sign, and how far
        if shape == "uniform" or s is None:
            far = inner + draw * (outer - inner)
        else:
            low, high = ndtr(inner / s), ndtr(outer / s)
            far = np.clip(s * ndtri(low + draw * (high - low)), inner, outer)
        far *= sign
        far += 1
        found.append(far)
    return beside(found)


def small(draws: KeyedDraws, columns: int, s: float, purpose: str = "noise") -> Floats:
    """The part of a factor that every value has on its own (4.2-5)."""
    found = beside([draws.normal(f"{purpose}:{column}", FAR) for column in range(columns)])
    found *= s
    return found


def moved(own: Floats, signs: Floats, f: float) -> Floats:
    """1 + f·sign + own part: all values of a record go the same way (4.2-5). Changes ``own``."""
    shift = f * signs
    shift += 1
    for column in range(own.shape[1]):
        own[:, column] += shift
    return own


def best_of(draws: KeyedDraws, numbers: Floats, f: float, s: float, alpha: float, tries: int) -> Floats:
    """Of many mixtures the one with the smallest objective; earlier ones first among equals (N12)."""

    def made(number: int) -> Floats:
        return moved(small(draws, numbers.shape[1], s, f"noise {number}"), draws.signs(f"sign {number}"), f)

    goals = [objective(numbers, numbers * made(number), alpha) for number in range(tries)]
    return made(goals.index(min(goals)))


def logarithmic(draws: KeyedDraws, covariance: Floats, d: float, centred: bool) -> Floats:
    """exp of normal noise with d times the covariance of the logarithms; its mean is 1 when centred (N07)."""
    noise = coloured(draws.normals("noise", len(covariance)), root(covariance) * np.sqrt(d))
    if centred:
        noise -= d * np.diag(covariance) / 2
    return np.asarray(np.exp(noise))


def only_tails(factors: Floats, numbers: Floats, share: float, spared: int = 0) -> Floats:
    """Factors of 1 for all but the lowest and the highest values of each column, and for so many at either end."""
    for column, values in zip(factors.T, numbers.T, strict=True):
        held = np.sort(values[~np.isnan(values)])
        if len(held):
            count = max(int(np.ceil(share * len(held))), 1)
            column[(values > held[count - 1]) & (values < held[-count])] = 1.0
            if ends := min(spared, len(held)):
                column[(values <= held[ends - 1]) | (values >= held[-ends])] = 1.0
    return factors
