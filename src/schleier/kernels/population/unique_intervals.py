"""How far a number of population uniques may be from its estimate: learned from populations that are known.

In log odds (half a record added to both sides) the ends are away from the estimate by

    end + chance * standard deviation of the draw + small * log(1 / fraction),

three numbers for each end of each model, in ``unique_intervals.json``. ``python -m bench.population_calibration`` finds
them: the ends are quantiles of the errors over many populations, sets of keys and fractions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STORED = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Calibration:
    """What was learned of one model."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    off: tuple[float, ...]
    """How far it was off beyond chance, as a standard deviation of log odds, by ``fractions``."""
    fractions: tuple[float, ...]
    """Sampling fractions that were tried."""

    def off_by(self, fraction: float) -> float:
        """How far the model was off for such samples."""
        return float(np.interp(np.log(fraction), np.log(self.fractions), self.off))

    def tried(self, fraction: float) -> bool:
        """Whether such samples were among those that were tried."""
        return self.fractions[0] <= fraction <= self.fractions[-1]

    def interval(self, expected: float, of: float, fraction: float) -> tuple[float, float]:
        """The ends for a number among ``of`` that are unique in the sample, as whole numbers.

        >>> learned("margins").interval(20, 100, 0.1)[0] < 20 < learned("margins").interval(20, 100, 0.1)[1]
        True
        """
        seen, middle = features(expected, of, fraction), log_odds(expected, of)
        ends = [from_log_odds(middle + float(seen @ np.array(away)), of) for away in (self.low, self.high)]
        low, high = np.floor(min(ends[0], expected)), max(np.ceil(ends[1] - 1e-9), np.ceil(expected))
        return float(max(low, 0.0)), float(min(high, of))


def features(expected: float, of: float, fraction: float) -> Floats:
    """What the ends depend on."""
    chance = np.sqrt(1 / (expected + 0.5) + 1 / (of - expected + 0.5))
    return np.array([1.0, chance, -np.log(fraction)])


def log_odds(number: float, of: float) -> float:
    """Log odds of a number among ``of``, half a record added to both sides."""
    return float(np.log((number + 0.5) / (of - number + 0.5)))


def from_log_odds(odds: float, of: float) -> float:
    """The number again.

    >>> round(from_log_odds(log_odds(7, 50), 50), 9)
    7.0
    """
    ratio = float(np.exp(np.clip(odds, -300, 300)))
    return (ratio * (of + 0.5) - 0.5) / (1 + ratio)


@cache
def learned(model: str) -> Calibration:
    """What was learned of a model."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    one = stored["models"][model]
    return Calibration(tuple(one["low"]), tuple(one["high"]), tuple(one["off"]), tuple(stored["fractions"]))
