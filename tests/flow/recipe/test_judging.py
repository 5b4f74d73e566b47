"""Unjudged is not plain: what nobody judged does not go to everybody, and is never said to be harmless."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.errors import RecipeError
from schleier.core.schema import Column, Schema
from schleier.flow.recipe.recipe import Recipe
from schleier.methods.combine import Combine
from schleier.methods.recode import Recode
from schleier.report.html import Html

COLUMNS = """
[[schema.columns]]
name = "sex"
role = "quasi"
scale = "nominal"

[[schema.columns]]
name = "left"
role = "quasi"
scale = "nominal"

[[schema.columns]]
name = "the firm"
scale = "nominal"

[[schema.columns]]
name = "size"
ROLE
scale = "discrete"
"""
REST = """
[[steps]]
method = "top_code"
column = "size"
upper = 2

[[criteria]]
criterion = "k_anonymity"
k = 5
"""
ROWS = 40


def table() -> pa.Table:
    firms = [f"Firm {i % 20}" for i in range(ROWS)]
    left = ["yes", "no"] * (ROWS // 2)
    sex = (["f"] * 2 + ["m"] * 2) * (ROWS // 4)
    return pa.table({"sex": sex, "left": left, "the firm": firms, "size": [i % 4 for i in range(ROWS)]})


def written(folder: Path, access: str, role: str = 'role = "plain"', rest: str = REST) -> Path:
    pyarrow.csv.write_csv(table(), folder / "people.csv")
    (folder / "schema.toml").write_text('[data]\nfile = "people.csv"\n' + COLUMNS.replace("ROLE", role), "utf-8")
    recipe = folder / "recipe.toml"
    recipe.write_text(f'extends = "schema.toml"\n[release]\naccess = "{access}"\n' + rest, encoding="utf-8")
    return recipe


def schleier(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_role_that_is_left_out_is_undecided() -> None:
    column = Column(name="a", scale="nominal")
    assert (column.role, column.judged, column.judged_on) == ("undecided", "person", None)
    assert column.protected and column.is_open
    schema = Schema(columns=[column, Column(name="b", role="quasi", judged="guess", scale="nominal")])
    assert (schema.undecided, schema.guessed) == (("a",), ("b",))


@pytest.mark.parametrize("command", ["check", "run"])
def test_what_nobody_judged_does_not_go_to_everybody(tmp_path: Path, command: str) -> None:
    recipe, out = written(tmp_path, "public", role=""), tmp_path / "out"
    where = ["--out", out] if command == "run" else []
    result = schleier(command, recipe, *where, "--json")
    assert result.exit_code == 2 and not out.exists()
    (problem,) = json.loads(result.stdout)["problems"]
    assert problem["code"] == "undecided-columns" and "the firm, size" in problem["message"]
    line = problem["hint"]
    assert line == f"schleier decide {tmp_path / 'schema.toml'} --role quasi 'the firm' size"
    assert schleier(*shlex.split(line)[1:]).exit_code == 0  # the hint is what to type
    assert Recipe.from_file(recipe).schema.quasi[-2:] == ("the firm", "size")
    assert schleier("decide", tmp_path / "schema.toml", "--role", "plain", "the firm", "size").exit_code == 0
    assert schleier(command, recipe, *where).exit_code == 0


def test_a_name_may_look_like_an_option(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    text = '[schema]\ncolumns = [{ name = "--role", scale = "nominal" }]\n[release]\naccess = "public"\n'
    recipe.write_text(text, encoding="utf-8")
    with pytest.raises(RecipeError) as caught:
        Recipe.from_file(recipe)
    assert schleier(*shlex.split(caught.value.problems[0].hint)[1:]).exit_code == 0
    assert Recipe.from_file(recipe).schema["--role"].role == "quasi"


def test_what_a_step_leaves_out_need_not_be_judged(tmp_path: Path) -> None:
    drop = '[[steps]]\nmethod = "drop"\ncolumns = ["the firm"]\n'
    assert schleier("check", written(tmp_path, "public", rest=REST + drop)).exit_code == 0


@pytest.mark.parametrize("access", ["contract", "on-site", ""])
def test_for_others_it_is_written_amber_and_all_are_named(tmp_path: Path, access: str) -> None:
    recipe, out = written(tmp_path, access, role=""), tmp_path / "out"
    result = schleier("run", recipe, "--out", out)
    assert result.exit_code == 0, result.output
    report = json.loads((out / "public" / "report.json").read_text(encoding="utf-8"))
    first = report["cautions"][0]
    assert (first["code"], first["columns"]) == ("undecided", ["the firm", "size"])
    assert first["command"] == "schleier decide schema.toml --role quasi 'the firm' size"
    page = (out / "public" / "report.html").read_text(encoding="utf-8")
    assert 'class="verdict mind"' in page and "Nobody has judged what the columns" in page
    assert "Neither known to attackers nor sensitive" not in page
    assert "Nobody has judged what the columns the firm and size" in " ".join(result.stdout.split())


def test_check_lists_what_is_open_and_ends_well(tmp_path: Path) -> None:
    recipe = written(tmp_path, "contract", role='role = "sensitive"\njudged = "guess"')
    result = schleier("check", recipe)
    told = " ".join(result.stdout.split())
    assert result.exit_code == 0
    assert "One column that would be released has not been judged by anybody: the firm" in told
    assert "--role quasi 'the firm'" in told
    assert "The role of one column is a guess that nobody has confirmed: size" in told
    found = json.loads(schleier("check", recipe, "--json").stdout)
    assert (found["ok"], found["undecided"], found["guessed"]) == (True, ["the firm"], ["size"])


def test_a_guess_that_nobody_confirmed_is_amber(tmp_path: Path) -> None:
    rest = REST + '[[steps]]\nmethod = "drop"\ncolumns = ["the firm"]\n'
    recipe = written(tmp_path, "public", role='role = "sensitive"\njudged = "guess"', rest=rest)
    report = Recipe.from_file(recipe).run(key=bytes(32)).report
    assert [(one.code, one.columns, one.command) for one in report.cautions] == [
        ("guessed", ("size",), "schleier decide schema.toml")
    ]
    assert 'class="verdict mind"' in Html().render(report)
    assert schleier("decide", tmp_path / "schema.toml").exit_code == 0
    assert Recipe.from_file(recipe).run(key=bytes(32)).report.cautions == ()


def test_derived_columns_inherit_it() -> None:
    def numbers(*roles: str, judged: str = "person") -> Schema:
        told = [{"name": f"c{i}", "role": role, "scale": "discrete", "judged": judged} for i, role in enumerate(roles)]
        return Schema(columns=[Column.model_validate(one) for one in told])

    def made(*roles: str, judged: str = "person") -> tuple[str, str]:
        schema = numbers(*roles, judged=judged)
        column = Combine(columns=schema.names, into="sum").after(schema)["sum"]
        return column.role, column.judged

    assert made("plain", "undecided") == ("undecided", "guess")
    assert made("sensitive", "undecided") == ("undecided", "guess")
    assert made("quasi", "undecided") == ("quasi", "guess")  # criteria look at it
    assert made("plain", "sensitive") == ("sensitive", "person")
    assert made("plain", "sensitive", judged="guess") == ("sensitive", "guess")
    schema = Schema(columns=[Column(name="a", scale="nominal")])
    assert Recode(column="a", map={"x": "y"}).after(schema)["a"].role == "undecided"


def test_the_hint_names_the_columns_of_the_file_that_a_new_one_was_made_of(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    columns = "".join(f'[[schema.columns]]\nname = "{name}"\nscale = "discrete"\n' for name in ("a", "b"))
    step = '[[steps]]\nmethod = "combine"\ncolumns = ["a", "b"]\ninto = "sum"\n'
    recipe.write_text(columns + step + '[release]\naccess = "public"\n', encoding="utf-8")
    with pytest.raises(RecipeError) as caught:
        Recipe.from_file(recipe)
    (problem,) = caught.value.problems
    assert "sum" in problem.message and problem.hint.endswith("--role quasi a b")


def test_values_of_an_undecided_column_are_not_told() -> None:
    condition = '[[steps]]\nmethod = "restrict"\nwhere = [{ column = "the firm", not_in = ["Firm 7"] }]\n'
    text = COLUMNS.replace("ROLE", 'role = "plain"') + condition
    report = Recipe.from_toml(text).run(table(), key=bytes(32)).report
    assert report.records_released < ROWS and "Firm 7" not in report.model_dump_json()


@pytest.mark.parametrize(
    ("before", "after", "weaker"),
    [
        ("undecided", "plain", True),
        (None, "plain", True),
        (None, "weight", True),
        ("quasi", None, True),
        ("sensitive", None, True),
        ("quasi", "undecided", True),
        (None, None, False),
        (None, "quasi", False),
        ("undecided", "sensitive", False),
        ("undecided", "identifier", False),
    ],
)
def test_in_a_family_to_call_it_plain_is_a_weakening(
    tmp_path: Path, before: str | None, after: str | None, weaker: bool
) -> None:
    def column(role: str | None, more: str = "") -> str:
        said = f'role = "{role}"\n' if role else ""
        return f'[[schema.columns]]\nname = "a"\n{said}scale = "discrete"\n{more}'

    other = '[[schema.columns]]\nname = "b"\nrole = "plain"\nscale = "nominal"\n'
    drop = '[[steps]]\nmethod = "drop"\ncolumns = ["a"]\n'
    (tmp_path / "parent.toml").write_text(column(before) + other, encoding="utf-8")
    start = 'extends = "parent.toml"\n'
    found = []
    try:
        Recipe.from_toml(start + column(after) + drop, tmp_path)
    except RecipeError as error:
        found = [problem.code for problem in error.problems]
    assert found == (["weakened"] if weaker else [])
    if weaker:
        said = Recipe.from_toml(start + column(after, 'override = "we looked"\n') + drop, tmp_path)
        assert [one.reason for one in said.overrides] == ["we looked"]
