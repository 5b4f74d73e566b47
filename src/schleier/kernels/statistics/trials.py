"""Successes out of attempts, with an honest interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

Z95 = 1.959963984540054
"""Two-sided 95 % point of the normal distribution."""


@dataclass(frozen=True)
class Trials:
    """So many successes in so many attempts.

    >>> Trials(3, 1000).share
    0.003
    >>> low, high = Trials(3, 1000).interval()
    >>> round(low, 5), round(high, 5)
    (0.00102, 0.00878)
    """

    successes: int
    attempts: int

    @property
    def share(self) -> float:
        """Share of successes; 0 when nothing was tried."""
        return self.successes / self.attempts if self.attempts else 0.0

    def interval(self, z: float = Z95) -> tuple[float, float]:
        """Wilson's score interval (1927): sound also for no success and for few attempts; all of [0, 1] for none."""
        n, p = self.attempts, self.share
        if n == 0:
            return 0.0, 1.0
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        spread = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        # At the borders the exact ends are 0 and 1; rounding must not move them inwards.
        low = 0.0 if self.successes == 0 else max(0.0, centre - spread)
        high = 1.0 if self.successes == n else min(1.0, centre + spread)
        return low, high


@dataclass(frozen=True)
class Paired:
    """Two ways tried on the same cases: how often only the first, and only the second, was right.

    >>> paired = Paired(60, 10, 1000)
    >>> paired.difference
    0.05
    >>> low, high = paired.interval()
    >>> round(low, 4), round(high, 4)
    (0.0336, 0.0662)
    """

    gained: int
    lost: int
    attempts: int

    @property
    def difference(self) -> float:
        """By how much the first way is right more often; 0 when nothing was tried."""
        return (self.gained - self.lost) / self.attempts if self.attempts else 0.0

    def interval(self, z: float = Z95) -> tuple[float, float]:
        """The interval of Bonett and Price (2012), which adds one case to either side; all of [-1, 1] for none."""
        if self.attempts == 0:
            return -1.0, 1.0
        n = self.attempts + 2
        first, second = (self.gained + 1) / n, (self.lost + 1) / n
        spread = z * math.sqrt((first + second - (first - second) ** 2) / n)
        return max(-1.0, first - second - spread), min(1.0, first - second + spread)
