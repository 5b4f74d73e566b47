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
