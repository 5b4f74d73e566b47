"""How well scores tell two groups apart: the area under the curve, and hits at few false alarms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.statistics.trials import Z95

Floats = NDArray[np.float64]
CLOSE = 1e-12


@dataclass(frozen=True)
class Rate:
    """A share with its 95 % interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """Scores of those looked for (higher for them, one hopes) and of all others.

    >>> curve = Curve(np.array([3.0, 2.0, 2.0]), np.array([2.0, 1.0]))
    >>> round(curve.area.share, 4), round(curve.hits(0.25).share, 4)
    (0.8333, 0.6667)
    """

    hits_at: Floats = field(repr=False)
    """Scores of those looked for."""
    alarms_at: Floats = field(repr=False)
    """Scores of the others, who raise false alarms."""

    def turned(self) -> Curve:
        """The other direction: the others are looked for, by low scores."""
        return Curve(-self.alarms_at, -self.hits_at)

    @property
    def area(self) -> Rate:
        """The chance that one looked for scores higher than another, half of it where both score the same.

        The interval is the fifth of Newcombe (2006), which also holds where nobody is confused.
        """
        first, second = len(self.hits_at), len(self.alarms_at)
        if not first or not second:
            return Rate(0.5, 0.0, 1.0)
        alarms, hits = self._points
        share = float(np.sum(np.diff(alarms) * (hits[1:] + hits[:-1]) / 2))
        return Rate(share, *area_interval(share, first, second))

    def hits(self, alarms: float) -> Rate:
        """The share of those looked for who are found when so large a share of the others raises a false alarm.

        Between two thresholds, as between equal scores, one or the other is drawn. The interval adds up what the share
        may be off, and what the threshold may be off because the others are few (Zou and Donner 2008).
        """
        many, others = len(self.hits_at), len(self.alarms_at)
        if not many or not others:
            return Rate(0.0, 0.0, 1.0)
        share = self._at(alarms)
        return Rate(share, *hits_interval(share, *self.around(alarms), many))

    def around(self, alarms: float) -> tuple[float, float]:
        """The same share where the threshold is as high, and as low, as it may be because the others are few."""
        others = len(self.alarms_at)
        if not others:
            return 0.0, 1.0
        least, most = wilson(alarms, others)
        # The threshold lies between two of the others, and may be as high as the higher. Above the highest of all
        # nothing is known of false alarms: from there on straight down to nobody.
        return self._at(max(least - 1 / others, 1 / others)) * min(least * others / 2, 1.0), self._at(most)

    def caught(self, alarms: float) -> tuple[int, int]:
        """How many of both groups lie above the lowest threshold at which at most this share of the others does."""
        allowed = math.floor(alarms * len(self.alarms_at) + CLOSE)
        if allowed >= len(self.alarms_at):
            return len(self.hits_at), len(self.alarms_at)
        threshold = np.partition(self.alarms_at, -allowed - 1)[-allowed - 1]
        return int(np.count_nonzero(self.hits_at > threshold)), int(np.count_nonzero(self.alarms_at > threshold))

    def _at(self, alarms: float) -> float:
        x, y = self._points
        at = int(np.searchsorted(x, alarms + CLOSE, side="right")) - 1
        if at + 1 >= len(x):
            return float(y[-1])
        return float(y[at] + (y[at + 1] - y[at]) * max(alarms - x[at], 0.0) / (x[at + 1] - x[at]))

    @cached_property
    def _points(self) -> tuple[Floats, Floats]:
        """Shares of false alarms and of hits at each threshold, from the highest one on; equal scores are one step."""
        values, place = np.unique(-np.concatenate([self.hits_at, self.alarms_at]), return_inverse=True)
        mine, theirs = np.split(place.reshape(-1), [len(self.hits_at)])
        hits, alarms = (np.bincount(part, minlength=len(values)).cumsum() / len(part) for part in (mine, theirs))
        return np.append(0.0, alarms), np.append(0.0, hits)


def wilson(share: float, attempts: int) -> tuple[float, float]:
    """Wilson's interval of a share that need not be a whole number of attempts.

    >>> [round(end, 5) for end in wilson(0.003, 1000)]
    [0.00102, 0.00878]
    """
    z = Z95
    centre = (share + z * z / (2 * attempts)) / (1 + z * z / attempts)
    spread = z / (1 + z * z / attempts) * math.sqrt(share * (1 - share) / attempts + z * z / (4 * attempts**2))
    return (0.0 if share <= 0 else max(0.0, centre - spread)), (1.0 if share >= 1 else min(1.0, centre + spread))


def hits_interval(share: float, fewer: float, further: float, attempts: int) -> tuple[float, float]:
    """Adds up what a share may be off, and what it may be off because the threshold is.

    >>> [round(end, 5) for end in hits_interval(0.003, 0.003, 0.003, 1000)]
    [0.00102, 0.00878]
    """
    less, more = wilson(share, attempts)
    low = share - math.hypot(share - less, max(share - fewer, 0.0))
    high = share + math.hypot(more - share, max(further - share, 0.0))
    return max(0.0, low), min(1.0, high)


def area_interval(share: float, first: int, second: int) -> tuple[float, float]:
    """All areas from which this one is at most 1.96 standard errors away, as Hanley and McNeil have them."""
    from scipy.optimize import brentq

    size = (first + second) / 2 - 1

    def away(area: float) -> float:
        error = area * (1 - area) * (1 + size * ((1 - area) / (2 - area) + area / (1 + area))) / (first * second)
        return (share - area) ** 2 - Z95**2 * error

    low = 0.0 if share <= 0 else float(brentq(away, 0.0, min(share, 1 - CLOSE)))
    high = 1.0 if share >= 1 else float(brentq(away, max(share, CLOSE), 1.0))
    return low, high
