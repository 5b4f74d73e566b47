"""Persons recorded alike: by published rates, and counted in true pairs by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from risk.known import COLUMNS, HELD, PEOPLE, WHO, case
from schleier.core.errors import DataError
from schleier.core.measure import Finding
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.methods.recode import Recode
from schleier.risk._rates import presets
from schleier.risk.compatibility import Compatibility

SCHEMA = Schema(columns=COLUMNS)


def codes(**parameters: Any) -> list[str]:
    return sorted(problem.code for problem in Compatibility(**parameters).problems(SCHEMA))


def found(**parameters: Any) -> Finding:
    return Compatibility(**parameters).measure(case(), Run(key=bytes(32)))


def test_by_rates() -> None:
    one = found(preset="allbus", rates={"age": "birth_year", "town": 0.1})
    assert one.value == pytest.approx((1 - 0.026) * 1 * 0.9)  # nobody changed sex
    assert (one.low, one.high) == (None, None)
    assert one.detail["rates"] == {"age": 0.026, "sex": 0.0, "town": 0.1}
    assert one.detail["worst"] == "town" and one.detail["without_worst"] == pytest.approx(0.974)
    assert one.detail["together"] == pytest.approx(0.9) and one.detail["cautions"] == ["worst", "independent"]


def test_errors_that_happen_to_the_same_persons() -> None:
    rates = {"age": 0.2, "sex": 0.1, "town": 0.3}
    values = [found(rates=rates, correlation=each).value for each in (0, 0.4, 1)]
    assert values[0] == pytest.approx(0.504) and values[2] == pytest.approx(0.7)
    assert values[0] < values[1] < values[2]
    assert found(rates=rates, correlation=0.4).detail["cautions"] == ["worst"]


def test_true_pairs_counted_by_hand() -> None:
    """Five pairs; p1 and p3 have no difference, p2 has two, p4 and p5 one each."""
    one = found()
    assert one.value == 2 / 5
    assert one.detail["how"] == "pairs" and one.detail["cautions"] == ["worst_pair", "few"]
    pairs = one.detail["pairs"]
    assert (pairs["number"], pairs["identical"], pairs["spread"]) == (5, 2, [2, 2, 1, 0])
    columns = pairs["columns"]
    assert [columns[name]["rate"] for name in ("age", "sex", "town")] == [0.4, 0.0, 0.4]
    assert columns["age"] | {"low": 0, "high": 0} == {
        "rate": 0.4,
        "low": 0,
        "high": 0,
        "different": 1,
        "only_first": 1,  # p4: the attacker knows an age, the release has none
        "only_second": 0,
        "neither": 0,
    }
    assert columns["town"]["only_second"] == 1 and columns["sex"]["neither"] == 1
    assert one.low is not None and one.high is not None and one.low < 0.4 < one.high
    assert sum(pairs["independent"]) == pytest.approx(5)
    assert pairs["same_rate"] == pytest.approx(1 - 0.4 ** (1 / 3))


def test_gaps_may_match_anything_or_leave_the_pair_out() -> None:
    assert found(missing="wildcard").detail["pairs"]["spread"] == [4, 0, 1, 0]
    left = found(missing="exclude").detail["pairs"]
    assert (left["number"], left["identical"]) == (3, 2)


def test_rates_decide_and_pairs_are_shown_beside_them() -> None:
    one = found(keys=["sex"], rates={"sex": 0.25})
    assert one.value == 0.75 and one.detail["pairs"]["share"] == 1.0


def test_the_worst_key_is_named_only_where_there_is_one() -> None:
    assert found(keys=["sex"], rates={"sex": 0.25}).detail["cautions"] == []
    assert found(keys=["sex", "age"], rates={"sex": 0, "age": 0.1}).detail["cautions"] == [
        "worst"
    ]  # nothing to go with
    assert "worst" not in found(keys=["sex", "age"], rates={"sex": 0, "age": 0}).detail["cautions"]


def test_rates_need_no_file_with_all_keys() -> None:
    poor = case()
    assert poor.known is not None
    one = Compatibility(rates={"sex": 0.25, "town": 0}, keys=["sex", "town"])
    finding = one.measure(replace(poor, known=poor.known.drop("town")), Run())
    assert finding.value == 0.75 and "pairs" not in finding.detail


def test_the_attacker_recodes_what_he_knows() -> None:
    """Ages 40 and 41 are the same ten years: after recoding p2 differs in the town only."""
    step = Recode(column="age", breaks=[35, 45, 55])
    one = case()
    released = step.apply(one.original, Run(key=bytes(32)))
    recoded = Compatibility(keys=["age"]).measure(replace(one, released=released, steps=(step,)), Run(key=bytes(32)))
    assert recoded.detail["pairs"]["columns"]["age"]["different"] == 0
    assert recoded.value == 4 / 5


def test_what_was_changed_protects_too() -> None:
    changed = case(people=PEOPLE | {"sex": ["m", "f", "m", "f", "m"]})
    one = Compatibility(keys=["sex"]).measure(changed, Run(key=bytes(32)))
    assert one.value == 0.0


def test_everything_wrong_is_said_at_once() -> None:
    rates = {"age": 1.5, "sex": "gender", "nobody": 0.1}
    assert codes(keys=["age", "sex", "town"], preset="albus", rates=rates, correlation=2) == [
        "bad-rate",
        "bad-rate",
        "no-rate",
        "unknown-column",
        "unknown-preset",
    ]
    assert codes(preset="allbus", rates={"age": "gender"}) == ["no-rate", "unknown-rate"]
    assert codes(keys=["age"], rates={"age": "birth_year", "town": -0.1}) == [
        "bad-rate",
        "rate-not-key",
        "unknown-rate",
    ]
    assert codes(keys=["nobody"]) == ["unknown-column"]
    assert codes(preset="allbus", rates={"age": 0, "town": 0}) == []
    problem = next(iter(Compatibility(preset="albus").problems(SCHEMA)))
    assert problem.hint == "did you mean 'allbus'?"


def test_called_from_python_wrong_rates_are_refused_too() -> None:
    with pytest.raises(DataError) as error:
        found(rates={"age": 1.5, "sex": -1})
    assert [problem.code for problem in error.value.problems] == ["bad-rate", "bad-rate", "no-rate"]


def test_nothing_to_go_by() -> None:
    blind = replace(case(), known=None, truth=None)
    with pytest.raises(DataError, match="nothing says how often the keys differ"):
        Compatibility().measure(blind, Run())


def test_nobody_in_common_and_columns_the_attacker_lacks() -> None:
    strangers = case(who=WHO | {"id": ["x"] * 6})
    with pytest.raises(DataError, match="nobody in common"):
        Compatibility().measure(strangers, Run())
    poor = case()
    assert poor.known is not None
    poor = replace(poor, known=poor.known.drop("town"))
    with pytest.raises(DataError, match="has no column 'town'"):
        Compatibility(keys=["town"]).measure(poor, Run())
    less = Compatibility().measure(poor, Run())
    assert "town" not in less.detail["keys"]
    assert less.detail["not_known"] == ["town"]
    assert "not_known" in less.detail["cautions"]


def test_only_counts_come_out() -> None:
    said = found().model_dump_json()
    assert not [value for value in (*PEOPLE["id"], *map(str, HELD["entry"])) if f'"{value}"' in said]


@pytest.mark.spark
def test_true_pairs_on_spark(spark: Any) -> None:
    engine = get("engine", "spark")()
    try:
        there = Compatibility().measure(case(on=engine), Run(key=bytes(32)))
        assert there == found()
    finally:
        engine.close()


def test_rates_of_all_presets_are_shares() -> None:
    assert set(presets()) >= {"allbus", "census_microcensus", "uk_census", *(f"process_{i}" for i in range(1, 5))}
    assert all(0 <= rate <= 1 for rates in presets().values() for rate in rates.values())
