"""How many combinations of answers hold a single person: the estimators of Rauterberg, from shares alone.

Rauterberg's equations (2) to (17); counts are exact, because shares are fractions.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from schleier.planning.design import Block, Design, entropy

MOST_DIFFERENT = 200_000
"""Combinations of different shares that are gone through."""


def rate(unique: Fraction | float, persons: int) -> Fraction | float:
    """DA, the rate of identifiable persons in per cent (3).

    >>> rate(24, 100), rate(Fraction(24), 20)
    (Fraction(24, 1), Fraction(100, 1))
    """
    if isinstance(unique, int):
        unique = Fraction(unique)
    return (
        min(Fraction(100), 100 * unique / persons)
        if isinstance(unique, Fraction)
        else min(100.0, 100 * unique / persons)
    )


def fg(categories: Sequence[int]) -> int:
    """Degrees of freedom: the two largest numbers of categories less one, times the others (6).

    >>> fg([2, 3, 4])
    12
    """
    *others, second, largest = [1, *sorted(categories)] if len(categories) > 1 else [1, 2, *categories]
    return (largest - 1) * (second - 1) * math.prod(others)


def orwell(design: Design) -> float:
    """ORWELL coefficient: the product of the categories used in the mean (17).

    Answers that go together count as one question with the combinations as its categories.

    >>> from schleier.planning.design import Question
    >>> third = Question("schooling", (Fraction(1, 3),) * 3)
    >>> orwell(Design(30, Fraction(5), (third, third)))
    9.0
    """
    return math.prod(_used(design, block) for block in design.blocks)


def independent_orwell(design: Design) -> float:
    """The coefficient as if all answers were independent of each other: never smaller."""
    return math.prod(question.used for question in design.questions)


def _used(design: Design, block: Block) -> float:
    if len(block.questions) == 1:
        return design.questions[block.questions[0]].used
    held = [share for share in block.shares if share]
    return float(len(held)) if len(set(held)) == 1 else 2.0 ** entropy(held)


def even(persons: int, cells: int) -> tuple[float, float]:
    """Persons for each of so many equally frequent combinations, lambda = N / cells, and the share alone, e^-lambda.

    >>> expected, alone = even(83_000_000, 30_000 * 365)
    >>> round(expected, 4), round(alone, 6)
    (7.5799, 0.000511)
    """
    expected = persons / cells
    return expected, math.exp(-expected)


def fewest_persons(unique: float, tolerated: Fraction) -> int:
    """Fewest persons for whom so many unique combinations are tolerated.

    >>> fewest_persons(24.000000000000004, Fraction(5))
    480
    """
    # A coefficient is a floating number: 1e-12 of it must not cost a person.
    exact = Fraction(unique) if unique == int(unique) else Fraction(unique) * (1 - Fraction(1, 10**12))
    return max(1, math.ceil(100 * exact / tolerated))


@dataclass(frozen=True)
class Cells:
    """The expected shares of all combinations, equal ones counted together, in whole parts of a common denominator."""

    parts: tuple[int, ...]
    """Different shares, ascending."""
    before: tuple[int, ...]
    """Combinations with a smaller share than each, and at the end all of them."""
    whole: int
    """The denominator."""

    @staticmethod
    def of(design: Design, most: int = MOST_DIFFERENT) -> Cells | None:
        """The combinations of a design; nothing when there are too many different ones to go through."""
        found, whole = {1: 1}, 1
        for block in design.blocks:
            common = math.lcm(*(share.denominator for share in block.shares))
            own: dict[int, int] = {}
            for share in block.shares:
                part = share.numerator * (common // share.denominator)
                own[part] = own.get(part, 0) + 1
            own.pop(0, None)
            if len(found) * len(own) > 20 * most:  # not even tried: equal products are rarely that many
                return None
            following: dict[int, int] = {}
            for part, count in found.items():
                for other, times in own.items():
                    following[part * other] = following.get(part * other, 0) + count * times
            if len(following) > most:
                return None
            found, whole = following, whole * common
        parts = sorted(found)
        return Cells(tuple(parts), tuple(accumulate((found[part] for part in parts), initial=0)), whole)

    def rt(self, persons: int) -> int:
        """Marginals truncated: combinations where floor(N p) = 1, that is 1 <= N p < 2 (7-10)."""
        return self._between(Fraction(self.whole, persons), Fraction(2 * self.whole, persons))

    def rr(self, persons: int) -> int:
        """Marginals rounded: floor(N p + 1/2) = 1, that is 1/2 <= N p < 3/2 (11-12)."""
        return self._between(Fraction(self.whole, 2 * persons), Fraction(3 * self.whole, 2 * persons))

    def _between(self, low: Fraction, high: Fraction) -> int:
        """Combinations with low <= part < high."""
        first, last = bisect_left(self.parts, math.ceil(low)), bisect_left(self.parts, math.ceil(high))
        return self.before[last] - self.before[first]
