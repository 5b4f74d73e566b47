"""The average prosecutor risk, a property of the whole table."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import SCHEMA, Row, dataset, groups, judged, people, policies
from schleier.core.errors import SchleierError
from schleier.criteria.average_risk import AverageRisk


@given(rows=people, missing=policies, threshold=st.sampled_from([0.1, 1 / 3, 0.5, 1]))
@settings(max_examples=40, deadline=None)
def test_it_is_the_mean_over_records(rows: list[Row], missing: str, threshold: float) -> None:
    found = groups(rows, missing)
    risks = [1 / len(found[row[:2]]) for row in rows if row[:2] in found]
    bad, verdict = judged(AverageRisk(threshold=threshold, missing=missing), dataset(rows))
    assert not any(bad.values()), "no class fails by itself"
    if risks:
        average = sum(risks) / len(risks)
        assert verdict.level == pytest.approx(average, abs=1e-8)
        assert verdict.holds == (average <= threshold + 1e-9)
        assert verdict.holds == (verdict.bad_classes == 0)
    else:
        assert verdict.level is None and verdict.holds


def test_the_classes_that_make_it_too_high_are_counted() -> None:
    rows: list[Row] = [("x", 1, "flu", 1)] * 3 + [("y", 1, "flu", 1)]
    verdict = AverageRisk(threshold=0.4).check(dataset(rows))
    assert (verdict.level, verdict.holds, verdict.bad_classes, verdict.bad_records) == (0.5, False, 1, 1)
    assert verdict.text == "On average a record is found with probability 0.5; at most 0.4 is allowed."


def test_the_worst_combination_decides() -> None:
    rows: list[Row] = [("x", 1, "flu", 1), ("y", 1, "flu", 1)]
    verdict = AverageRisk(threshold=0.6, keys=[["place"], ["age"]]).check(dataset(rows))
    assert (verdict.level, verdict.bad_classes) == (1.0, 2)
    assert [p.code for p in AverageRisk(threshold=0.6, keys=[["plaice"]]).problems(SCHEMA)] == ["unknown-column"]


def test_it_promises_nothing_to_a_search() -> None:
    one = AverageRisk(threshold=0.1)
    assert not one.monotone and not one.hereditary
    assert one.weaker_than(AverageRisk(threshold=0.05)) and not one.weaker_than(AverageRisk(threshold=0.2))
    with pytest.raises(SchleierError):
        AverageRisk(threshold=0)
