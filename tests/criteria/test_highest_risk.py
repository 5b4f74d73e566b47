"""The highest prosecutor risk: one over the smallest class."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import SCHEMA, Row, dataset, groups, judged, people, policies
from schleier.core.errors import SchleierError
from schleier.core.schema import Column, Schema
from schleier.criteria.highest_risk import HighestRisk


@given(rows=people, missing=policies, threshold=st.sampled_from([1 / 5, 1 / 3, 0.5, 1]))
@settings(max_examples=40, deadline=None)
def test_it_is_its_definition(rows: list[Row], missing: str, threshold: float) -> None:
    risks = {key: 1 / len(part) for key, part in groups(rows, missing).items()}
    bad, verdict = judged(HighestRisk(threshold=threshold, missing=missing), dataset(rows))
    assert bad == {key: risk > threshold + 1e-9 for key, risk in risks.items()}
    assert verdict.level == pytest.approx(max(risks.values()), abs=1e-8) if risks else verdict.level is None


def test_a_fifth_is_five_records() -> None:
    rows: list[Row] = [("x", 1, "flu", 1)] * 5
    assert HighestRisk(threshold=0.2).check(dataset(rows)).holds
    verdict = HighestRisk(threshold=0.2).check(dataset(rows[1:]))
    assert verdict.text == "A record is found with probability 0.25 at most; 0.2 is allowed, and 1 class fails."


@pytest.mark.parametrize("threshold", [0, 1.5, -1])
def test_a_probability_is_above_0_and_at_most_1(threshold: float) -> None:
    with pytest.raises(SchleierError):
        HighestRisk(threshold=threshold)


def test_problems_promises_strictness() -> None:
    bare = Schema(columns=[Column(name="x", scale="nominal")])
    assert [p.code for p in HighestRisk(threshold=0.1).problems(bare)] == ["no-keys"]
    assert [p.code for p in HighestRisk(threshold=0.1, keys=[["y"]]).problems(SCHEMA)] == ["unknown-column"]
    assert HighestRisk(threshold=0.1).monotone and HighestRisk(threshold=0.1).hereditary
    assert not HighestRisk(threshold=0.1, missing="exclude").monotone
    assert not HighestRisk(threshold=0.1, missing="wildcard").hereditary
    assert HighestRisk(threshold=0.2).weaker_than(HighestRisk(threshold=0.1))
