"""Every released class matches enough persons of the population."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings

from criteria.crowd import Person, among, crowds, matching
from criteria.plain import SCHEMA, Row, cells, dataset, groups, judged, people, policies
from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.errors import DataError, SchleierError
from schleier.core.hierarchy import parse
from schleier.core.schema import Column, Schema
from schleier.criteria.k_map import KMap

ROWS: list[Row] = [("x", 1, "flu", 1), ("y", 2, "clot", 1)]
CROWD: list[Person] = [("x", 1, 4), ("y", 2, 2), ("z", 9, 50)]


@settings(deadline=None, max_examples=60)
@given(people, crowds, policies)
def test_agrees_with_counting_every_person(rows: list[Row], them: list[Person], missing: str) -> None:
    one = KMap(k=3, missing=missing)
    bad, verdict = judged(one, among(rows, them))
    wanted = {key: matching(key, them, missing) for key in groups(rows, missing)}
    assert bad == {key: n < 3 for key, n in wanted.items()}
    assert verdict.level == min(wanted.values(), default=None)
    assert verdict.holds == all(n >= 3 for n in wanted.values())


def test_the_rarest_class_decides() -> None:
    verdict = KMap(k=3).check(among(ROWS, CROWD))
    assert (verdict.level, verdict.holds, verdict.bad_classes, verdict.bad_records) == (2, False, 1, 1)
    text = "The rarest class matches 2 persons of the population; at least 3 are required, and 1 class fails."
    assert verdict.text == text
    assert KMap(k=2).holds(among(ROWS, CROWD))
    assert KMap(k=4, keys=[["place"], ["age"]]).check(among(ROWS, CROWD)).bad_classes == 2


def test_a_class_that_matches_nobody_is_said() -> None:
    verdict = KMap(k=2).check(among([*ROWS, ("x", 2, "flu", 1)], CROWD))
    assert verdict.level == 0 and not verdict.holds
    assert "1 class matches nobody: the population table must hold everybody who could be in the data" in verdict.text


def test_without_a_population_nothing_is_judged() -> None:
    with pytest.raises(DataError) as error:
        KMap(k=2).check(dataset(ROWS))
    assert [p.code for p in error.value.problems] == ["no-population"]
    with pytest.raises(ValueError, match="no population"):
        KMap(k=2).bad(dataset(ROWS).classes(Request(("place",))))


def test_a_population_without_a_key_is_refused() -> None:
    data = among(ROWS, CROWD)
    short = replace(data, populations={"population": data.populations["population"].drop("age")})
    with pytest.raises(DataError) as error:
        KMap(k=2).check(short)
    assert [p.code for p in error.value.problems] == ["population-column"]
    assert "'age'" in str(error.value)


def test_codes_may_be_numbers_in_one_file_and_text_in_the_other() -> None:
    text = Schema(columns=(Column(name="place", scale="nominal"), Column(name="age", scale="nominal")))
    who = Dataset.from_frame(pa.table({"place": ["x"] * 3, "age": ["1"] * 3}), text)
    data = replace(dataset(ROWS[:1]), populations={"population": who})
    assert KMap(k=3).check(data).level == 3
    wrong = Dataset.from_frame(pa.table({"place": ["x"] * 3, "age": ["PLANTED"] * 3}), text)
    with pytest.raises(DataError) as error:
        KMap(k=3).check(replace(data, populations={"population": wrong}))
    assert [p.code for p in error.value.problems] == ["population-type"]
    assert "PLANTED" not in str(error.value)


def test_a_coarser_table_has_the_population_of_its_parts() -> None:
    """Also where the population holds values the data and their hierarchy do not know."""
    tree = parse({"tree": {"north": ["x", "z"], "south": ["y"]}})
    schema = SCHEMA.changed("place", hierarchy="place")
    schema = schema.model_copy(update={"hierarchies": {**schema.hierarchies, "place": tree}})
    them: list[Person] = [("x", 1, 4), ("z", 1, 7), ("nowhere", 1, 100), (None, 1, 1000), ("y", 2, 2)]
    data = replace(dataset(ROWS, schema), populations=among(ROWS, them).populations)
    (request,) = KMap(k=2).needs(schema)
    fine = data.classes(request)
    for levels, wanted in (
        ((0, 0), {("x", 1): 4, ("y", 2): 2}),
        ((1, 0), {("north", 1): 11, ("south", 2): 2}),
        ((2, 0), {("*", 1): 1111, ("*", 2): 2}),
    ):
        table = fine.at(levels)
        assert dict(zip(cells(table), table.persons("population", "category").tolist(), strict=True)) == wanted
    part = fine.at((1, 0)).onto(["age"])[0]
    assert part.persons("population", "category").tolist() == [1111, 2]
    assert fine.only(fine.sizes < 0).populations == fine.populations


def test_problems_promises_strictness() -> None:
    assert [p.code for p in KMap(k=2).problems(Schema(columns=(Column(name="a", scale="nominal"),)))] == ["no-keys"]
    for wrong in ({}, {"k": 1}, {"k": 2.5}):
        with pytest.raises(SchleierError):
            KMap(**wrong)
    assert KMap(k=2).monotone and KMap(k=2).hereditary
    assert not KMap(k=2, missing="wildcard").hereditary and not KMap(k=2, missing="exclude").monotone
    assert KMap(k=2).weaker_than(KMap(k=3)) and not KMap(k=3).weaker_than(KMap(k=2))


def test_an_empty_table_holds_nobody() -> None:
    verdict = KMap(k=2).check(among([], CROWD))
    assert verdict.level is None and verdict.holds and verdict.text == "The table is empty."
