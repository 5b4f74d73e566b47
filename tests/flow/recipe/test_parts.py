"""Recipes that are put together in Python, without TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schleier as sl
from schleier.core import registry
from schleier.core.errors import RecipeError
from schleier.flow.recipe.recipe import COMPONENTS, DataSection, EngineSection, ReleaseSection
from schleier.testing import example_schema

SCHEMA = sl.Schema(
    columns=[
        sl.Column(name="age", role="quasi", scale="discrete", hierarchy="age", missing=(99, "n/a")),
        sl.Column(name="income", role="sensitive", scale="continuous", decimals=2, labels={"0": "none"}),
    ],
    hierarchies={"age": {"intervals": [5, 10]}},  # type: ignore[dict-item]
)
ROWS = pa.table({"age": [31, 31, 42, 42], "income": [1.0, 2.0, 3.0, 4.0]})


def test_a_recipe_runs_and_reads_back_equal(key: bytes) -> None:
    recipe = sl.Recipe(
        schema=SCHEMA,
        steps=[sl.methods.RoundTo(column="income", base=2)],
        criteria=[sl.criteria.KAnonymity(k=2)],
        measures=[sl.measures.Uniqueness()],
        attacks=[sl.attacks.ExactMatch(targets=4)],
        release={"title": "Wages", "language": "de"},
        engine="duckdb",
    )
    assert recipe.problems() == []
    assert sl.Recipe.from_toml(recipe.to_toml()) == recipe
    assert recipe.run(ROWS, key=key).report.criteria[0].level == 2


def test_parts_can_be_written_in_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("schema.toml").write_text('[schema]\ncolumns = [{name = "age", role = "quasi", scale = "discrete"}]\n')
    recipe = sl.Recipe(
        data=Path("people.csv"), schema="schema.toml", criteria=[{"criterion": "k_anonymity", "k": 2}], engine="duckdb"
    )
    assert (recipe.data, recipe.engine) == (DataSection(file="people.csv"), EngineSection())
    assert recipe.release == ReleaseSection() and recipe.schema.quasi == ("age",)
    assert recipe.criteria == (sl.criteria.KAnonymity(k=2),)
    assert sl.Recipe(data={"file": "a.csv"}, schema=recipe.schema).data.file == "a.csv"


@pytest.mark.parametrize("section", COMPONENTS)
def test_every_component_can_be_put_in_and_is_written_and_read_again(section: str) -> None:
    kind = COMPONENTS[section]
    made = [registry.get(kind, word)(**registry.get(kind, word).example) for word in registry.names(kind)]
    for one in made:
        recipe = sl.Recipe(schema=example_schema(), **{section: [one]})
        again: Any = sl.Recipe(schema=example_schema(), **{section: [{kind: one.word(), **one.parameters()}]})
        assert getattr(again, section) == getattr(recipe, section) == (one,)


def test_everything_that_is_no_part_is_told_at_once() -> None:
    with pytest.raises(RecipeError) as caught:
        sl.Recipe(
            data=ROWS,  # type: ignore[arg-type]
            steps=[sl.criteria.KAnonymity(k=2), sl.methods.TopCode, 3, {"method": "top_cod"}],  # type: ignore[list-item]
            criteria=sl.criteria.KAnonymity(k=2),
            measures=[sl.attacks.ExactMatch()],
            attacks=[sl.measures.Uniqueness()],
            release={"acces": "public"},
            engine={"nam": "duckdb"},
        )
    assert [str(problem) for problem in caught.value.problems] == [
        "data: should be a table of its parameters, or its file alone, and is a Table; rows are given to run()",
        "schema: the recipe does not describe the columns "
        "(write schema=Schema(columns=[Column(...), ...]), or name its file)",
        "steps[0]: should be a method, and KAnonymity is a criterion (put it among the criteria)",
        "steps[1]: should be a method with its parameters (write TopCode(...))",
        "steps[2]: should be a method, and is a int",
        "steps[3]: there is no method 'top_cod' (did you mean 'top_code'?)",
        "criteria: should be a list, and is a KAnonymity (write criteria=[...])",
        "measures[0]: should be a measure, and ExactMatch is an attack (put it among the attacks)",
        "attacks[0]: should be an attack, and Uniqueness is a measure (put it among the measures)",
        "release.acces: there is no such parameter (did you mean 'access'?)",
        "engine.nam: there is no such parameter (did you mean 'name'?)",
    ]


def test_how_parts_fit_together_is_told_before_a_row_is_read() -> None:
    steps = [sl.methods.TopCode(column="incom", upper=3), sl.methods.Recode(column="ag", level=1)]
    recipe = sl.Recipe(schema=SCHEMA, steps=steps)
    assert [problem.where for problem in recipe.problems()] == ["steps[0]", "steps[1]"]
    with pytest.raises(RecipeError, match="did you mean 'income'"):
        recipe.run(ROWS)
