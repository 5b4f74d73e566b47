"""The command inspect: what it says, in which language, and how it ends."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flow.making import SCHEMA, written
from schleier.cli import app
from schleier.flow.inspect.inspect import Inspection

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
    assert lines[0] == "28.3 % of the records are unique by what an outsider may know."
    assert "✕ The column person names people directly." in lines
    assert any(line.startswith("Combination ") for line in lines)
    assert "What to do next" in lines


def test_in_german_as_asked_or_as_the_terminal_speaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = people(tmp_path)
    asked = schleier(file, "--lang", "de").stdout
    assert asked.replace("\u00a0", " ").startswith("28,3 % der Datensätze sind durch das")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert schleier(file).stdout == asked


def test_a_recipe_is_a_schema_too(tmp_path: Path) -> None:
    file = people(tmp_path)
    assert schleier(file, "--schema", tmp_path / "recipe.toml").stdout == schleier(file).stdout


def test_json_is_one_document(tmp_path: Path) -> None:
    told = json.loads(schleier(people(tmp_path), "--json", "--lang", "de").stdout)
    found = Inspection.model_validate(told["inspection"])
    assert told["ok"] and found.records == 240 and found.file == "people.parquet"


def test_the_changes_that_would_help_most_come_first(tmp_path: Path) -> None:
    file = people(tmp_path)
    told = schleier(file).stdout.replace("\u00a0", " ")
    advice = told[told.index("What to do next") :].splitlines()
    assert advice[1].startswith("1. Leave out the column person") and advice[3].startswith(
        "3. Coarsen age to bands of "
    )
    assert "the unique records fall from 28.3 % to " in advice[3]
    changes = json.loads(schleier(file, "--json").stdout)["inspection"]["changes"]
    steps = tomllib.loads(told[told.index("[[steps]]") :])["steps"]
    assert steps == [step for change in changes for step in change["steps"]] and steps[0]["column"] == "age"


def test_further_measures_with_what_they_need(tmp_path: Path) -> None:
    file = people(tmp_path)
    told = schleier(file, "--measure", "uniqueness", "-m", "individual_risk", "--fraction", "0.1", "--lang", "de")
    assert told.exit_code == 0 and "Individuelles Risiko: " in told.stdout
    assert "Individual risk" not in told.stdout
    alone = json.loads(schleier(file, "-m", "individual_risk", "--population", "2400", "--json").stdout)
    assert alone["inspection"]["findings"][-1]["name"] == "individual_risk"


def test_the_risk_of_each_record_is_confidential(tmp_path: Path) -> None:
    out = tmp_path / "records.parquet"
    english = schleier(people(tmp_path), "--records", out)
    assert english.exit_code == 0 and "keep it as confidential as the data" in " ".join(english.stdout.split())
    assert out.stat().st_mode & 0o777 == 0o600
    german = schleier(tmp_path / "people.parquet", "--records", out, "--lang", "de")
    assert "so vertraulich wie die Daten" in " ".join(german.stdout.split())
    quiet = schleier(tmp_path / "people.parquet", "--records", out, "--quiet")
    assert (quiet.exit_code, quiet.stdout, quiet.stderr) == (0, "", "")


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    asked = ("-m", "suuda", "-m", "changed_cells", "--fraction", "2", "--population", "0", "--lang", "de", "--json")
    result = schleier(people(tmp_path), *asked)
    codes = [problem["code"] for problem in json.loads(result.stdout)["problems"]]
    assert result.exit_code == 2
    assert codes == ["two-fractions", "bad-fraction", "nobody-there", "unknown-measure", "not-a-risk"]


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
    line = f"schleier describe {tmp_path / 'people.parquet'} -o {tmp_path / 'schema.toml'}"
    assert line in result.stderr.replace("\n", "")
    database = schleier("env:NO_SUCH_VARIABLE::people", "--json")
    assert json.loads(database.stdout)["problems"][0]["code"] == "no-schema"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--schema", "none.toml"), 2, "there is no such schema"),
        (("--lang", "fr"), 2, "there is no report in 'fr'"),
        (("--html", "risk.txt"), 6, "the page is written as .html"),
        (("--html", "none/risk.html"), 6, "the file cannot be written"),
        (("--measure", "suuda"), 2, "did you mean 'suda'?"),
        (("--measure", "individual_risk", "--fraction", "1.01"), 2, "a sampling fraction is above 0 and at most 1"),
        (("--measure", "individual_risk", "--population", "239"), 4, "fewer than the 240 records of its sample"),
        (("--measure", "individual_risk"), 2, "nothing says what part of the population the file holds"),
        (("--fraction", "0.5"), 2, "no measure that was asked for needs to know the size of the population"),
        (("--records", "records.csv"), 6, "records are written as .parquet"),
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
