"""The command plan: what it says, in which language, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.flow.survey import Plan

EXAMPLE = Path(__file__).parents[2] / "examples" / "survey_plan" / "design.toml"


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCHLEIER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def schleier(*arguments: object) -> Any:
    result = CliRunner().invoke(app, ["plan", *map(str, arguments)])
    assert "Traceback" not in result.stdout + result.stderr
    return result


def test_the_example_is_planned_the_same_every_time() -> None:
    result = schleier(EXAMPLE)
    assert (result.exit_code, result.stderr) == (0, "")
    said = result.stdout.replace("\u00a0", " ")
    assert said.startswith("Too many persons would be identifiable: 60.5 %, while 5 % are tolerated.")
    assert "age: merge under 25 + 25 to 34; 35 to 44 + 45 to 54; 3 categories are left." in said
    assert schleier(EXAMPLE).stdout == result.stdout


def test_in_german() -> None:
    assert schleier(EXAMPLE, "--lang", "de").stdout.startswith("Zu viele Personen wären erkennbar: 60,5")


def test_json_is_one_document(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("0" * 64)
    (tmp_path / "key").chmod(0o600)
    told = json.loads(schleier(EXAMPLE, "--json", "--key-file", tmp_path / "key").stdout)
    found = Plan.model_validate(told["plan"])
    assert told["ok"] and found.smallest_orwell == 3025 and found.design == "design.toml"


def test_a_page_is_written(tmp_path: Path) -> None:
    result = schleier(EXAMPLE, "--html", tmp_path / "plan.html", "--lang", "de", "--quiet")
    assert (result.exit_code, result.stdout) == (0, "")
    assert '<html lang="de"' in (tmp_path / "plan.html").read_text(encoding="utf-8")
    assert "plan.html" in schleier(EXAMPLE, "--html", tmp_path / "plan.html").stdout


def test_a_pilot_beside_the_design(tmp_path: Path) -> None:
    rows = "\n".join(f"{'fm'[i % 2]},{i % 2 + i % 3 % 2}" for i in range(60))
    (tmp_path / "pilot.csv").write_text(f"sex,age\n{rows}\n")
    text = (
        'persons = 90\ntolerated = 9\npilot = "pilot.csv"\n[[questions]]\nname = "sex"\n[[questions]]\nname = "age"\n'
    )
    (tmp_path / "design.toml").write_text(text)
    result = schleier(tmp_path / "design.toml")
    assert result.exit_code == 0 and "A table says which answers go together." in result.stdout


@pytest.mark.parametrize(
    ("text", "arguments", "code", "words"),
    [
        ("persons = 0", (), 2, ["persons:", "tolerated:", "questions: the design asks nothing"]),
        ("", ("--lang", "fr"), 2, ["there is no report in 'fr'"]),
        ("persons = 0", ("--lang", "de"), 2, ["Der Entwurf enthält keine Frage."]),
    ],
)
def test_what_goes_wrong(text: str, arguments: tuple[str, ...], code: int, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "design.toml").write_text(text)
    result = schleier(tmp_path / "design.toml", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert all(one in " ".join(result.stderr.split()) for one in words)


def test_a_design_that_is_not_there(tmp_path: Path) -> None:
    told = json.loads(schleier(tmp_path / "none.toml", "--json").stdout)
    assert [problem["code"] for problem in told["problems"]] == ["no-design"]
