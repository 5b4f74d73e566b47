"""Uniqueness over sample size and columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from risk.small_tables import SCHEMA, dataset, kept, many, sizes
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk.uniqueness_curve import UniquenessCurve, _steps


def detail(data: Dataset, **parameters: Any) -> dict[str, Any]:
    return UniquenessCurve(**parameters).measure(Case(data, data), Run()).detail


def test_four_records_in_two_pairs() -> None:
    """A sample of two meets a pair in two of six cases; else both are unique. One record is always unique."""
    people = [("a", "a", "x", 1.0, "h", 1.0)] * 2 + [("b", "b", "x", 1.0, "h", 1.0)] * 2
    found = detail(dataset(people), fractions=[0.25, 0.5, 1])
    assert found["samples"] == [1, 2, 4]
    assert found["shares"] == pytest.approx([1, 4 / 6, 0])
    assert (found["unique"], found["smallest_share"], found["cut"]) == (0, 1, False)


def test_nobody_is_unique_in_an_empty_file() -> None:
    empty = dataset([])
    found = UniquenessCurve().measure(Case(empty, empty), Run())
    assert found.value == 0 and (found.detail["samples"], found.detail["shares"]) == ([], [])
    assert (found.detail["smallest_sample"], found.detail["smallest_share"]) == (0, 0.0)


@settings(max_examples=30)
@given(many, st.sampled_from(["category", "exclude"]))
def test_ends_and_falls_as_it_must(people: list[tuple[Any, ...]], missing: str) -> None:
    found = detail(dataset(people), missing=missing)
    unique, records = sizes(people, missing).count(1), len(kept(people, missing))
    assert (found["unique"], found["records"]) == (unique, records)
    if records:
        assert found["shares"][-1] == pytest.approx(unique / records)
        assert found["shares"] == sorted(found["shares"], reverse=True)  # the smaller the file, the more are unique
    for order in (found["worst_order"], found["best_order"]):
        assert {one["column"] for one in order} == {"sex", "age"}
        assert [one["unique"] for one in order] == sorted(one["unique"] for one in order)
        assert order[-1]["unique"] == unique
        assert all(one["shares"][-1] == pytest.approx(one["share"]) for one in order if one["shares"])
    assert found["worst_order"][0]["unique"] >= found["best_order"][0]["unique"]


def test_too_much_work_is_cut_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"k{i}" for i in range(5)]
    schema = Schema(columns=[Column(name=name, role="quasi", scale="nominal") for name in names])
    data = Dataset.from_frame(pa.table({name: ["a", "b", "c"] for name in names}), schema)
    monkeypatch.setattr("schleier.risk.uniqueness_curve.WORK", 28)
    found = detail(data)
    assert found["cut"] and len(found["worst_order"]) == len(found["best_order"]) == 2
    assert _steps(5, 10**12) == 1  # the first one always is


@pytest.mark.parametrize("fractions", [[], [0.0], [0.5, 1.5]])
def test_fractions_are_parts_of_the_file(fractions: list[float]) -> None:
    assert [p.code for p in UniquenessCurve(fractions=fractions).problems(SCHEMA)] == ["bad-fraction"]


def test_empty_table() -> None:
    found = detail(dataset([]))
    assert (found["samples"], found["shares"], found["records"]) == ([], [], 0)


def test_persons_are_counted_where_records_have_weights() -> None:
    data = dataset([("a", "a", "x", 1.0, "h", 2.5), ("b", "a", "x", 1.0, "h", 1.0), ("b", "a", "x", 1.0, "h", 1.5)])
    assert UniquenessCurve().measure(Case(data, data), Run()).detail["weighted_share"] == 0.5
