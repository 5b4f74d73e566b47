"""Cost and benefit of an attempt, class by class."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.plain import SCHEMA, Row, dataset, groups, judged, people, policies
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.schema import Column, Schema
from schleier.criteria.profitability import Profitability

WEIGHTED = Schema(
    columns=[Column(name="x", role="quasi", scale="nominal"), Column(name="w", role="weight", scale="continuous")]
)


@given(
    rows=people,
    missing=policies,
    gain=st.sampled_from([0, 1, 30, 100.5]),
    cost=st.sampled_from([1, 7.5, 10, 200]),
    sanction=st.sampled_from([(0, 0), (50, 0.1)]),
    other=st.sampled_from([(None, None), (20, 0.5), (1, 1), (500, 1)]),
)
@settings(max_examples=60, deadline=None)
def test_it_is_its_definition(
    rows: list[Row],
    missing: str,
    gain: float,
    cost: float,
    sanction: tuple[float, float],
    other: tuple[float | None, float | None],
) -> None:
    one = Profitability(
        gain=gain,
        cost=cost,
        sanction=sanction[0],
        detection=sanction[1],
        alternative_cost=other[0],
        alternative_success=other[1],
        missing=missing,
    )
    elsewhere = 0.0 if other[0] is None or other[1] is None else max(0.0, other[1] * gain - other[0])
    found = groups(rows, missing)
    gains = {key: gain / len(part) - cost - sanction[0] * sanction[1] - elsewhere for key, part in found.items()}
    bad, verdict = judged(one, dataset(rows))
    assert bad == {key: value > 1e-7 for key, value in gains.items()}
    assert verdict.level == pytest.approx(max(gains.values()), abs=1e-8) if gains else verdict.level is None
    assert verdict.holds == (not any(bad.values()))


@pytest.mark.parametrize("cost", [75, 100 / 3, 0.1])
def test_a_gain_of_nothing_is_no_gain(cost: float) -> None:
    rows: list[Row] = [("x", 1, "flu", 1)] * 3
    assert Profitability(gain=3 * cost, cost=cost).check(dataset(rows)).holds
    assert not Profitability(gain=3.001 * cost, cost=cost).check(dataset(rows)).holds


def test_the_journalist_counts_the_population() -> None:
    table = pa.table({"x": ["a", "b", "b", "c"], "w": [50.0, 10.0, 20.0, 0.25]})
    data = Dataset.from_frame(table, WEIGHTED)
    verdict = Profitability(gain=100, cost=3, attacker="journalist").check(data)
    assert verdict.level == 97, "there is at least the person in the file, whatever the weight says"
    assert (verdict.bad_classes, verdict.bad_records) == (2, 3)  # 100/30 and 100/1, not 100/50
    assert Profitability(gain=100, cost=3).check(data).bad_classes == 3


def test_a_class_without_weights_is_as_small_as_it_looks() -> None:
    data = Dataset.from_frame(pa.table({"x": ["a", "a"], "w": pa.array([None, None], pa.float64())}), WEIGHTED)
    assert Profitability(gain=100, cost=3, attacker="journalist").check(data).level == 47


def test_the_sanction_is_shown_apart() -> None:
    rows: list[Row] = [("x", 1, "flu", 1)] * 2
    text = Profitability(gain=100, cost=20, sanction=1000, detection=0.1).check(dataset(rows)).text
    assert text == (
        "One attempt brings an attacker -70 on average at most (30 without the expected sanction); "
        "more than 0 is not allowed."
    )


def test_problems() -> None:
    def codes(schema: Schema = SCHEMA, **more: object) -> list[str]:
        return [p.code for p in Profitability(**{"gain": 10, "cost": 1, **more}).problems(schema)]

    assert codes() == []
    assert codes(attacker="journalist") == ["no-weight"]
    assert codes(WEIGHTED, attacker="journalist") == []
    assert codes(cost=0) == ["always-profitable"]
    assert codes(cost=0, sanction=10) == ["always-profitable"], "who is never detected loses nothing"
    assert codes(cost=0, sanction=10, detection=0.1) == []
    assert codes(cost=0, gain=0) == []
    assert codes(alternative_cost=3) == codes(alternative_success=1) == ["half-alternative"]
    assert codes(Schema(columns=[Column(name="x", scale="nominal")])) == ["no-keys"]


@pytest.mark.parametrize(
    "wrong",
    [{"gain": -1}, {"cost": -1}, {"gain": math.inf}, {"detection": 1.5}, {"alternative_success": 0}, {"attacker": "x"}],
)
def test_refuses(wrong: dict[str, object]) -> None:
    with pytest.raises(SchleierError):
        Profitability(**{"gain": 10, "cost": 1, **wrong})


@pytest.mark.parametrize("missing_one", ["gain", "cost"])
def test_what_decides_has_no_default(missing_one: str) -> None:
    given_ = {"gain": 10, "cost": 1}
    del given_[missing_one]
    with pytest.raises(SchleierError, match=missing_one):
        Profitability(**given_)


def test_weaker_is_what_allows_smaller_classes() -> None:
    one = Profitability(gain=100, cost=10)
    assert not one.weaker_than(one)
    assert one.weaker_than(Profitability(gain=200, cost=10)) and not Profitability(gain=200, cost=10).weaker_than(one)
    assert Profitability(gain=100, cost=10, sanction=9, detection=0.5).weaker_than(one)
    assert one.weaker_than(Profitability(gain=100, cost=10, attacker="journalist"))
    # The more there is to gain, the more attractive the other way: here higher is weaker.
    other = {"alternative_cost": 50, "alternative_success": 1}
    assert Profitability(gain=200, cost=1, **other).weaker_than(Profitability(gain=100, cost=1, **other))


def test_promises() -> None:
    assert Profitability(gain=10, cost=3).limits(SCHEMA).least == 4
    assert Profitability(gain=9, cost=3).limits(SCHEMA).least == 3
    assert Profitability(gain=9, cost=3).limits(SCHEMA).whole
    assert not Profitability(gain=9, cost=3, attacker="journalist").limits(SCHEMA).whole
    assert not Profitability(gain=9, cost=3, missing="exclude").monotone
    assert not Profitability(gain=9, cost=3, missing="wildcard").hereditary
