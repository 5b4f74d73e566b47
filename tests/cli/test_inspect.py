"""The command inspect: what it says, in which language, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flow.making import SCHEMA, written
from schleier.cli import app
from schleier.flow.inspect import Inspection

Result = Any


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCHLEIER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def schleier(*arguments: object) -> Result:
    result = CliRunner().invoke(app, ["inspect", *map(str, arguments)])
    assert "Traceback" not in result.stdout + result.stderr
    return result


def people(folder: Path) -> Path:
    written(folder)
    (folder / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    return folder / "people.parquet"


def test_it_tells_the_risk(tmp_path: Path) -> None:
    result = schleier(people(tmp_path))
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.replace("\u00a0", " ").splitlines()
    assert lines[0] == "28.3 % of the records are alone on what an outsider may know."
    assert "✕ The column person names people directly." in lines
    assert any(line.startswith("Combination ") for line in lines)
    assert "What to do next" in lines


def test_in_german_as_asked_or_as_the_terminal_speaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = people(tmp_path)
    asked = schleier(file, "--lang", "de").stdout
    assert asked.replace("\u00a0", " ").startswith("28,3 % der Datensätze stehen allein da")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert schleier(file).stdout == asked


def test_a_recipe_is_a_schema_too(tmp_path: Path) -> None:
    file = people(tmp_path)
    assert schleier(file, "--schema", tmp_path / "recipe.toml").stdout == schleier(file).stdout


def test_json_is_one_document(tmp_path: Path) -> None:
    told = json.loads(schleier(people(tmp_path), "--json", "--lang", "de").stdout)
    found = Inspection.model_validate(told["inspection"])
    assert told["ok"] and found.records == 240 and found.file == "people.parquet"


def test_a_page_is_written(tmp_path: Path) -> None:
    out = tmp_path / "[bold]risk.html"
    result = schleier(people(tmp_path), "--html", out, "--lang", "de")
    assert result.exit_code == 0 and "[bold]risk.html" in result.stdout
    assert '<html lang="de"' in out.read_text(encoding="utf-8")
    quiet = schleier(tmp_path / "people.parquet", "--html", out, "--quiet")
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (0, "", "")
    assert '<html lang="en"' in out.read_text(encoding="utf-8")


def test_without_a_schema_the_way_out_is_told(tmp_path: Path) -> None:
    written(tmp_path)
    result = schleier(tmp_path / "people.parquet")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no schema.toml beside the file" in result.stderr
    assert f"schleier describe {tmp_path / 'people.parquet'}" in result.stderr.replace("\n", "")
    database = schleier("env:NO_SUCH_VARIABLE::people", "--json")
    assert json.loads(database.stdout)["problems"][0]["code"] == "no-schema"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--schema", "none.toml"), 2, "there is no such schema"),
        (("--lang", "fr"), 2, "there is no report in 'fr'"),
        (("--html", "risk.txt"), 6, "the page is written as .html"),
        (("--html", "none/risk.html"), 6, "the file cannot be written"),
    ],
)
def test_what_goes_wrong(arguments: tuple[str, ...], code: int, words: str, tmp_path: Path) -> None:
    result = schleier(people(tmp_path), *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert words in " ".join(result.stderr.split())


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    people(tmp_path)
    result = schleier(tmp_path / "none.parquet")
    assert (result.exit_code, result.stdout) == (4, "")
