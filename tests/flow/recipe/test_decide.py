"""A person judges columns; all else in the file stays as it stands."""

from __future__ import annotations

import datetime
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.errors import SchemaError
from schleier.flow.recipe.decide import decide
from schleier.flow.recipe.toml_text import Unclear, changed_text

SCHEMA = """# What the columns mean.
[data]
file = "people.csv" # here

[[schema.columns]]
# the name says: age
name = "age" # in years
role = "quasi"
judged = "guess"
scale = "discrete"

[[schema.columns]]
name = 'the firm'
scale = "nominal"
labels = { 1 = "[[schema.columns]]", "2,}" = 'a "b"' }

[[schema.columns]]
name = "size"
role = "undecided" # nobody knows
judged = "guess"
scale = "discrete"
"""
TODAY = datetime.datetime.now(tz=datetime.UTC).astimezone().date()


def written(folder: Path, text: str = SCHEMA) -> Path:
    path = folder / "schema.toml"
    path.write_text(text, encoding="utf-8")
    return path


def columns(path: Path) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in tomllib.loads(path.read_text(encoding="utf-8"))["schema"]["columns"]}


def schleier(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def is_today(day: object) -> bool:
    return day in (TODAY, TODAY + datetime.timedelta(1))  # a test may run across midnight


def test_a_role_is_given_with_the_day_and_comments_stay(tmp_path: Path) -> None:
    path = written(tmp_path)
    result = schleier("decide", path, "--role", "plain", "the firm", "size")
    assert result.exit_code == 0, result.output
    found = columns(path)
    for name in ("the firm", "size"):
        assert (found[name]["role"], found[name]["judged"]) == ("plain", "person")
        assert is_today(found[name]["judged_on"])
    assert found["age"] == {"name": "age", "role": "quasi", "judged": "guess", "scale": "discrete"}
    text = path.read_text(encoding="utf-8")
    assert [line for line in SCHEMA.splitlines() if line not in text.splitlines()] == [
        'role = "undecided" # nobody knows',
    ] and 'role = "plain" # nobody knows' in text
    assert "Judged by you today: the firm, size are plain." in result.stdout
    assert "Still a guess: age" in result.stdout


def test_without_a_role_guesses_are_confirmed_and_the_rest_stays_undecided(tmp_path: Path) -> None:
    path = written(tmp_path)
    result = schleier("decide", path)
    found = columns(path)
    assert (found["age"]["role"], found["age"]["judged"]) == ("quasi", "person") and is_today(found["age"]["judged_on"])
    assert (found["size"]["role"], found["size"]["judged"]) == ("undecided", "guess")
    assert "role" not in found["the firm"]
    assert "Still undecided: the firm, size." in result.stdout and "--role quasi 'the firm' size" in result.stdout
    again = path.read_bytes()
    assert "nothing was changed" in schleier("decide", path).stdout and path.read_bytes() == again


def test_as_json(tmp_path: Path) -> None:
    path = written(tmp_path)
    found = json.loads(schleier("decide", path, "age", "--json").stdout)
    assert found == {
        "ok": True,
        "path": str(path),
        "decided": {"age": "quasi"},
        "undecided": ["the firm", "size"],
        "guessed": [],
    }
    assert schleier("decide", path, "--role", "sensitive", "size", "--quiet").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--role", "plane", "size"], "unknown-role"),
        (["--role", "undecided", "size"], "unknown-role"),
        (["--role", "plain"], "which-columns"),
        (["--role", "plain", "sice"], "unknown-column"),
        (["size"], "no-role"),
        (["--role", "weight", "the firm"], "weight"),
    ],
)
def test_what_cannot_be_decided_changes_nothing(tmp_path: Path, arguments: list[str], code: str) -> None:
    path = written(tmp_path)
    result = schleier("decide", path, *arguments, "--json")
    assert result.exit_code == 2
    assert [problem["code"] for problem in json.loads(result.stdout)["problems"]] == [code]
    assert path.read_text(encoding="utf-8") == SCHEMA and list(tmp_path.iterdir()) == [path]
    spoken = schleier("decide", path, *arguments, "--lang", "de")
    assert spoken.exit_code == 2 and "Fehler" in spoken.stderr


@pytest.mark.parametrize("arguments", [["--role", "plain", "size"], []])
def test_a_column_is_judged_where_it_is_described(tmp_path: Path, arguments: list[str]) -> None:
    path = written(tmp_path)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('extends = "schema.toml"\n', encoding="utf-8")
    result = schleier("decide", recipe, *arguments, "--json")
    (problem,) = json.loads(result.stdout)["problems"]
    assert (result.exit_code, problem["code"]) == (2, "described-elsewhere")
    assert problem["hint"] == " ".join(["schleier decide", str(path), *arguments])
    assert path.read_text(encoding="utf-8") == SCHEMA


def test_a_schema_that_is_not_there(tmp_path: Path) -> None:
    assert schleier("decide", tmp_path / "schema.toml").exit_code == 2


def test_line_breaks_rights_and_links_stay(tmp_path: Path) -> None:
    path = tmp_path / "schema.toml"
    path.write_bytes(SCHEMA.replace("\n", "\r\n").encode())
    path.chmod(0o640)
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    decide(link, ["the firm"], "identifier")
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n") == SCHEMA.count("\n") + 3
    assert columns(path)["the firm"]["role"] == "identifier"


@pytest.mark.parametrize(
    "text",
    [
        'schema = { columns = [{ name = "a", scale = "nominal" }] }\n',
        '[schema]\ncolumns = [{ "name" = "a", scale = "nominal" }]\n[[steps]]\nmethod = "drop"\ncolumns = ["a"]\n',
        'schema.columns = [\n# why\n{ name = """a""", scale = "nominal" },\n]\n',
        "[ schema ]\n'columns' = [{ name = 'a', scale = 'nominal', labels = { x = '}', y = ']' } }, # last\n]\n",
        '[[schema.columns]]\nname = "a"\nscale = "nominal"\n[schema.columns.labels]\nrole = "name = [["\n',
        '[[schema.columns]]\nscale = "nominal"\nmissing = [\n  "a", # none\n  "[b]",\n]\nname = "a"',
    ],
)
def test_however_it_is_written(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    try:
        decide(path, ["a"], "plain")
    except SchemaError as error:
        assert [problem.code for problem in error.problems] == ["unclear-schema"]
        assert text.startswith("schema = {") and path.read_text(encoding="utf-8") == text
        return
    before, after = tomllib.loads(text), tomllib.loads(path.read_text(encoding="utf-8"))
    (column,) = after["schema"]["columns"]
    assert (column.pop("role"), column.pop("judged")) == ("plain", "person") and is_today(column.pop("judged_on"))
    assert after == before


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=4, unique_by=lambda one: one[0]), st.booleans())
def test_no_text_is_taken_for_another(pairs: list[tuple[str, str]], inline: bool) -> None:
    def quoted(text: str) -> str:
        return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

    if inline:
        inner = ",\n".join(f"{{ name = {quoted(a)}, title = {quoted(b)} }}" for a, b in pairs)
        text = f"[schema]\ncolumns = [{inner}]\n"
    else:
        text = "".join(f"[[schema.columns]]\nname = {quoted(a)}\ntitle = {quoted(b)}\n" for a, b in pairs)
    name = pairs[-1][0]
    changed = tomllib.loads(changed_text(text, {name: {"role": '"plain"'}}))
    expected = tomllib.loads(text)
    expected["schema"]["columns"][-1]["role"] = "plain"
    assert changed == expected


def test_a_text_that_is_not_understood_is_left_alone() -> None:
    with pytest.raises(Unclear):
        changed_text('schema = { columns = [{ name = "a" }] }', {"a": {"role": '"plain"'}})


def test_new_keys_come_with_the_way_to_another_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path)
    found = decide(path, ["size"], "quasi")
    assert (found.new_keys, found.data) == (("size",), "people.csv")
    assert decide(path, ["size"], "plain").new_keys == decide(path, ["age"]).new_keys == ()
    (tmp_path / "recipe.toml").write_text("", encoding="utf-8")
    told = CliRunner().invoke(app, ["decide", "schema.toml", "--role", "quasi", "size", "--json"])
    line = "schleier suggest people.csv --schema schema.toml --profile public_use --out recipe-2.toml"
    assert json.loads(told.stdout)["draft_anew"] == line
    rows = "".join(f"{20 + n % 30},{n % 3},{n % 4}\n" for n in range(120))
    (tmp_path / "people.csv").write_text("age,the firm,size\n" + rows, encoding="utf-8")
    assert CliRunner().invoke(app, line.split()[1:]).exit_code == 0  # and it does what it says
    assert (tmp_path / "recipe.toml").read_text(encoding="utf-8") == ""
    assert '"size"' in (tmp_path / "recipe-2.toml").read_text(encoding="utf-8")
