"""beta-likeness: no sensitive value gains much in any class."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import ILLNESS, Row, agrees, dataset, gaps, people, policies
from schleier.core.errors import SchleierError
from schleier.criteria.beta_likeness import BetaLikeness


def gains(part: list[Any], everything: list[Any]) -> dict[Any, tuple[float, float]]:
    """The relative gain of each value, and its part of the whole table."""
    overall, here = Counter(everything), Counter(part)
    shares = {value: n / len(everything) for value, n in overall.items()}
    return {value: ((here[value] / len(part) - p) / p, p) for value, p in shares.items()} if part else {}


@given(rows=people, missing=policies, gap=gaps, beta=st.sampled_from([0.2, 0.5, 1, 3]))
@settings(max_examples=60, deadline=None)
def test_it_is_its_definition(rows: list[Row], missing: str, gap: str, beta: float) -> None:
    def level(part: list[Any], everything: list[Any]) -> float:
        return max((gain for gain, _ in gains(part, everything).values()), default=0.0)

    for kind in ("basic", "enhanced"):

        def fails(part: list[Any], everything: list[Any], kind: str = kind) -> bool:
            allowed = ((gain, min(beta, -math.log(p)) if kind == "enhanced" else beta)
                       for gain, p in gains(part, everything).values())  # fmt: skip
            return any(gain > most + 1e-9 for gain, most in allowed)

        agrees(BetaLikeness(beta=beta, kind=kind, missing=missing, gaps=gap), rows, ILLNESS, level, fails)


def test_frequent_values_are_held_closer() -> None:
    """Three of four have the flu: all of a class is a gain of 1/3, and -ln(3/4) is 0.288."""
    rows: list[Row] = [("x", 1, "flu", 1), ("y", 1, "flu", 1), ("y", 1, "flu", 1), ("y", 1, "clot", 1)]
    assert BetaLikeness(beta=0.34, kind="basic").check(dataset(rows)).holds
    verdict = BetaLikeness(beta=0.34).check(dataset(rows))
    assert not verdict.holds and verdict.bad_records == 1
    assert verdict.level == pytest.approx(1 / 3)
    assert verdict.text == (
        "A value of 'illness' gains 0.3333 in a class, relative to the whole table; "
        "at most 0.34 is allowed, and less for frequent values, and 1 class fails."
    )


def test_beta_is_above_0_and_lower_is_stricter() -> None:
    with pytest.raises(SchleierError):
        BetaLikeness(beta=0)
    assert not BetaLikeness(beta=1).weaker_than(BetaLikeness(beta=2))
    assert BetaLikeness(beta=1, kind="basic").weaker_than(BetaLikeness(beta=2))
    assert BetaLikeness(beta=1).monotone and not BetaLikeness(beta=1).hereditary
