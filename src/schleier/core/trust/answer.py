"""What the trustee tells an attacker: counts, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schleier.kernels.statistics.trials import Gain, Paired, Trials

if TYPE_CHECKING:
    import narwhals as nw


@dataclass(frozen=True)
class Claims:
    """What an attacker asserts, and what he can tell of it himself, without the truth."""

    pairs: nw.LazyFrame[Any] = field(repr=False)
    """Target and alias that are the same person."""
    facts: Mapping[str, int | float] = field(default_factory=dict)
    """Such as how many targets have several records that are as near: for the holder alone."""


@dataclass(frozen=True)
class Answer:
    """What the trustee tells: counts."""

    targets: int
    """Persons looked for."""
    contained: int
    """Targets that are in the release."""
    claims: int
    """Assertions "this record is that person"."""
    correct: int
    """Assertions that are right."""
    records: int
    """Records in the release."""

    @property
    def found(self) -> Trials:
        """Targets rightly found: the probability of re-identification (M-08)."""
        return Trials(self.correct, self.targets)

    @property
    def right(self) -> Trials:
        """Assertions that are right: the attacker never knows which (M-09 is the rest)."""
        return Trials(self.correct, self.claims)

    @property
    def guess(self) -> float:
        """Probability that blind guessing names the right record of a target."""
        return self.contained / self.targets / self.records if self.targets and self.records else 0.0


@dataclass(frozen=True)
class Inferred:
    """What the trustee tells of claimed values: counts."""

    targets: int
    """Persons whose value was to be learned."""
    without: int
    """Further persons who have no value to be learned."""
    contained: int
    """Persons looked for who are in the release."""
    claims: int
    """Assertions "that person has this value"."""
    correct: int
    """Assertions that are right."""
    guessed: int
    """Of the same persons: for how many the guess is right that needs no record."""
    gained: int
    """Persons of whom only the assertion is right."""
    differing: int
    """Assertions that are not the guess: whoever makes them can count them himself."""
    rare: int
    """Targets with one of the rare values."""
    rare_correct: int
    """Of these: assertions that are right."""
    rare_guessed: int
    """Of these: for how many the guess is right."""

    @property
    def right(self) -> Trials:
        """Assertions that are right."""
        return Trials(self.correct, self.claims)

    @property
    def against_guess(self) -> Paired:
        """Assertions and guesses about the same persons."""
        return Paired(self.gained, self.guessed - (self.correct - self.gained), self.claims)

    @property
    def baseline(self) -> float:
        """For how many of the same persons the same guess for all is right, as a share."""
        return self.guessed / self.claims if self.claims else 0.0

    def detail(self) -> dict[str, int | float]:
        """All counts against the guess, as findings about claimed values tell them."""
        less, more = self.against_guess.interval()
        return {
            "targets": self.targets,
            "without_value": self.without,
            "contained": self.contained,
            "claims": self.claims,
            "correct": self.correct,
            "false_share": 1 - self.right.share if self.claims else 0.0,
            "baseline": self.baseline,
            "gained": self.gained,
            "differing": self.differing,
            "difference": self.against_guess.difference,
            "difference_low": less,
            "difference_high": more,
        }

    @property
    def gain(self) -> Gain:
        """The same, with those of whom both are right, and neither."""
        both = self.correct - self.gained
        lost = self.guessed - both
        return Gain(both, self.gained, lost, self.claims - self.correct - lost)
