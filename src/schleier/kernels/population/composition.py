"""The probability of a successful re-identification, composed of its four conditions.

Skinner and Marsh, after Müller, Blien, Knoche and Wirth (1991), 4.1: W = W(R) W(K) W(U) S(U) (2b). Which of them an
attacker may take for granted depends on his strategy and on what the two files cover (Übersicht 4.1, L6623-6655).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Strategy = Literal["targeted", "fishing"]
Coverage = Literal["part", "total"]
Needed = Literal["in_release", "in_knowledge", "unique", "unique_in_release", "certain"] | None
"""The component a condition is; none when it is fulfilled anyway."""


@dataclass(frozen=True)
class Row:
    """One row of the overview: an attacker, and which components count for him."""

    number: int
    strategy: Strategy
    participation: bool
    """He knows that the person took part."""
    knowledge: Coverage
    """Whether his file covers a part or all of the population."""
    release: Coverage
    """Whether the released file covers a part or all of the population."""
    represented: Needed
    unique: Needed
    certain: Needed


ROWS = (
    Row(1, "targeted", False, "part", "part", "in_release", "unique", "certain"),
    Row(2, "targeted", False, "part", "total", None, "unique", None),
    Row(3, "targeted", False, "total", "part", "in_release", "unique", None),
    Row(4, "fishing", False, "part", "part", "in_knowledge", "unique", "certain"),
    Row(5, "fishing", False, "part", "total", "in_knowledge", "unique", None),
    Row(6, "fishing", False, "total", "part", None, "unique", None),
    Row(7, "targeted", True, "part", "part", None, "unique_in_release", None),
)


@dataclass(frozen=True)
class Parts:
    """The probabilities a risk is composed of."""

    in_release: float
    """W(R_MDF): the person looked for is in the release."""
    in_knowledge: float
    """W(R_IF): the person of a record is in the attacker's file."""
    compatible: float
    """W(K): both files record the person alike."""
    unique: float
    """W(U_p): nobody else in the population has the same key."""
    certain: float
    """S(U_p): how sure the attacker may be of that, having found the record to be alone."""
    unique_in_release: float
    """W(U_MDF): no other record of the release has the same key."""


def row_of_attacker(strategy: Strategy, knowledge: Coverage, release: Coverage, *, participation: bool = False) -> Row:
    """The row of an attacker; where both files cover everybody, the one that needs the same components.

    >>> row_of_attacker("targeted", "part", "part").number, row_of_attacker("fishing", "total", "part").number
    (1, 6)
    """
    if participation:
        return ROWS[6]
    if strategy == "targeted":
        return ROWS[1] if release == "total" else ROWS[2] if knowledge == "total" else ROWS[0]
    return ROWS[5] if knowledge == "total" else ROWS[4] if release == "total" else ROWS[3]


def applies(row: Row, release: Coverage) -> bool:
    """Whether there is such an attacker of a release with this coverage.

    Fishing with a file of everybody (6) and knowing who took part (7) are possible either way.

    >>> [row.number for row in ROWS if applies(row, "total")]
    [2, 5, 6, 7]
    """
    return row.release == release or row.number in (6, 7)


def factors(row: Row, parts: Parts) -> tuple[float, float, float, float]:
    """Representation, compatibility, uniqueness and certainty for one attacker; 1 where he need not care."""

    def part(name: Needed) -> float:
        return 1.0 if name is None else float(getattr(parts, name))

    return part(row.represented), parts.compatible, part(row.unique), part(row.certain)


def attacker_risk(row: Row, parts: Parts) -> float:
    """The risk from one attacker, (2b).

    >>> parts = Parts(0.01, 1.0, 0.9**10, 1 / 101, 2 / 101, 0.5)
    >>> [f"{attacker_risk(row, parts):.3g}" for row in ROWS]
    ['6.84e-07', '0.00345', '3.45e-05', '6.84e-05', '0.00345', '0.00345', '0.174']
    """
    return math.prod(factors(row, parts))


def certainty(unique: float, unique_in_release: float, *, published: bool = False) -> float:
    """S(U_p): the probability that a record that is alone in the sample is alone in the population.

    (3) with its sign put right is a quotient. The print took the product (erratum E-01), which is too small.

    >>> round(certainty(1 / 101, 0.5), 6), round(certainty(1 / 101, 0.5, published=True), 6)
    (0.019802, 0.00495)
    """
    if published:
        return unique * unique_in_release
    return min(unique / unique_in_release, 1.0) if unique_in_release else 0.0


@dataclass(frozen=True)
class Effort:
    """What an attacker has to go through."""

    tries: float
    """Persons he must look for."""
    false: float
    """Wrong links he gets on the way."""
    links: float
    """All links, right and wrong: he cannot tell them apart."""


def trials_needed(wanted: int, tried: int, correct: int, false: int = 0) -> Effort:
    """How many persons an attacker must look for to get so many right links, when an experiment went like this.

    >>> found = trials_needed(100, tried=7983, correct=4, false=10)
    >>> found.tries, found.false, found.links
    (199575.0, 250.0, 350.0)
    """
    found = {"wanted": wanted, "tried": tried, "correct": correct, "false": false}
    negative = [name for name, count in found.items() if count < 0]
    wrong = [f"negative: {', '.join(negative)}"] if negative else []
    if correct > tried:
        wrong.append("there are more right links than persons looked for")
    if wrong:
        raise ValueError("; ".join(wrong))
    per = wanted / correct if correct else math.inf if wanted else 0.0
    more = per * false if false else 0.0
    return Effort(per * tried if tried else 0.0, more, wanted + more)
