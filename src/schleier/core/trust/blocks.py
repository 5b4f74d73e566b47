"""Counts of right claims in blocks of ten: all that is told of them is the same for every count of a block.

Several numbers that are each rounded by themselves would, taken together, tell a count finer than each of them does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from schleier.core.amount import LEAST
from schleier.core.measure import ALARM
from schleier.kernels.statistics.trials import Paired, Trials

Outcome = Literal["guess", "better", "alarm", "unclear", "withheld"]
"""Against guessing: no better, clearly better, so much better that it is called a problem, unclear, because a few
claims decide it, or withheld, because few claims were made."""


def block_of(count: int, most: int) -> tuple[int, int]:
    """The least and the largest count that are told like this one: blocks of ten or more, of the counts up to ``most``.

    The last one takes what is left over, so that nobody and everybody are told apart from nine others neither.

    >>> block_of(0, 50), block_of(37, 50), block_of(50, 50), block_of(7, 12)
    ((0, 9), (30, 39), (40, 50), (0, 12))
    """
    last = max((most + 1) // LEAST - 1, 0)
    place = min(count // LEAST, last)
    return place * LEAST, most if place == last else place * LEAST + LEAST - 1


def middle_of(count: int, most: int) -> int:
    """The count that stands for all in its block.

    >>> [middle_of(count, 50) for count in (0, 9, 10, 49, 50)]
    [4, 4, 14, 45, 45]
    """
    return sum(block_of(count, most)) // 2


@dataclass(frozen=True)
class Against:
    """What the least and the largest count of a block come to against guessing."""

    surely: bool
    """Whether it is better than guessing whichever count it is."""
    perhaps: bool
    """Whether it is for one of them."""
    gain: float
    """What is gained at most."""

    def __or__(self, other: Against) -> Against:
        """Better in one way or in another."""
        gains = [one.gain for one in (self, other) if one.surely]
        return Against(self.surely or other.surely, self.perhaps or other.perhaps, max(gains, default=0.0))

    @property
    def outcome(self) -> Outcome:
        """One word for the whole block: never less than one of its counts comes to.

        >>> Against(surely=False, perhaps=True, gain=0.5).outcome, Against(True, True, 0.01).outcome
        ('unclear', 'better')
        """
        if self.surely:
            return "alarm" if self.gain >= ALARM else "better"
        return "unclear" if self.perhaps else "guess"


@dataclass(frozen=True)
class Found:
    """Persons who were found, in a block: the intervals of its least and of its largest count."""

    least: tuple[float, float]
    most: tuple[float, float]
    gain: float
    """The largest share."""

    @staticmethod
    def of(correct: int, claims: int, targets: int) -> Found:
        """So many right claims, of which each target has one at most."""
        least, most = (Trials(count, targets) for count in block_of(correct, min(claims, targets)))
        return Found(least.interval(), most.interval(), most.share)

    def against(self, guess: tuple[float, float]) -> Against:
        """What that is against guessing, which finds between two shares."""
        return Against(self.least[0] > guess[1], self.most[0] > guess[0], self.gain)


@dataclass(frozen=True)
class Learned:
    """Right claims of values, and right guesses about the same persons, in blocks."""

    claims: int
    correct: int
    """The count that stands for the block."""
    guessed: int
    least: tuple[float, float]
    """The interval of the share of right claims for the least count of the block."""
    most: tuple[float, float]
    difference: tuple[float, float]
    """The least and the largest end of the interval of what claims are right more often."""
    against: Against

    @staticmethod
    def of(claims: int, correct: int, guessed: int, gained: int, differing: int | None = None) -> Learned:
        """``gained`` are right by the claim alone, ``differing`` are claims that are not the guess.

        How many of these there are, whoever repeats the attack knows. Where they are fewer than ten, claims and guesses
        may not be told apart: then all follows from their number.

        >>> Learned.of(400, 312, 309, 4, differing=5).correct == Learned.of(400, 312, 309, 4, differing=5).guessed
        True
        """
        block, common = block_of(correct, claims), block_of(guessed, claims)
        ends = tuple(Trials(count, claims).interval() for count in block)
        if differing is not None and differing < LEAST:
            common, worst, best = block, Paired(0, differing, claims), Paired(differing, 0, claims)
        else:
            both = _both(correct - gained, block, common, claims)
            worst = _paired(block[0], common[1], both[0], claims)
            best = _paired(block[1], common[0], both[1], claims)
        low, high = worst.interval()[0], best.interval()[1]
        against = Against(low > 0, best.interval()[0] > 0, best.difference)
        return Learned(claims, sum(block) // 2, sum(common) // 2, ends[0], ends[1], (low, high), against)

    @property
    def skill(self) -> tuple[float, int]:
        """What part of what the guess gets wrong the claims get right, and how many that are."""
        wrong = self.claims - self.guessed
        return (self.correct - self.guessed) / max(wrong, 1), wrong


def _paired(correct: int, guessed: int, both: int, claims: int) -> Paired:
    """So many of whom both are right, as far as that is possible."""
    both = max(min(both, correct, guessed), correct + guessed - claims, 0)
    return Paired(correct - both, guessed - both, claims)


def _both(count: int, one: tuple[int, int], other: tuple[int, int], claims: int) -> tuple[int, int]:
    """The block of those of whom both claim and guess are right, told so that it narrows neither of the two others.

    What is possible for each count of both blocks is parted into blocks; what is possible for some only goes with the
    nearest of them.
    """
    least, most = max(one[0] + other[0] - claims, 0), min(one[1], other[1])
    low, high = max(one[1] + other[0] - claims, one[0] + other[1] - claims, 0), min(one[0], other[0])
    if high - low < 2 * LEAST - 1:
        return least, most
    start, end = block_of(min(max(count, low), high) - low, high - low)
    return (least if start == 0 else low + start), (most if low + end == high else low + end)
