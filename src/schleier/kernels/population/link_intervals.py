"""How many records are linked rightly: intervals that know how wrong each model has been.

The classes with few records are those a model has to guess: each adds f/F to the sum, something between zero and one.
Their part of the sum moves in log odds, by chance, by what is not known about the parameters, and by what the model
was off on populations that are known. Classes with many records tell their size themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.population.individual_risk import Model
from schleier.kernels.population.links import SMALL
from schleier.kernels.population.models import FEWEST, TOO_FAR
from schleier.kernels.statistics.trials import Z95

Floats = NDArray[np.float64]
FRACTIONS = (0.002, 0.01, 0.05, 0.2, 1.0)
OFF: dict[Model, tuple[float, ...]] = {
    "margins": (0.3, 0.19, 0.09, 0.05, 0.0),
    "negative_binomial": (4.76, 3.17, 1.92, 1.15, 0.0),
    "poisson": (7.43, 5.32, 3.47, 1.99, 0.0),
    "poisson_inverse_gaussian": (1.54, 0.79, 0.5, 0.34, 0.0),
    "log_linear": (0.3, 0.19, 0.09, 0.05, 0.0),
}
"""How far each model was off for samples of such fractions (standard deviation of log odds), beyond what it knows of
itself: measured on populations that are known, by ``python -m bench.population_models``."""


def off_by(model: Model, fraction: float) -> float:
    """How far a model was off for such samples.

    >>> off_by("margins", 1.0)
    0.0
    """
    return float(np.interp(np.log(fraction), np.log(FRACTIONS), OFF[model]))


@dataclass(frozen=True)
class LinkSum:
    """The sum of f/F over classes."""

    guessed: float
    """Over classes with few records."""
    of: int
    """How many these are: the sum cannot be larger."""
    variance: float
    """Of their sum, by chance."""
    error: float
    """Standard deviation of their sum, because the parameters of the model are estimated."""
    known: float = 0.0
    """Over classes with many records."""
    known_variance: float = 0.0

    def odds(self, guessed: float) -> float:
        """Logarithm of the odds of a sum; half a unit is added to both sides, as for counts.

        A sum of parts that vary as these do behaves like a number of units of the size variance / mean.
        """
        return float(np.log(guessed + self._half) - np.log(max(self.of - guessed, 0.0) + self._half))

    @property
    def spread(self) -> float:
        """Standard deviation of the log odds, if the model is right."""
        hits, rest = self.guessed + self._half, max(self.of - self.guessed, 0.0) + self._half
        return float(np.sqrt(self.variance + self.error**2) * (1 / hits + 1 / rest))

    def interval(self, off: float) -> tuple[float, float]:
        """95 % interval of the whole sum, half a unit wider because counts move by whole ones.

        >>> tuple(round(end, 1) for end in LinkSum(20.0, 100, 16.0, 0.0).interval(0.0))
        (12.9, 29.4)
        """
        reach = Z95 * np.hypot(self.spread, off)
        sure = Z95 * np.sqrt(self.known_variance)
        centre, ends = self.odds(self.guessed) if self.of else 0.0, []
        for sign in (-1, 1):
            odds = np.exp(np.clip(centre + sign * reach, -300, 300))
            end = (odds * (self.of + self._half) - self._half) / (1 + odds) + sign * self._half if self.of else 0.0
            away = np.hypot(min(max(end, 0.0), self.of) - self.guessed, sure)
            ends.append(float(np.clip(self.known + self.guessed + sign * away, 0.0, self.known + sure + self.of)))
        return ends[0], ends[1]

    @property
    def _half(self) -> float:
        unit = self.variance / self.guessed if self.guessed else 1.0
        return 0.5 * float(np.clip(unit, 1e-9, 1.0))


def link_sum(shares: Floats, variances: Floats, sizes: NDArray[np.int64], error: float) -> LinkSum:
    """The sum of f/F over classes with so many records, from its mean and variance in each class.

    >>> link_sum(np.array([0.5, 2.0]), np.array([0.1, 0.2]), np.array([1, 400]), 0.3)
    LinkSum(guessed=0.5, of=1, variance=0.1, error=0.3, known=2.0, known_variance=0.2)
    """
    few = sizes <= SMALL
    return LinkSum(
        float(shares[few].sum()),
        int(few.sum()),
        float(variances[few].sum()),
        error,
        float(shares[~few].sum()),
        float(variances[~few].sum()),
    )


def doubts(model: Model, sizes: NDArray[np.int64], keys: int, fraction: float) -> list[str]:
    """Why an estimate is not to be trusted: off, few, one_key, small_fraction; nothing where nothing is guessed.

    >>> doubts("negative_binomial", np.array([1, 2, 3]), 3, 0.01)
    ['off']
    """
    if fraction >= 1 or not bool((sizes <= SMALL).any()):
        return []
    found = {
        "off": off_by(model, fraction) > TOO_FAR,
        "few": model in ("margins", "poisson_inverse_gaussian") and len(sizes) < FEWEST,
        "one_key": model == "margins" and keys < 2,
        "small_fraction": fraction < FRACTIONS[0],
    }
    return [why for why, true in found.items() if true]
