"""A draft that is unsure says so: undecided, never plain; and leaves out what nobody judged."""

from __future__ import annotations

import datetime
import json
import tomllib
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.schema import Role
from schleier.draft.describe import describe
from schleier.draft.names import meaning_of
from schleier.draft.suggest import suggest
from schleier.draft.suggest_text import write_suggestion
from schleier.draft.writing import write_draft
from schleier.flow.recipe.decide import decide
from schleier.flow.recipe.recipe import Recipe

STEP = "drop undecided columns"
FIRMS = [f"Nordwerk {name}" for name in ("Ost", "West", "Mitte", "Hafen", "Heide", "Tal")]


def people(folder: Path, rows: int = 300) -> Path:
    rng = np.random.default_rng(8)
    table = {
        "age": rng.integers(20, 70, rows),
        "sex": rng.choice(["f", "m"], rows),
        "income": rng.integers(1000, 5000, rows),
        "zz": rng.choice(FIRMS, rows),
        "q17": rng.integers(0, 9, rows) * 1.5,
    }
    pd.DataFrame(table).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


def schleier(*arguments: object, input: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)


def steps(recipe: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(recipe.read_text(encoding="utf-8"))["steps"]
    return found


def test_every_role_is_a_guess_and_what_is_not_known_is_undecided(tmp_path: Path) -> None:
    draft = describe(people(tmp_path))
    assert draft.schema.undecided == ("zz", "q17")
    assert draft.schema.guessed == ("age", "sex", "income")
    assert not draft.schema.having("plain")
    write_draft(draft, tmp_path / "schema.toml", tmp_path / "recipe.toml", "en")
    columns = tomllib.loads((tmp_path / "schema.toml").read_text(encoding="utf-8"))["schema"]["columns"]
    assert {one["judged"] for one in columns} == {"guess"}
    assert [one["role"] for one in columns] == ["quasi", "quasi", "sensitive", "undecided", "undecided"]


def test_what_is_called_a_weight_but_cannot_be_read_is_undecided(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    pd.DataFrame({"age": [30, 40, 50] * 20, "weight": ["light", "heavy"] * 30}).to_csv(file, index=False)
    assert describe(file).schema["weight"].role == "undecided"


@pytest.mark.parametrize("command", ["describe", "init"])
def test_the_drafted_recipe_drops_them_until_somebody_decides(tmp_path: Path, command: str) -> None:
    file, out = people(tmp_path), tmp_path / "draft"
    where = ["--out", out / "schema.toml"] if command == "describe" else ["--out", out, "--yes"]
    told = schleier(command, file, *where)
    assert told.exit_code == 0, told.output
    assert "2 columns tell about people. They will be left out until you decide: zz and q17" in told.stdout
    assert f"schleier decide {out / 'schema.toml'} --role quasi zz q17" in told.stdout
    recipe = out / "recipe.toml"
    assert [one["method"] for one in steps(recipe) if one.get("name") == STEP] == ["drop"]
    assert Recipe.from_file(recipe).after().names == ("age", "sex", "income")
    release = tmp_path / "release"
    assert schleier("run", recipe, "--out", release).exit_code == 0
    report = json.loads((release / "public" / "report.json").read_text(encoding="utf-8"))
    assert report["columns_left_out"] == ["zz", "q17"]
    assert "guessed" in [one["code"] for one in report["cautions"]]
    decide(out / "schema.toml", ["q17"], "plain")
    assert Recipe.from_file(recipe).after().names == ("age", "sex", "income", "q17")


def test_what_is_judged_to_name_people_afterwards_is_dropped_or_the_way_is_told(tmp_path: Path) -> None:
    out = tmp_path / "schema.toml"
    assert schleier("describe", people(tmp_path), "--out", out).exit_code == 0
    told = schleier("decide", out, "--role", "identifier", "zz")
    assert "suggest" not in told.stdout  # the draft does what is needed
    assert "zz" not in Recipe.from_file(out.with_name("recipe.toml")).after().names
    told = schleier("decide", out, "--role", "identifier", "income")
    assert "income names people now" in told.stdout and "schleier suggest" in told.stdout


def test_a_file_of_which_nothing_is_known_says_what_to_decide(tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    pd.DataFrame({"aa": ["x", "y"] * 30, "bb": ["u", "v"] * 30}).to_csv(file, index=False)
    assert schleier("describe", file, "--out", tmp_path / "schema.toml").exit_code == 0
    result = schleier("check", tmp_path / "recipe.toml", "--json")
    (problem,) = json.loads(result.stdout)["problems"]
    assert (result.exit_code, problem["code"]) == (2, "nothing-judged")
    assert problem["hint"] == f"schleier decide {tmp_path / 'schema.toml'} --role quasi aa bb"


def test_names_that_look_like_others_are_not_taken_for_them() -> None:
    found = {
        name: meaning.name if (meaning := meaning_of(name)) else ""
        for name in ("relat", "--role", "job_role", "civil status")
    }
    assert found == {"relat": "kinship", "--role": "", "job_role": "occupation", "civil status": "marital"}


def test_a_draft_of_which_nothing_can_be_released_says_so_in_both_languages(tmp_path: Path) -> None:
    file, out = tmp_path / "odd.csv", tmp_path / "a b" / "schema.toml"
    pd.DataFrame({"aa": ["x", "y"] * 30}).to_csv(file, index=False)
    said = {"en": "As it stands, nothing can be released", "de": "So lässt sich noch nichts freigeben"}
    for lang, sentence in said.items():
        told = schleier("describe", file, "--out", out, "--lang", lang, "--force").stdout
        assert sentence in told and f"schleier decide '{out}' --role quasi aa" in told
        assert f"schleier run '{out.with_name('recipe.toml')}'" in told  # what is printed can be typed
        assert ("odd.csv: 60 records, one column." if lang == "en" else "odd.csv: 60 Datensätze, eine Spalte.") in told
        ended = schleier("run", out.with_name("recipe.toml"), "--out", tmp_path / "out", "--lang", lang)
        assert ended.exit_code == 2 and "--role quasi aa" in ended.output.splitlines()[-1]
    assert "Es lässt sich nichts freigeben" in ended.output
    assert not describe(people(tmp_path)).leaves_nothing
    assert schleier("decide", out, "--role", "quasi", "aa").exit_code == 0
    assert schleier("run", out.with_name("recipe.toml"), "--out", tmp_path / "out").exit_code == 0


def test_what_is_decided_in_the_dialogue_is_judged_by_a_person(tmp_path: Path) -> None:
    file, out = people(tmp_path), tmp_path / "draft"
    answers = "\n" * 6 + "q17\nplain\n\n"
    assert schleier("init", file, "--out", out, input=answers).exit_code == 0
    schema = Recipe.from_file(out / "recipe.toml").schema
    column = schema["q17"]
    assert (column.role, column.judged) == ("plain", "person") and isinstance(column.judged_on, datetime.date)
    assert schema["age"].judged == "guess"


@pytest.mark.parametrize("described", [True, False])
def test_suggest_drops_them_too(tmp_path: Path, described: bool) -> None:
    file, schema = people(tmp_path), tmp_path / "schema.toml"
    write_draft(describe(file), schema, tmp_path / "drafted.toml", "en")
    decide(schema)
    found = suggest(file, "public_use", schema=schema if described else None)
    assert found.chosen is not None
    recipe = tmp_path / "proposal" / "recipe.toml"
    write_suggestion(found, found.chosen, recipe, "de", force=False)
    assert [one["method"] for one in steps(recipe) if one.get("name") == STEP] == ["drop"]
    assert Recipe.from_file(recipe).after().names == ("age", "sex", "income")
    judged = {one.judged for one in Recipe.from_file(recipe).schema if one.role != "undecided"}
    assert judged == ({"person"} if described else {"guess"})


def test_what_a_rule_of_a_profile_is_about_is_judged_by_the_profile(tmp_path: Path) -> None:
    file = people(tmp_path)
    found = suggest(file, "safe_harbor", year=2026)
    assert {one.name: one.judged for one in found.draft.schema} == {
        "age": "profile",
        "sex": "guess",
        "income": "guess",
        "zz": "guess",
        "q17": "guess",
    }
    schema = tmp_path / "schema.toml"
    write_draft(describe(file), schema, tmp_path / "recipe.toml", "en")
    decide(schema)
    again = suggest(file, "safe_harbor", schema=schema, year=2026)
    assert again.draft.schema["age"].judged == "person"  # who knows better than a list


def test_every_role_has_a_word() -> None:
    from schleier.report.language import Words

    for lang in ("en", "de"):
        for role in get_args(Role):
            assert f"draft.role.{role}" in Words.of(lang) and f"role.{role}" in Words.of(lang)
