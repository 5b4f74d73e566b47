"""Uniqueness in the file, a property of the whole table."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import Row, dataset, groups, judged, people, policies
from schleier.core.errors import SchleierError
from schleier.criteria.sample_uniqueness import SampleUniqueness


@given(rows=people, missing=policies, threshold=st.sampled_from([0.1, 1 / 3, 0.5]))
@settings(max_examples=40, deadline=None)
def test_it_is_the_share_of_those_who_are_alone(rows: list[Row], missing: str, threshold: float) -> None:
    found = groups(rows, missing)
    alone = [len(found[row[:2]]) == 1 for row in rows if row[:2] in found]
    bad, verdict = judged(SampleUniqueness(threshold=threshold, missing=missing), dataset(rows))
    assert not any(bad.values()), "no class fails by itself"
    if alone:
        share = sum(alone) / len(alone)
        assert verdict.level == pytest.approx(share, abs=1e-8)
        assert verdict.holds == (share <= threshold + 1e-9) == (verdict.bad_classes == 0)
    else:
        assert verdict.level is None and verdict.holds


def test_those_who_are_alone_are_counted() -> None:
    rows: list[Row] = [("x", 1, "flu", 1)] * 3 + [("y", 1, "flu", 1)]
    verdict = SampleUniqueness(threshold=0.2).check(dataset(rows))
    assert (verdict.level, verdict.holds, verdict.bad_classes, verdict.bad_records) == (0.25, False, 1, 1)
    assert verdict.text == "0.25 of the records are the only ones of their kind; at most 0.2 is allowed."


def test_it_promises_nothing_to_a_search() -> None:
    one = SampleUniqueness(threshold=0.1)
    assert one.of_table and not one.monotone and not one.hereditary
    assert one.weaker_than(SampleUniqueness(threshold=0.05)) and not one.weaker_than(SampleUniqueness(threshold=0.2))
    with pytest.raises(SchleierError):
        SampleUniqueness(threshold=1)
