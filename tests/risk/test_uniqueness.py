"""Uniqueness before and after, within subgroups and units, weighted; against counting row by row."""

from __future__ import annotations

from math import log
from statistics import median
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from risk.small_tables import SCHEMA as SIX
from risk.small_tables import alike, dataset, kept, many, sizes
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.combine import Combine
from schleier.methods.recode import Recode
from schleier.risk.uniqueness import Uniqueness

SCHEMA = Schema(columns=(Column(name="age", role="quasi", scale="discrete"), Column(name="x", scale="nominal")))
DATA = Dataset.from_frame(pa.table({"age": [20, 21, 21, 40, None], "x": ["a", "b", "b", "a", "a"]}), SCHEMA)
policies = st.sampled_from(["category", "wildcard", "exclude"])


def detail(data: Dataset, **parameters: Any) -> dict[str, Any]:
    return Uniqueness(**parameters).measure(Case(data, data), Run()).detail


def test_before_and_after() -> None:
    released = Recode(column="age", breaks=[30]).apply(DATA, Run())
    finding = Uniqueness().measure(Case(DATA, released), Run())
    assert finding.detail["before"]["unique"] == 3
    assert finding.detail["after"]["unique"] == 2  # the one over thirty, and the one without an age
    assert finding.value == 2 / 5
    assert finding.detail["after"]["in_pairs"] == finding.detail["after"]["twins"] == 0
    assert (finding.detail["before"]["in_pairs"], finding.detail["before"]["twins"]) == (2, 1)


def test_missing_may_be_anything_or_nothing() -> None:
    def unique(missing: str) -> float:
        return detail(DATA, missing=missing)["after"]["unique"]

    assert unique("category") == 3
    assert unique("wildcard") == 0  # the row without an age could be any of the others
    assert unique("exclude") == 2


def test_no_keys_is_a_problem() -> None:
    assert [p.code for p in Uniqueness().problems(SCHEMA.without(["age"]))] == ["no-keys"]
    assert [p.code for p in Uniqueness(by=["y"]).problems(SCHEMA)] == ["unknown-column"]


@settings(max_examples=15)
@given(many, policies)
def test_as_counted_row_by_row(people: list[tuple[Any, ...]], missing: str) -> None:
    after = detail(dataset(people), missing=missing)["after"]
    found, seen = sizes(people, missing), kept(people, missing)
    assert (after["records"], after["unique"], after["in_pairs"]) == (len(found), found.count(1), found.count(2))
    assert after["average"] == pytest.approx(sum(1 / n for n in found) / max(len(found), 1))
    weights = [row[5] for row in seen]
    alone = sum(w for w, n in zip(weights, found, strict=True) if n == 1)
    assert after["weighted_share"] == pytest.approx(alone / sum(weights) if weights else 0.0)
    if missing != "wildcard":
        combos = [row[:2] for row in seen]
        shares = [combos.count(one) / len(combos) for one in set(combos)]
        assert after["entropy"] == pytest.approx(-sum(p * log(p) for p in shares), abs=1e-12)
        assert after["twins"] * 2 == after["in_pairs"]


@settings(max_examples=15)
@given(many, policies, st.sampled_from([("ill",), ("sex",), ("ill", "home")]), st.integers(1, 4))
def test_subgroups_as_counted_row_by_row(
    people: list[tuple[Any, ...]], missing: str, by: tuple[str, ...], least: int
) -> None:
    found = detail(dataset(people), missing=missing, by=by, least=least)["by"]
    places = [SIX.names.index(name) for name in by]
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in kept(people, missing):
        groups.setdefault(tuple(row[j] for j in places), []).append(row)
    shares = [
        sum(sum(alike(one, other, missing) for other in group) == 1 for one in group) / len(group)
        for group in groups.values()
        if len(group) >= least
    ]
    assert (found["groups"], found["left_out"]) == (len(shares), len(groups) - len(shares))
    assert found["worst"] == (pytest.approx(max(shares)) if shares else None)
    assert found["median"] == (pytest.approx(median(shares)) if shares else None)
    assert sum(found["counts"]) == len(shares) and found["counts"][0] == shares.count(0)


@settings(max_examples=15)
@given(many, st.sampled_from(["category", "exclude"]))
def test_units_as_counted_row_by_row(people: list[tuple[Any, ...]], missing: str) -> None:
    found = detail(dataset(people), missing=missing)["units"]
    seen = kept(people, missing)
    homes = [{other[4] for other in seen if alike(one, other, missing)} for one in seen]
    alone = {row[4] for row, n in zip(seen, sizes(people, missing), strict=True) if n == 1}
    assert found == {
        "units": len({row[4] for row in seen}),
        "with_unique": len(alone),
        "records_in_one": sum(len(each) == 1 for each in homes),
    }


def test_rows_without_a_unit_count_as_one_together() -> None:
    people = [("a", "a", "x", 1.0, home, 1.0) for home in ("h1", None)] + [("b", "b", "x", 1.0, None, 1.0)] * 2
    assert detail(dataset(people))["units"] == {"units": 2, "with_unique": 0, "records_in_one": 2}


def test_units_of_what_may_be_anything_are_not_told() -> None:
    assert "units" not in detail(dataset([("a", "a", "x", 1.0, "h", 1.0)]), missing="wildcard")


@pytest.mark.parametrize("weight", [None, 0.0])
def test_weights_that_not_all_records_have_are_left_out_and_it_is_said(weight: float | None) -> None:
    found = detail(dataset([("a", "a", "x", 1.0, "h", weight), ("b", "a", "x", 1.0, "h", 2.0)]))
    assert found["cautions"] == ["weights"]
    assert "weighted_share" not in found["after"]
    assert "cautions" not in detail(DATA)


def test_what_each_column_tells() -> None:
    """Two halves by sex; the age follows from the sex, so that neither adds anything to the other."""
    people = [("a", "a", "x", 1.0, "h", 1.0), ("b", "b", "x", 1.0, "h", 1.0)] * 3
    assert detail(dataset(people))["columns"] == {
        "sex": {"entropy": pytest.approx(log(2)), "adds": 0.0},
        "age": {"entropy": pytest.approx(log(2)), "adds": 0.0},
    }


def test_a_key_that_a_step_made_is_left_out_before() -> None:
    schema = Schema(columns=[Column(name=name, role="quasi", scale="discrete") for name in ("a", "b")])
    old = Dataset.from_frame(pa.table({"a": [1, 2, 3], "b": [1, 1, 1]}), schema)
    step = Combine(columns=["a", "b"], into="c")
    new = step.apply(old, Run())
    assert "c" in new.schema
    found = Uniqueness(keys=["c"]).measure(Case(old, new), Run()).detail
    assert (found["before"]["unique"], found["after"]["unique"]) == (0, 3)


def test_empty_table() -> None:
    found = detail(dataset([]), by=["ill"])
    assert found["after"]["records"] == found["after"]["entropy"] == 0
    assert found["by"]["groups"] == 0 and found["units"] == {"units": 0, "with_unique": 0, "records_in_one": 0}


def test_keys_that_a_step_made_are_left_out_before_and_it_is_said() -> None:
    people = [("a", "a", "x", 1.0, "h", 1.0), ("b", "a", "x", 1.0, "h", 1.0)]
    lacking = dataset([row[1:] for row in people], Schema(columns=SIX.columns[1:]))
    finding = Uniqueness().measure(Case(lacking, dataset(people)), Run())
    assert (finding.detail["keys"], finding.detail["keys_before"]) == (["sex", "age"], ["age"])
    assert finding.text.endswith("on 2 known columns; before it was 0.00%, on 1 of them.")
