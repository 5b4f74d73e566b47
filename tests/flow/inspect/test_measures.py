"""Which measures an inspection runs: those of a first look, those a recipe lists, and those asked for by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flow.making import SCHEMA, written
from flow.strange_risks import codes, names, of, offered
from schleier.core import registry
from schleier.core.errors import DataError, RecipeError, SchleierError
from schleier.flow.inspect.inspect import IDENTIFIERS, inspect
from schleier.report.inspection.page import page
from schleier.report.inspection.text import text
from schleier.testing import example_schema, example_table

FIRST = ("uniqueness", "combinations", "single_columns")


@pytest.fixture
def strangers() -> Iterator[None]:
    """Measures of a third party."""
    with offered():
        yield


def test_every_measure_of_risk_without_parameters_appears_by_itself(strangers: None) -> None:
    found = inspect(example_table(), example_schema())
    looks = {name for name, one in registry.every("measure").items() if one.inspected}
    assert set(names(found)) == looks | {IDENTIFIERS}
    assert tuple(names(found)[1:4]) == FIRST and "other_risk" in names(found)[4:]
    assert "Half of it." in page(found, "de")


def test_further_measures_by_name() -> None:
    found = of("rebuildable", "uniqueness", "rebuildable")
    assert names(found).count("rebuildable") == 1 and names(found).count("uniqueness") == 1
    assert names(found)[-1] == "rebuildable" and "rebuildable" not in names(of())


def test_the_measures_of_a_recipe_are_run_with_their_parameters(tmp_path: Path) -> None:
    own = '[[measures]]\nmeasure = "combinations"\nmost = 1\n\n[[measures]]\nmeasure = "changed_cells"\n'
    late = '[[measures]]\nmeasure = "uniqueness"\nname = "late"\nkeys = ["not_yet"]\n'
    recipe = written(tmp_path, f"{SCHEMA}\n{own}\n{late}")
    found = inspect(tmp_path / "people.parquet", recipe)
    assert [one.detail["most"] for one in found.findings if one.name == "combinations"] == [2, 1]
    assert "changed_cells" not in names(found) and found.skipped == ("late",)
    assert "left out" in repr(text(found)) and "late" in page(found, "de")


def test_everything_wrong_with_what_is_asked_for_is_said_at_once(strangers: None) -> None:
    with pytest.raises(RecipeError) as error:
        of("uniquenes", "changed_cells", "change_rates", "needy_risk", fraction=1.5, population=0)
    assert codes(error) == [
        ("two-fractions", "fraction"),
        ("bad-fraction", "fraction"),
        ("nobody-there", "population"),
        ("unknown-measure", "measure"),
        ("not-a-risk", "measure"),
        ("not-a-risk", "measure"),
        ("missing-parameter", "measure needy_risk.share"),
    ]
    assert "did you mean 'uniqueness'?" in str(error.value) and "[[measures]]" in error.value.problems[-1].hint


def test_a_fraction_goes_to_those_who_need_it(strangers: None) -> None:
    schema = example_schema().changed("weight", role="plain")
    with pytest.raises(RecipeError) as error:
        of("sampled_risk", schema=schema)
    assert codes(error) == [("no-fraction", "measure sampled_risk: fraction")]
    assert of("sampled_risk", schema=schema, fraction=0.1).findings[-1].value == 2400
    assert of("sampled_risk", schema=schema, population=480).findings[-1].value == 480
    with pytest.raises(RecipeError) as error:
        of("sampled_risk", schema=schema, fraction=-1.0)
    assert codes(error) == [("bad-fraction", "fraction")]
    with pytest.raises(DataError) as late:
        of("sampled_risk", schema=schema, population=239)
    assert codes(late) == [("few-persons", "population")]
    with pytest.raises(RecipeError) as error:
        of("other_risk", fraction=0.1)
    assert codes(error) == [("unused-fraction", "fraction")] and "sampled_risk" in str(error.value)


def test_a_population_that_nobody_named(strangers: None) -> None:
    with pytest.raises(RecipeError) as error:
        of("map_risk")
    assert codes(error) == [("no-population", "measure map_risk")]


def test_a_population_of_the_recipe(strangers: None, tmp_path: Path) -> None:
    pq.write_table(example_table(960).select(["age", "sex"]), tmp_path / "all.parquet")
    recipe = written(tmp_path, f'[data]\npopulation = "all.parquet"\n{SCHEMA}')
    found = inspect(tmp_path / "people.parquet", recipe, measures=["map_risk"])
    assert found.findings[-1].value == 960


@pytest.mark.parametrize("name", [name for name, one in registry.every("measure").items() if one.kind == "risk"])
def test_every_measure_of_risk_can_be_asked_for(name: str) -> None:
    """It answers, or says what it needs."""
    try:
        found = of(name)
    except SchleierError as error:
        assert all(problem.hint for problem in error.problems)
    else:
        assert name in names(found) and text(found, "de").said and page(found)


def test_parameters_may_be_tables(tmp_path: Path) -> None:
    own = '[[measures]]\nmeasure = "compatibility"\nrates = { age = 0.1, sex = 0.2 }\n'
    found = inspect(tmp_path / "people.parquet", written(tmp_path, f"{SCHEMA}\n{own}\n{own}name = 'again'\n"))
    assert [one.value for one in found.findings if one.name in ("compatibility", "again")] == pytest.approx([0.72] * 2)


@pytest.mark.parametrize("name", ["journalist", "marketer"])
def test_without_a_table_of_the_population_it_is_estimated(name: str, tmp_path: Path) -> None:
    schema = example_schema().changed("weight", role="plain")
    estimate = of(name, schema=schema, fraction=0.1).findings[-1]
    sure = of("prosecutor", schema=schema).findings[-1].detail["average"]
    assert 0 < estimate.detail.get("average", estimate.value) < sure
    with pytest.raises(RecipeError) as error:
        of(name, schema=schema)
    assert codes(error) == [("no-fraction", f"measure {name}: fraction")]
    pq.write_table(example_table(960).select(["age", "sex", "region"]), tmp_path / "all.parquet")
    recipe = written(tmp_path, f'[data]\npopulation = "all.parquet"\n{SCHEMA}\n[[measures]]\nmeasure = "{name}"\n')
    told = inspect(tmp_path / "people.parquet", recipe, measures=[name, "individual_risk"], fraction=0.5)
    assert names(told).count(name) == 1 and names(told)[-1] == "individual_risk"
    with pytest.raises(RecipeError) as error:
        inspect(tmp_path / "people.parquet", recipe, fraction=0.5)
    assert codes(error) == [("unused-fraction", "fraction")]
