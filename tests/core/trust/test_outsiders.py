"""Verdicts about a file that is not public: every broken number in steps, however it is written, never too good."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.amount import step_of
from schleier.core.criterion import Criterion, Verdict
from schleier.core.goal import RISK, Goal
from schleier.core.registry import every
from schleier.core.trust.outsiders import verdict_for_outsiders

LEVELS = st.floats(0.0001, 1).filter(lambda level: not level.is_integer())
RECORDS = st.integers(10, 200_000)


def told(level: float, records: int, threshold: float, goal: Goal = RISK) -> Verdict:
    text = f"{level:.4g} of the records; at most {threshold:.10g} is allowed."
    exact = Verdict(criterion="c", parameters={}, holds=True, level=level, records=records, text=text)
    return verdict_for_outsiders(exact, {"threshold": threshold}, goal)


def level_of(verdict: Verdict) -> float:
    assert verdict.level is not None
    return verdict.level


@pytest.mark.parametrize("alone", [1, 3, 4])
def test_a_small_share_is_coarse_in_the_sentence_too(alone: int) -> None:
    found = told(alone / 100_000, 100_000, 0.00002)
    assert (found.level, found.text) == (0.0001, "0.0001 of the records; at most 2e-05 is allowed.")


@pytest.mark.parametrize(("protects", "level"), [(False, 0.55556), (True, 0.462962)])
def test_level_and_sentence_end_on_the_same_step(protects: bool, level: float) -> None:
    """Just below the middle of two steps; just above it when rounded to four digits."""
    found = told(round(55 / 108, 9), 108, 0.9, Goal(protects=protects))
    assert found.level == pytest.approx(level, abs=1e-5) and found.text.startswith(f"{found.level:.10g} ")


def test_four_digits_hide_no_risk() -> None:
    """The sentence says 0.2, which is a step, and the level is a little beyond it."""
    found = told(0.200001, 100, 0.9)
    assert found.level == 0.3 and found.text.startswith("0.3 ")


@given(LEVELS, RECORDS)
def test_a_risk_is_never_told_lower_nor_a_protection_higher(level: float, records: int) -> None:
    step = step_of(records)
    risk, protection = (level_of(told(level, records, 7.5, Goal(protects=good))) for good in (False, True))
    assert level - 1e-9 <= risk <= level + step + 2e-6 and level + 1e-9 >= protection >= level - step - 2e-6


@given(LEVELS, LEVELS, RECORDS)
def test_what_is_met_is_not_told_as_broken(level: float, limit: float, records: int) -> None:
    risk = level_of(told(level, records, limit, Goal(limit)))
    protection = level_of(told(level, records, limit, Goal(limit, protects=True)))
    assert (risk <= limit) or level > limit
    assert (protection >= limit) or level < limit
    assert risk >= level - 1e-9 and protection <= level + 1e-9


@given(st.integers(1, 40), st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.integers(1000, 50_000))
def test_all_levels_of_a_step_are_told_alike(place: int, one: float, other: float, records: int) -> None:
    step = step_of(records)
    levels = [(place - 1 + part) * step for part in (one, other)]
    for protects in (False, True):
        assert len({told(level, records, 7.5, Goal(protects=protects)).level for level in levels}) == 1


def test_a_loss_of_the_attacker_is_told_with_its_sign() -> None:
    exact = Verdict(criterion="c", parameters={}, holds=True, level=-3.26, records=50, text="It brings -3.26 at most.")
    found = verdict_for_outsiders(exact, {}, Goal(0.0))
    assert found.level == pytest.approx(-3.2) and found.text == "It brings -3.2 at most."


def test_which_way_every_criterion_goes() -> None:
    """Those that count persons or values who are alike protect; shares, distances and gains are risks."""
    good = {word for word, one in every("criterion").items() if goal_of(one).protects}
    protecting = {"k_anonymity", "k_map", "km_anonymity", "l_diversity", "alike_units", "estimated_k_map", "data_age"}
    counting = {"category_threshold", "region_threshold"}
    risks = {"t_closeness", "alpha_k", "average_risk", "highest_risk", "delta_presence", "beta_likeness"}
    assert protecting | counting <= good
    assert not good & {*risks, "delta_disclosure", "population_uniqueness", "sample_uniqueness", "profitability"}
    assert goal_of(every("criterion")["profitability"]).limit == 0.0
    assert math.isclose(goal_of(every("criterion")["t_closeness"]).limit or 0.0, 0.5)


def goal_of(criterion: type[Criterion]) -> Goal:
    return criterion(**criterion.example).goal
