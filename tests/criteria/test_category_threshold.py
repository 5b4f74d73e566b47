"""Every category of some columns has enough cases."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings

from criteria.crowd import Person, among, crowds, matching
from criteria.plain import SCHEMA, Row, dataset, judged, people, policies
from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.schema import Column, Schema
from schleier.criteria.category_threshold import CategoryThreshold

ROWS: list[Row] = [("x", 1, "flu", 1), ("x", 1, "clot", 1), ("y", 2, "flu", 1), ("y", 2, "flu", 1), (None, 1, "flu", 1)]


def test_every_column_is_looked_at_for_itself() -> None:
    verdict = CategoryThreshold(columns=["age", "illness"], threshold=2).check(dataset(ROWS))
    assert (verdict.level, verdict.holds, verdict.bad_classes, verdict.bad_records) == (1, False, 1, 1)
    assert verdict.keys == (("age",), ("illness",))
    text = "The rarest category of 'illness' has 1 record; at least 2 are required, and 1 class fails."
    assert verdict.text == text
    assert CategoryThreshold(columns=["age"], threshold=2).check(dataset(ROWS)).holds


@pytest.mark.parametrize(("missing", "level"), [("category", 1), ("wildcard", 2), ("exclude", 2)])
def test_missing_values_under_each_policy(missing: str, level: int) -> None:
    one = CategoryThreshold(columns=["place"], threshold=2, missing=missing)
    assert one.check(dataset(ROWS)).level == level


WEIGHTED = Schema(
    columns=(
        Column(name="place", scale="nominal"),
        Column(name="w", role="weight", scale="continuous"),
    )
)


def test_cases_are_grossed_up_by_weights() -> None:
    table = pa.table({"place": ["x", "x", "y"], "w": [100.0, 50.5, 300.0]})
    data = Dataset.from_frame(table, WEIGHTED)
    verdict = CategoryThreshold(columns=["place"], threshold=200, count="weights").check(data)
    assert verdict.estimate and verdict.level == 150.5 and verdict.bad_records == 2
    assert "150.5 persons (estimated from weights)" in verdict.text


def test_records_are_not_counted_in_place_of_weights() -> None:
    classes = Dataset.from_frame(pa.table({"place": ["x"], "w": [1.0]}), WEIGHTED).classes(Request(("place",)))
    with pytest.raises(ValueError, match="no weights"):
        CategoryThreshold(columns=["place"], threshold=2, count="weights").bad(classes)


def test_problems_promises_strictness() -> None:
    one = CategoryThreshold(columns=["place", "plaice"], threshold=2, count="weights")
    assert {p.code for p in one.problems(SCHEMA)} == {"unknown-column", "no-weight"}
    for wrong in ({"columns": [], "threshold": 2}, {"columns": ["place"], "threshold": 1}, {"columns": ["place"]}):
        with pytest.raises(SchleierError):
            CategoryThreshold(**wrong)
    assert one.monotone and one.hereditary
    assert not CategoryThreshold(columns=["place"], threshold=2, missing="exclude").monotone
    assert not CategoryThreshold(columns=["place"], threshold=2, missing="wildcard").hereditary
    assert one.weaker_than(one.model_copy(update={"threshold": 3}))
    assert not one.model_copy(update={"threshold": 3}).weaker_than(one)


def test_an_empty_table_holds_nobody() -> None:
    verdict = CategoryThreshold(columns=["age"], threshold=2).check(dataset([]))
    assert verdict.level is None and verdict.holds and verdict.text == "The table is empty."


@settings(deadline=None, max_examples=40)
@given(people, crowds, policies)
def test_cases_are_counted_in_the_population(rows: list[Row], them: list[Person], missing: str) -> None:
    one = CategoryThreshold(columns=["place"], threshold=4, count="population", missing=missing)
    bad, verdict = judged(one, among(rows, them))
    seen = {row[0] for row in rows if missing != "exclude" or row[0] is not None}
    wanted = {(place,): matching((place,), them, missing) for place in seen}
    assert bad == {key: n < 4 for key, n in wanted.items()}
    assert verdict.level == min(wanted.values(), default=None) and not verdict.estimate
    if wanted:
        assert "in the population; at least 4 are required" in verdict.text
