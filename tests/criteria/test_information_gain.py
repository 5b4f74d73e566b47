"""Tolerated gain: no value is claimed much more often rightly in a class than in the whole table."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import ILLNESS, Row, agrees, dataset, gaps, people, policies
from schleier.core.errors import SchleierError
from schleier.criteria.information_gain import InformationGain
from schleier.criteria.t_closeness import TCloseness


def gain(part: list[Any], everything: list[Any]) -> float:
    """By how much more often a claim is right in a class, for the value that gains most."""
    if not part:
        return 0.0
    here, overall = Counter(part), Counter(everything)
    return max(here[value] / len(part) - n / len(everything) for value, n in overall.items())


@given(rows=people, missing=policies, gap=gaps, tolerated=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9]))
@settings(max_examples=40, deadline=None)
def test_it_is_its_definition(rows: list[Row], missing: str, gap: str, tolerated: float) -> None:
    def fails(part: list[Any], everything: list[Any]) -> bool:
        return gain(part, everything) > tolerated + 1e-9

    one = InformationGain(tolerated_gain=tolerated, missing=missing, gaps=gap)
    agrees(one, rows, ILLNESS, lambda part, everything: max(gain(part, everything), 0.0), fails)


@given(rows=people, tolerated=st.sampled_from([0.05, 0.2, 0.5]))
@settings(max_examples=30, deadline=None)
def test_merging_good_classes_stays_good_and_the_best_guess_gains_no_more(rows: list[Row], tolerated: float) -> None:
    one = InformationGain(tolerated_gain=tolerated)
    verdict = one.check(dataset(rows))
    coarser = one.check(dataset([(None, age, illness, pay) for _, age, illness, pay in rows]))
    assert coarser.holds or not verdict.holds
    # What the best claim of each class gains on the best claim of all (a1 - a0) is never more than the level.
    everything = [row[ILLNESS] for row in rows if row[ILLNESS] is not None]
    if everything:
        before = max(Counter(everything).values()) / len(everything)
        parts: dict[Any, list[Any]] = {}
        for row in rows:
            if row[ILLNESS] is not None:
                parts.setdefault(row[:2], []).append(row[ILLNESS])
        best = [max(Counter(part).values()) / len(part) - before for part in parts.values()]
        assert max(best) <= (verdict.level or 0.0) + 1e-9
    # And t-closeness with the same number is stricter.
    if TCloseness(t=max(tolerated, 1e-3), distance="equal").check(dataset(rows)).holds:
        assert InformationGain(tolerated_gain=max(tolerated, 1e-3)).check(dataset(rows)).holds


def test_thirty_before_and_ninety_five_after() -> None:
    """Bitkom (2020), 2.1: 30 % before, 95 % after is a gain of 65 points."""
    rows: list[Row] = [("x", 1, "flu", 1)] * 19 + [("x", 1, "clot", 1)]
    rows += [("y", 1, "flu", 1)] * 11 + [("y", 1, "clot", 1)] * 69
    verdict = InformationGain(tolerated_gain=0.6).check(dataset(rows))
    assert verdict.level == pytest.approx(0.65) and not verdict.holds
    assert (verdict.bad_classes, verdict.bad_records) == (1, 20)
    assert InformationGain(tolerated_gain=0.65).check(dataset(rows)).holds
    assert verdict.text == (
        "A claim about 'illness' is right in a class more often than in the whole table by 0.65; "
        "at most 0.6 is tolerated, and 1 class fails."
    )


def test_what_a_rare_value_gains_counts() -> None:
    """The most frequent value is claimed no better, but whoever is in the class has the rare illness."""
    rows: list[Row] = [("x", 1, "clot", 1)] * 2 + [("y", 1, "flu", 1)] * 98
    assert not InformationGain(tolerated_gain=0.9).check(dataset(rows)).holds


def test_the_limit_is_a_share_without_a_default() -> None:
    for wrong in ({}, {"tolerated_gain": 1}, {"tolerated_gain": -0.1}):
        with pytest.raises(SchleierError):
            InformationGain(**wrong)
    assert InformationGain(tolerated_gain=0.3).weaker_than(InformationGain(tolerated_gain=0.2))
    assert not InformationGain(tolerated_gain=0.1).weaker_than(InformationGain(tolerated_gain=0.2))
    assert InformationGain(tolerated_gain=0.1).monotone and not InformationGain(tolerated_gain=0.1).hereditary
