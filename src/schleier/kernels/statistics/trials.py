"""Successes out of attempts, with an honest interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
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


def more_often(first: Trials, second: Trials) -> float:
    """Chance that the first succeeds so much more often although both are alike: Fisher's exact test, one-sided.

    >>> round(more_often(Trials(9, 10), Trials(3, 10)), 4), more_often(Trials(0, 5), Trials(0, 5))
    (0.0099, 1.0)
    """
    from scipy.stats import hypergeom

    every, hits = first.attempts + second.attempts, first.successes + second.successes
    return float(hypergeom.sf(first.successes - 1, every, hits, first.attempts)) if hits else 1.0


def holm(chances: Sequence[float], level: float) -> list[bool]:
    """Which of several chances are small enough when all of them together may err with this chance (Holm 1979).

    >>> holm([0.04, 0.001, 0.02], 0.05)
    [True, True, True]
    >>> holm([0.04, 0.03], 0.05)
    [False, False]
    """
    found, going = [False] * len(chances), True
    for rank, place in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        going = going and chances[place] <= level / (len(chances) - rank)
        found[place] = going
    return found


@dataclass(frozen=True)
class Gain:
    """Two ways tried on the same cases: how often both, only the first, only the second, and neither was right.

    >>> gain = Gain(300, 650, 0, 50)
    >>> round(gain.skill, 5), round(gain.odds_ratio, 2), round(gain.bits, 5)
    (0.92857, 44.33, 1.66297)
    """

    both: int
    gained: int
    lost: int
    neither: int

    @property
    def attempts(self) -> int:
        """All cases."""
        return self.both + self.gained + self.lost + self.neither

    @property
    def skill(self) -> float:
        """What part of what the second way gets wrong the first gets right, on balance; not a number where none is."""
        return 1 - _over(self.neither + self.lost, self.neither + self.gained)

    def skill_interval(self) -> tuple[float, float]:
        """From the interval of the ratio of what is wrong."""
        low, high = paired_ratio(self.neither, self.lost, self.gained)
        return 1 - high, 1 - low

    @property
    def bits(self) -> float:
        """The logarithm to the base 2 of how many times as often the first way is right."""
        ratio = _over(self.both + self.gained, self.both + self.lost)
        return math.log2(ratio) if ratio else -math.inf

    def bits_interval(self) -> tuple[float, float]:
        """From the interval of the ratio of what is right."""
        low, high = paired_ratio(self.both, self.gained, self.lost)
        return math.log2(low) if low else -math.inf, math.log2(high)

    @property
    def odds_ratio(self) -> float:
        """The odds of the first way over those of the second."""
        right, wrong = self.both + self.gained, self.neither + self.lost
        return _over(right * (self.neither + self.gained), wrong * (self.both + self.lost))

    def odds_interval(self, z: float = Z95) -> tuple[float, float]:
        """Of the logarithm, by its linear approximation, with half a case more in each of the four cells."""
        both, gained, lost, neither = (n + 0.5 for n in (self.both, self.gained, self.lost, self.neither))
        n = both + gained + lost + neither
        first, second = (both + gained) / n, (both + lost) / n
        one, two = first * (1 - first), second * (1 - second)
        variance = (1 / one + 1 / two - 2 * (both / n - first * second) / (one * two)) / n
        middle = math.log(first / (1 - first)) - math.log(second / (1 - second))
        spread = z * math.sqrt(max(variance, 0.0))
        return math.exp(middle - spread), math.exp(middle + spread)


def paired_ratio(both: int, first: int, second: int, z: float = Z95) -> tuple[float, float]:
    """The interval of Bonett and Price (2006) for how many times as often one of two things happens in the same cases.

    ``both`` cases have both, ``first`` and ``second`` only one of them; those with neither do not matter.

    >>> [round(end, 3) for end in paired_ratio(43, 13, 3)]
    [1.039, 1.426]
    """
    n, one, two = both + first + second, both + first + 1, both + second + 1
    apart = math.sqrt((1 - one / (n + 2)) / one) + math.sqrt((1 - two / (n + 2)) / two)
    z *= math.sqrt((first + second + 2) / (one * two)) / apart
    (low, high), (least, most) = (Trials(both + only, n).interval(z) for only in (first, second))
    return _over(low, most) if most else 0.0, high / least if least else math.inf


def _over(one: float, other: float) -> float:
    return one / other if other else math.nan if not one else math.inf
