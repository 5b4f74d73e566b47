"""Weights of agreement (Fellegi and Sunter 1969) and the two thresholds, fitted on made-up persons."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import log2
from pathlib import Path
from typing import Literal

from schleier.extras.pseudonyms._identity import Identity
from schleier.extras.pseudonyms._likeness import levels

Decision = Literal["certain", "tentative", "new"]
FILE = Path(__file__).with_name("model.json")


@dataclass(frozen=True)
class Model:
    """What each level of each field is worth in bits, and from where on a person is known."""

    weights: Mapping[str, Mapping[str, float]]
    certain: float
    """At least so many bits, in a register of ``persons``, and nobody else is as near."""
    new: float
    """Below, it is somebody else."""
    apart: float
    """Bits between the best and the next person for the best to be certain."""
    persons: int

    def score(self, one: Identity, other: Identity) -> float:
        """The bits that speak for one person."""
        return sum(self.weights[field].get(level, 0.0) for field, level in levels(one, other).items())

    def decide(self, scores: Mapping[int, float], persons: int) -> tuple[Decision, int | None]:
        """Which of some persons it is, in a register of so many; in a larger one more must agree.

        >>> model().decide({}, 10)
        ('new', None)
        """
        if not scores:
            return "new", None
        more = max(0.0, log2(max(persons, 1) / self.persons))
        (best, first), *rest = sorted(scores.items(), key=lambda pair: -pair[1])
        second = rest[0][1] if rest else float("-inf")
        if first >= self.certain + more and first - second >= self.apart:
            return "certain", best
        return ("tentative", best) if first >= self.new + more else ("new", None)


@cache
def model() -> Model:
    """The model that comes with the service; ``tools`` of the wing fit it anew."""
    return Model(**json.loads(FILE.read_text(encoding="utf-8")))


def keys_of(one: Identity) -> Iterable[tuple[str, ...]]:
    """What two writings of a person share: persons without one such key in common are never compared."""
    from schleier.extras.pseudonyms._phonetics import cologne

    given, surname, born = cologne(one.given_name), cologne(one.surname), cologne(one.birth_name)
    day, code, town = one.birth_date, one.postcode, cologne(one.town)
    pairs = [("day", day), ("names", *sorted((given, surname)))]
    pairs += [
        (kind, place, name) for name in {given, surname, born} - {""} for kind, place in (("c", code), ("t", town))
    ]
    pairs += [("m", day[:6], name) for name in {given, surname, born} - {""} if day]
    pairs += [("y", day[:4] + day[6:], name) for name in {given, surname} - {""} if day]
    pairs += [("born", given, born)] if born else []
    pairs += [("md", day[:6], code), ("dc", day[4:], code)]
    return [pair for pair in pairs if all(pair[1:])]
