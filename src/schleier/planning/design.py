"""The design of a survey: its questions, the shares of their answers, and which answers go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from schleier.planning.experiment import Counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Grouping = tuple[int, ...]
"""The group of each category of a question."""


@dataclass(frozen=True)
class Question:
    """A question that an outsider may know the answer to.

    >>> question = Question("age", (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)))
    >>> question.bits, question.used
    (1.5, 2.8284271247461903)
    """

    name: str
    shares: tuple[Fraction, ...]
    ordered: bool = False
    """Whether only neighbouring categories may be merged."""
    labels: tuple[str, ...] = ()
    gap: bool = False
    """Whether the last category stands for no answer, which is never merged."""
    from_file: bool = False

    @property
    def bits(self) -> float:
        """Entropy U of the answers (13)."""
        return entropy(self.shares)

    @property
    def used(self) -> float:
        """Categories used in the mean, A = 2^U (14); exactly their number when they are equally frequent."""
        held = [share for share in self.shares if share]
        return float(len(held)) if len(set(held)) == 1 else min(2.0**self.bits, float(len(held)))


@dataclass(frozen=True)
class Block:
    """Questions whose answers go together: combinations of categories and the share of persons with each."""

    questions: tuple[int, ...]
    """Places of the questions in the design."""
    cells: tuple[tuple[int, ...], ...]
    """Combinations: one category for each question."""
    shares: tuple[Fraction, ...]
    unseen: Fraction | None = None
    """Of a pilot: share of persons whose combination it does not hold, by Good and Turing (Good 1953)."""

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The combinations as an array."""
        import numpy as np

        return np.array(self.cells, dtype=np.int64).reshape(len(self.cells), len(self.questions))

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The shares as an array."""
        import numpy as np

        return np.array([float(share) for share in self.shares])

    def merged(self, groupings: Sequence[Grouping]) -> dict[tuple[int, ...], Fraction]:
        """The combinations and their shares when each question has its categories in groups."""
        found: dict[tuple[int, ...], Fraction] = {}
        for cell, share in zip(self.cells, self.shares, strict=True):
            place = tuple(grouping[one] for grouping, one in zip(groupings, cell, strict=True))
            found[place] = found.get(place, Fraction(0)) + share
        return found


@dataclass(frozen=True)
class Design:
    """A planned survey.

    >>> design = Design(100, Fraction(5), (Question("sex", (Fraction(1, 2),) * 2),))
    >>> design.combinations, design.blocks[0].cells
    (2, ((0,), (1,)))
    """

    persons: int
    tolerated: Fraction
    """In per cent."""
    questions: tuple[Question, ...]
    joint: Block | None = None
    """Those questions that a joint table or pilot is about; the others are independent."""
    name: str = ""
    experiment: Counts | None = None
    """What was counted in an experiment with an attack."""
    blocks: tuple[Block, ...] = field(init=False)

    def __post_init__(self) -> None:
        together = set(self.joint.questions) if self.joint else set()
        alone = [
            Block((i,), tuple((j,) for j in range(len(question.shares))), question.shares)
            for i, question in enumerate(self.questions)
            if i not in together
        ]
        object.__setattr__(self, "blocks", (*([self.joint] if self.joint else []), *alone))

    @property
    def combinations(self) -> int:
        """Possible combinations of answers, ZZ (2)."""
        return math.prod(len(question.shares) for question in self.questions)

    @property
    def most(self) -> Fraction:
        """Unique combinations that are tolerated: DA <= tolerated, by (3)."""
        return self.tolerated * self.persons / 100

    def merged(self, groupings: Sequence[Grouping]) -> Design:
        """The same survey with the categories of each question in groups."""
        questions = tuple(_grouped(q, grouping) for q, grouping in zip(self.questions, groupings, strict=True))
        joint = None
        if self.joint:
            cells = self.joint.merged([groupings[i] for i in self.joint.questions])
            joint = Block(self.joint.questions, tuple(cells), tuple(cells.values()), self.joint.unseen)
        return Design(self.persons, self.tolerated, questions, joint, self.name)


def _grouped(question: Question, grouping: Grouping) -> Question:
    shares = [Fraction(0)] * (max(grouping) + 1)
    for share, group in zip(question.shares, grouping, strict=True):
        shares[group] += share
    return Question(question.name, tuple(shares), question.ordered, from_file=question.from_file)


def entropy(shares: Sequence[Fraction]) -> float:
    """Entropy in bits, -sum p log2 p (13).

    >>> entropy([Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), Fraction(0)])
    1.5
    """
    return math.fsum(-float(p) * (math.log2(p.numerator) - math.log2(p.denominator)) for p in shares if p) + 0.0
