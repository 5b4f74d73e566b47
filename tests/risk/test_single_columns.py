"""What each column gives away by itself."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Role, Schema
from schleier.risk.single_columns import SingleColumns


def look(values: list[str | None], role: Role = "quasi", **more: list[str]) -> Finding:
    columns = [Column(name="x", role=role, scale="nominal"), *(Column(name=n, scale="nominal") for n in more)]
    data = Dataset.from_frame(pa.table({"x": pa.array(values, pa.string()), **more}), Schema(columns=tuple(columns)))
    return SingleColumns().measure(Case(data, data), Run())


def test_a_column_worked_out_by_hand() -> None:
    """Of six records a half has one value, a third another, a sixth a third one."""
    found = look(["a", "a", "a", "b", "b", "c"])
    one = found.detail["columns"]["x"]
    assert (one["values"], one["unique"], one["missing"]) == (3, 1, 0)
    entropy = math.log(2) / 2 + math.log(3) / 3 + math.log(6) / 6
    assert one["entropy"] == pytest.approx(entropy, rel=1e-12)
    assert one["effective"] == pytest.approx(math.exp(entropy), rel=1e-12)
    assert found.text == "x by itself singles out 1 of 6 records (16.67%)."
    assert found.value == 1 / 6


def test_a_gap_is_a_value_of_its_own_but_none_of_the_different_ones() -> None:
    one = look(["a", "a", None]).detail["columns"]["x"]
    assert (one["values"], one["unique"], one["missing"], one["missing_share"]) == (1, 1, 1, 1 / 3)
    assert look(["a", "b", None, None]).detail["columns"]["x"]["effective"] == pytest.approx(2**1.5, rel=1e-12)
    assert look([None, None]).detail["columns"]["x"] == {
        "values": 0,
        "unique": 0,
        "share": 0.0,
        "missing": 2,
        "missing_share": 1.0,
        "entropy": 0.0,
        "effective": 1.0,
    }


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=30))
def test_effective_values_are_at_least_one_and_at_most_all(values: list[str | None]) -> None:
    one = look(values).detail["columns"]["x"]
    kinds = len(set(values))
    assert one["values"] == len(set(values) - {None})
    assert one["unique"] == sum(values.count(value) == 1 for value in set(values))
    assert 1 - 1e-12 <= one["effective"] <= kinds + 1e-9


def test_identifiers_are_counted_but_do_not_decide_the_value() -> None:
    found = look(["a", "b", "c"], role="identifier", y=["1", "1", "2"])
    assert found.detail["columns"]["x"]["unique"] == 3
    assert found.value == 1 / 3
    assert look(["a", "b"], role="identifier").text == "No column by itself singles out any of 2 records."


def test_no_value_leaves_the_engine() -> None:
    marker = "zzz-planted-marker"
    assert marker not in look(["a", marker, "a"], role="sensitive").model_dump_json()
