"""The p% rule: the second largest contributor cannot work out the largest."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.firms import Firm, contributions, contributors, dataset, firms
from criteria.plain import judged
from criteria.test_dominance import parts
from schleier.core.errors import SchleierError
from schleier.criteria.p_percent import PPercent


@given(
    rows=firms,
    missing=st.sampled_from(["category", "wildcard", "exclude"]),
    owners=st.booleans(),
    p=st.sampled_from([5, 20, 150]),
    least=st.sampled_from([1, 3]),
)
@settings(max_examples=80, deadline=None)
def test_it_is_its_definition(rows: list[Firm], missing: str, owners: bool, p: float, least: int) -> None:
    def fails(part: list[Firm]) -> bool:
        largest, _, *others = [*contributions(part, owners=owners), 0, 0]
        many = contributors(part, owners=owners)
        return (largest > 0 and many < least) or 100 * sum(others) < p * largest

    one = PPercent(columns=["turnover"], p=p, contributors=least, missing=missing)
    bad, _ = judged(one, dataset(rows, owners=owners))
    assert bad == {key: fails(part) for key, part in parts(rows, missing).items()}


def test_what_the_others_contribute_is_the_margin() -> None:
    rows: list[Firm] = [("x", "a", 100.0), ("x", "b", 60.0), ("x", "c", 6.0), ("x", "d", 4.0)]
    assert PPercent(columns=["turnover"], p=10).check(dataset(rows, owners=False)).holds
    verdict = PPercent(columns=["turnover"], p=10.5).check(dataset(rows, owners=False))
    assert not verdict.holds and verdict.level is None
    assert verdict.parameters == {"columns": ["turnover"]} and "10.5" not in verdict.model_dump_json()


def test_p_is_above_0_and_higher_is_stricter() -> None:
    with pytest.raises(SchleierError):
        PPercent(columns=["turnover"], p=0)
    one = PPercent(columns=["turnover"], p=10)
    assert not PPercent(columns=["turnover"], p=20).weaker_than(one)
    assert PPercent(columns=["turnover"], p=5).weaker_than(one)
    assert one.monotone and not one.hereditary
