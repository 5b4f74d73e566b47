"""The checks of ``verify`` as JUnit's XML, for continuous integration."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from typer.testing import CliRunner

from schleier.cli import app
from schleier.core.errors import DataError, Problem
from schleier.criteria.k_anonymity import KAnonymity
from schleier.flow.recipe.recipe import Recipe
from schleier.report.checks import Check, names_of, refused_checks, write_junit
from schleier.report.language import Words

RECIPE = """
[data]
file = "people.csv"
[schema]
columns = [{ name = "age", role = "quasi", scale = "discrete" }, { name = "sex", role = "quasi", scale = "nominal" }]
[[steps]]
method = "recode"
column = "age"
breaks = [40]
[[criteria]]
criterion = "k_anonymity"
k = 2
[[criteria]]
name = "pairs"
criterion = "k_anonymity"
k = 2
keys = [["sex"]]
[release]
access = "public"
"""
ROWS = "age,sex\n" + "34,f\n36,f\n31,m\n38,m\n52,f\n58,f\n55,m\n51,m\n" * 10
SECRET = "987654"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe and its release."""
    folder = tmp_path_factory.mktemp("released")
    (folder / "people.csv").write_text(ROWS)
    (folder / "recipe.toml").write_text(RECIPE)
    Recipe.from_file(folder / "recipe.toml").run(out=folder / "release")
    return folder


def verified(place: Path, out: Path, *arguments: object) -> tuple[int, dict[str, str], str]:
    """The exit code, the outcome of every check, and the whole text."""
    line = ["verify", *map(str, arguments), "--recipe", str(place / "recipe.toml"), "--junit", str(out)]
    result = CliRunner().invoke(app, line)
    text = out.read_text(encoding="utf-8")
    root = Xml.fromstring(text)
    suite = root[0]
    outcomes = {case.attrib["name"]: next((part.tag for part in case), "passed") for case in suite}
    counted = {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")}
    told = list(outcomes.values())
    assert counted == {
        "tests": len(told),
        "failures": told.count("failure"),
        "errors": told.count("error"),
        "skipped": told.count("skipped"),
    }
    assert [file.name for file in out.parent.iterdir()] == [out.name], "whole or not at all"
    return result.exit_code, outcomes, text


def test_every_check_of_a_release_passes(place: Path, tmp_path: Path) -> None:
    code, outcomes, _ = verified(place, tmp_path / "checks.xml", place / "release")
    assert code == 0
    assert outcomes == dict.fromkeys(("file", "records", "digest", "k_anonymity", "pairs"), "passed")


def test_what_was_not_compared_is_skipped(place: Path, tmp_path: Path) -> None:
    code, outcomes, text = verified(place, tmp_path / "checks.xml", place / "release" / "public" / "data.csv")
    assert (code, outcomes["records"], outcomes["digest"], outcomes["pairs"]) == (0, "skipped", "skipped", "passed")
    assert "Name the report" in text


def test_a_broken_criterion_fails_alone(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "in" / "data.csv"
    file.parent.mkdir()
    file.write_text("age,sex\n<40,f\n<40,f\n<40,m\n>=40,f\n>=40,f\n>=40,m\n")
    (tmp_path / "out").mkdir()
    code, outcomes, text = verified(place, tmp_path / "out" / "checks.xml", file)
    assert (code, outcomes["file"], outcomes["k_anonymity"], outcomes["pairs"]) == (3, "passed", "failure", "passed")
    assert "The smallest class holds 1 record" in text


def test_another_file_fails_without_a_value(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "in" / "data.csv"
    file.parent.mkdir()
    file.write_text(f"age,sex,income\n34,f,{SECRET}\n36,m,{SECRET}\n")
    (tmp_path / "out").mkdir()
    code, outcomes, text = verified(place, tmp_path / "out" / "checks.xml", file)
    assert (code, outcomes["file"], outcomes["records"]) == (4, "failure", "skipped")
    assert outcomes["k_anonymity"] == "failure" and SECRET not in text
    assert str(tmp_path) not in Xml.fromstring(text)[0][0].attrib["classname"]


def test_an_exchanged_file_fails_by_its_digest(place: Path, tmp_path: Path) -> None:
    public = tmp_path / "in" / "public"
    shutil.copytree(place / "release" / "public", public)
    lines = (public / "data.csv").read_text().splitlines()
    (public / "data.csv").write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    (tmp_path / "out").mkdir()
    arguments = (public / "data.csv", "--report", public / "report.json")
    code, outcomes, _ = verified(place, tmp_path / "out" / "checks.xml", *arguments)
    assert (code, outcomes["file"], outcomes["digest"]) == (4, "passed", "failure")


def test_a_wrong_recipe_is_an_error_and_no_failure(place: Path, tmp_path: Path) -> None:
    line = [
        "verify",
        str(place / "release"),
        "-r",
        "none.toml",
        "--junit",
        str(tmp_path / "checks.xml"),
        "--lang",
        "de",
    ]
    result = CliRunner().invoke(app, line)
    case = Xml.fromstring((tmp_path / "checks.xml").read_text(encoding="utf-8"))[0][0]
    assert result.exit_code == 2 and (case.attrib["name"], case[0].tag) == ("file", "error")
    assert "Rezept" in case[0].attrib["message"]


def test_what_xml_cannot_hold_is_replaced(tmp_path: Path) -> None:
    write_junit([Check("file", "failed", "a\x00b\x1b[2J <&>")], "a\x01.csv", tmp_path / "a.xml")
    case = Xml.fromstring((tmp_path / "a.xml").read_text(encoding="utf-8"))[0][0]
    assert case[0].attrib["message"] == "a�b�[2J <&>" and case.attrib["classname"] == "schleier.a�.csv"


def test_problems_of_criteria_that_are_not_known_are_told_of_the_file() -> None:
    error = DataError(Problem("criterion-broken", "criteria[3] (k_anonymity)", "too few"))
    (file, *others) = refused_checks(error, ["k_anonymity"], Words.of("en"))
    assert (file.name, file.outcome) == ("file", "failed") and {one.outcome for one in others} == {"skipped"}


@pytest.mark.parametrize("name", ["file", "records", "digest", "report"])
def test_no_criterion_takes_the_name_of_another_check(name: str) -> None:
    taken = [
        KAnonymity(k=2, name=name),
        KAnonymity(k=2),
        KAnonymity(k=3),
        KAnonymity(k=2, name="criteria[1] k_anonymity"),
    ]
    names = names_of(taken)
    assert len({*names, "file", "records", "digest", "report"}) == 8


def test_what_is_looked_at_is_never_written_over(place: Path) -> None:
    report, recipe = place / "release" / "public" / "report.json", place / "recipe.toml"
    for out in (report, recipe, place / "release" / "public" / "data.csv", place / "release" / "checks.xml"):
        before = out.read_bytes() if out.exists() else None
        line = ["verify", str(place / "release"), "--recipe", str(recipe), "--junit", str(out)]
        assert CliRunner().invoke(app, line).exit_code == 2
        assert (out.read_bytes() if out.exists() else None) == before


def test_a_refusal_is_told_where_no_xml_can_be_written(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("age,sex,income\n34,f,1\n36,m,2\n")
    line = ["verify", str(file), "--recipe", str(place / "recipe.toml"), "--junit", str(tmp_path / "none" / "a.xml")]
    result = CliRunner().invoke(app, line)
    assert result.exit_code == 4 and "income" in result.stderr and "a.xml" in result.stderr
