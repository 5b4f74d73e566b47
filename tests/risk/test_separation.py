"""Which columns tell people apart, against looking at every pair."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from risk.small_tables import SCHEMA, dataset, many
from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.classes.combinations import largest
from schleier.risk.separation import LOOKED_AT, WORK, Separation

NAMES = ("sex", "age", "ill", "pay")


def measured(data: Dataset, **parameters: Any) -> Finding:
    return Separation(**parameters).measure(Case(data, data), Run(key=bytes(32)))


@settings(max_examples=30)
@given(many, st.integers(1, 4))
def test_as_counted_pair_by_pair(people: list[tuple[Any, ...]], most: int) -> None:
    found = measured(dataset(people), most=most)
    rows = [row[:4] for row in people]  # units and weights are not looked at
    pairs = list(combinations(rows, 2))

    def slowly(columns: tuple[str, ...]) -> tuple[float, float, float]:
        places = [NAMES.index(name) for name in columns]
        seen = [tuple(row[j] for j in places) for row in rows]
        apart = sum(any(a[j] != b[j] for j in places) for a, b in pairs)
        unique = sum(seen.count(one) == 1 for one in seen)
        return apart / len(pairs) if pairs else 0.0, len(set(seen)) / len(rows), unique / len(rows)

    told = {
        tuple(one["columns"]): (one["separated"], one["distinct"], one["unique"])
        for size in found.detail["worst"]
        for one in size
    }
    every = [columns for size in range(1, most + 1) for columns in combinations(NAMES, size)]
    assert set(told) == set(every)
    for columns in every:
        assert told[columns] == pytest.approx(slowly(columns))
    assert found.value == pytest.approx(max(slowly(columns)[0] for columns in every))
    both = slowly(("sex", "age"))[2]
    for name in ("ill", "pay"):
        more = slowly(("sex", "age", name))[2] - both
        assert found.detail["columns"][name]["adds"] == pytest.approx(more)
    assert found.detail["columns"]["sex"]["adds"] == pytest.approx(both - slowly(("age",))[2])
    assert found.detail["greedy"][-1]["separated"] == pytest.approx(slowly(NAMES)[0])


def plain(**columns: list[Any]) -> Dataset:
    schema = Schema(columns=[Column(name=name, scale="nominal") for name in columns])
    return Dataset.from_frame(pa.table(columns), schema)


def test_plain_columns_that_identify_are_named() -> None:
    data = plain(number=[str(i) for i in range(40)], half=["a", "b"] * 20, same=["x"] * 40)
    found = measured(data, most=1)
    assert found.detail["suggested"] == ["number"]
    assert found.text == (
        "number tells 100.00% of all pairs of records apart; nobody listed them, but these may identify too: number."
    )
    assert found.detail["cautions"] == ["suggested"]
    assert measured(data, columns=["half", "same"]).detail["suggested"] == []
    assert measured(data, columns=["half"], separates=0.5).detail["suggested"] == ["half"]


def test_a_plain_column_that_makes_more_unique_is_named() -> None:
    """Sixteen ages with two records each; a plain column with two values makes all of them unique."""
    schema = Schema(columns=[Column(name="age", role="quasi", scale="nominal"), Column(name="car", scale="nominal")])
    data = Dataset.from_frame(pa.table({"age": [str(i // 2) for i in range(32)], "car": ["y", "n"] * 16}), schema)
    assert measured(data).detail["suggested"] == ["car"]
    assert measured(data).detail["columns"]["car"]["adds"] == 1.0


def test_large_files_are_drawn_from() -> None:
    rows = 3000
    data = plain(a=[str(i % 10) for i in range(rows)], b=[str(i) for i in range(rows)])
    found = measured(data, records=500)
    assert found.detail["cautions"] == ["suggested", "sampled"]
    assert found.detail["of"] == rows
    assert abs(found.detail["records"] - 500) < 6 * (500 * 5 / 6) ** 0.5  # six standard deviations of the draw
    assert found.detail["columns"]["a"]["separated"] == pytest.approx(0.9, abs=0.02)


def test_too_many_sets_are_cut_and_it_is_said() -> None:
    data = plain(**{f"k{i:03d}": ["a", "b", "b"] for i in range(110)})
    found = measured(data)
    assert (found.detail["most"], found.detail["cut"], found.detail["looked_at"]) == (1, True, 110)
    assert found.detail["looked_at"] < LOOKED_AT
    assert largest(20, 10**9, 3, LOOKED_AT, WORK) == 1


def test_no_columns_is_a_problem() -> None:
    only = SCHEMA.without(NAMES)
    assert [problem.code for problem in Separation().problems(only)] == ["no-columns"]
    assert [problem.code for problem in Separation(columns=["z"]).problems(SCHEMA)] == ["unknown-column"]


def test_one_row_and_none() -> None:
    row = ("a", "a", "x", 1.0, "h", 1.0)
    assert measured(dataset([row])).value == measured(dataset([])).value == 0.0


def test_a_column_named_twice_is_looked_at_once() -> None:
    data = dataset([("a", "a", "x", 1.0, "h", 1.0), ("b", "a", "x", 1.0, "h", 1.0)])
    both = (Separation(columns=columns).measure(Case(data, data), Run()) for columns in (["sex", "sex"], ["sex"]))
    assert next(both) == next(both)
