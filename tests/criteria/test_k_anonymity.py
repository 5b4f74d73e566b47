"""k-anonymity: every combination at least k times, or not at all."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.schema import Column, Schema
from schleier.criteria.k_anonymity import KAnonymity

SCHEMA = Schema(
    columns=(
        Column(name="age", role="quasi", scale="ordinal"),
        Column(name="sex", role="quasi", scale="nominal"),
        Column(name="job", scale="nominal"),
        Column(name="w", role="weight", scale="continuous"),
    )
)
ROWS = pa.table(
    {
        "age": ["20", "20", "20", "30", "30", None],
        "sex": ["f", "f", "m", "m", "m", "m"],
        "job": ["a", "a", "a", "a", "b", "b"],
        "w": [10.0, 5.0, 2.0, 1.0, 1.0, 30.0],
    }
)


def test_all_quasi_identifiers_are_the_keys() -> None:
    verdict = KAnonymity(k=2).check(Dataset.from_frame(ROWS, SCHEMA))
    assert (verdict.level, verdict.holds) == (1, False)
    assert (verdict.bad_classes, verdict.bad_records, verdict.records) == (2, 2, 6)
    assert verdict.keys == (("age", "sex"),)


def test_the_worst_combination_decides() -> None:
    data = Dataset.from_frame(ROWS, SCHEMA)
    assert KAnonymity(k=2, keys=[["sex"], ["job"]]).check(data).holds
    verdict = KAnonymity(k=3, keys=[["sex"], ["job"]]).check(data)
    assert (verdict.level, verdict.bad_classes) == (2, 2)


@pytest.mark.parametrize(("missing", "level"), [("category", 1), ("wildcard", 1), ("exclude", 1)])
def test_missing_keys_under_each_policy(missing: str, level: int) -> None:
    verdict = KAnonymity(k=2, missing=missing).check(Dataset.from_frame(ROWS, SCHEMA))
    assert verdict.level == level


def test_weights_are_an_estimate_with_an_interval() -> None:
    verdict = KAnonymity(k=10, keys=[["sex"]], count="weights").check(Dataset.from_frame(ROWS, SCHEMA))
    assert verdict.estimate and verdict.holds
    assert verdict.level == 15.0
    # Poisson sampling: the variance of the estimate is the sum of w (w - 1) = 90 + 20
    spread = 1.959963984540054 * math.sqrt(110)
    assert verdict.low == pytest.approx(max(15 - spread, 0))
    assert verdict.high == pytest.approx(15 + spread)


def test_small_weights_have_an_interval_too() -> None:
    """A hundred records of weight 1.2: the variance is 100 * 1.2 * 0.2 = 24, not rounded away."""
    rows = pa.table({"age": ["20"] * 100, "sex": ["f"] * 100, "job": ["a"] * 100, "w": [1.2] * 100})
    verdict = KAnonymity(k=10, count="weights").check(Dataset.from_frame(rows, SCHEMA))
    assert verdict.level == pytest.approx(120)
    assert verdict.high == pytest.approx(120 + 1.959963984540054 * math.sqrt(24))


def test_a_class_without_weights_stands_for_nobody() -> None:
    rows = ROWS.set_column(3, "w", pa.array([None, None, 2.0, 1.0, 1.0, 30.0]))
    verdict = KAnonymity(k=2, keys=[["sex"]], count="weights").check(Dataset.from_frame(rows, SCHEMA))
    assert (verdict.level, verdict.holds) == (0.0, False)


def test_what_is_wrong_with_it_is_said_before_any_row_is_read() -> None:
    bare = Schema(columns=[Column(name="x", scale="nominal")])
    assert {p.code for p in KAnonymity(k=2, count="weights").problems(bare)} == {"no-keys", "no-weight"}
    assert [p.code for p in KAnonymity(k=2, keys=[["y"], []]).problems(bare)] == ["unknown-column", "no-keys"]


def test_units_need_a_column() -> None:
    def codes(schema: Schema, **parameters: Any) -> list[str]:
        return [problem.code for problem in KAnonymity(k=2, count="units", **parameters).problems(schema)]

    homes = Schema(columns=(*SCHEMA.columns, Column(name="home", role="unit", scale="nominal")))
    assert codes(homes) == codes(homes, missing="exclude") == codes(homes, missing="wildcard") == []
    assert codes(SCHEMA) == ["no-unit"]


def test_higher_k_is_stricter_and_other_keys_are_not_comparable() -> None:
    five = KAnonymity(k=5)
    assert not KAnonymity(k=7).weaker_than(five)
    assert KAnonymity(k=3).weaker_than(five)
    assert KAnonymity(k=7, keys=[["age"]]).weaker_than(five)
    assert KAnonymity(k=7, missing="exclude").weaker_than(five)


def test_counting_records_is_weaker_than_counting_units() -> None:
    by_records, left_open, by_units = (KAnonymity(k=5, count=count) for count in ("records", None, "units"))
    assert by_records.weaker_than(left_open) and by_records.weaker_than(by_units) and left_open.weaker_than(by_units)
    assert not left_open.weaker_than(by_records) and not by_units.weaker_than(left_open)
    assert KAnonymity(k=5, count="weights").weaker_than(by_records)
    assert by_units.weaker_than(KAnonymity(k=5, count="weights"))


def test_declarations_depend_on_the_policy() -> None:
    assert KAnonymity(k=2).monotone and KAnonymity(k=2).hereditary
    assert not KAnonymity(k=2, missing="exclude").monotone
    assert not KAnonymity(k=2, missing="wildcard").hereditary


def test_an_empty_table_holds_nobody() -> None:
    verdict = KAnonymity(k=2).check(Dataset.from_frame(ROWS.slice(0, 0), SCHEMA))
    assert verdict.level is None and verdict.holds and verdict.text == "The table is empty."
