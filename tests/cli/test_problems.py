"""Problems in German: every code there is, and nothing else, told without a value of the data."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import schleier
from cli.codes import codes
from flow.making import RECIPE, written
from schleier.cli import app
from schleier.cli.problems import FOLDER, translated
from schleier.core.errors import Problem

SOURCE = Path(schleier.__file__).parent
GERMAN = tomllib.loads((FOLDER / "problems.de.toml").read_text(encoding="utf-8"))
SECRET = "zzz-planted-marker"


def all_codes() -> set[str]:
    files = [file for file in SOURCE.rglob("*.py") if file.relative_to(SOURCE).as_posix() != "core/errors.py"]
    return {code for file in files for code in codes(file.read_text(encoding="utf-8"))}


def test_the_scan_finds_codes_in_all_their_forms() -> None:
    text = """
STATES = {"42501": ("from-a-table", "the message", ""), "other": ("busy", "another message", "a hint")}
def f(error, kind, part):
    code, noun = "from-a-name", "date"
    yield Problem(code, "", noun)
    found.add("from-add", "", "message")
    seen.add("no-code"), add("no-code", [], ""), pc.add(code, 5)
    stop(DataError, "one" if part else "other", "", "message")
    raise DataError(Problem(f"no-{kind}", "", "message"), Problem(error.code, "", ""), Problem(code="by-keyword"))
def g(error):
    for words, (code, message) in {"disk": ("from-a-loop", "a message")}.items():
        yield Problem(code, "", message)
    reasons = (why for words, why in STATES.items())
    code, message, hint = next(reasons, ("from-next", "", ""))
    stop(DataError, code, "", message)
    return Problem(STATES[error][0], "", *STATES[error][1:])
"""
    assert set(codes(text)) == {
        *("from-a-name", "from-add", "one", "other", "by-keyword"),
        *("no-method", "no-criterion", "no-measure", "no-attack"),
        *("from-a-table", "busy", "from-a-loop", "from-next"),
    }
    with pytest.raises(LookupError, match="line 2: where does the code code come from"):
        list(codes("def f(code):\n    return Problem(code, '', '')"))


def test_every_code_is_told_in_german_and_every_entry_is_a_code() -> None:
    there, told = all_codes(), set(GERMAN["problem"])
    assert {"connection-lost", "no-permission"} <= there
    assert {"unknown-column", "unknown-attack", "no-method", "not-a-date", "several-parts", "internal"} <= there
    assert (sorted(there - told), sorted(told - there)) == ([], [])


@pytest.mark.parametrize("code", sorted(GERMAN["problem"]))
def test_a_problem_is_a_sentence_with_a_way_out(code: str) -> None:
    entry = GERMAN["problem"][code]
    assert set(entry) == {"text", "hint"}
    assert entry["text"].endswith(".") and entry["text"][0].isupper()
    assert '"' not in entry["text"], "German quotation marks are „ and “"
    assert entry["hint"] and entry["text"] != entry["hint"]
    for text in entry.values():
        assert not re.search(r"\{\w*\}", text), "nothing is filled in"
        assert "  " not in text and text == text.strip()
        assert text.count("„") == text.count("“")


# What is specific to the case is kept.


@pytest.mark.parametrize(
    ("hint", "kept"),
    [
        ("did you mean 'age'?", True),
        ("its levels are 1 to 3", True),
        ("there are: csv, parquet", True),
        ('pip install "schleier[io]"', True),
        ("pip install pandas", True),
        ("coarsen more, suppress, or drop columns", False),
        ("", False),
    ],
)
def test_what_only_the_english_hint_knows_is_kept(hint: str, kept: bool) -> None:
    told = translated(Problem("unknown-column", "steps[0]", "message", hint), "de")
    assert told is not None
    assert told.details == ("Einzelheiten: message" + f" ({hint})" * kept)


@pytest.mark.parametrize("lang", ["en", "fr", "", "../cli/problems.de", "*"])
def test_no_other_language_is_spoken(lang: str) -> None:
    assert translated(Problem("no-file", "", "message"), lang) is None


def test_what_the_german_hint_says_too_is_not_said_twice() -> None:
    told = translated(Problem("bad-key", "--key-file", "message", "make one with: openssl rand -hex 32"), "de")
    assert told is not None and told.details == "Einzelheiten: message"


def test_an_unknown_code_stays_english() -> None:
    assert translated(Problem("of-a-third-party", "", "message"), "de") is None


# On the command line.


@pytest.fixture(autouse=True)
def german(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "SCHLEIER_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SCHLEIER_LANG", "de")


def lines(code: int, *arguments: object) -> list[str]:
    """What a failing command said on its error stream, with nothing of the data in it."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert (result.exit_code, result.stdout) == (code, "")
    assert SECRET not in result.stderr and "Traceback" not in result.stderr
    return [line.rstrip() for line in result.stderr.splitlines()]


def entry(code: str) -> tuple[str, str]:
    return GERMAN["problem"][code]["text"], GERMAN["problem"][code]["hint"]


def test_an_unknown_column(tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace('column = "income"', 'column = "incom"'))
    text, hint = entry("unknown-column")
    assert lines(2, "check", recipe) == [
        f"Fehler steps[2]: {text}",
        "       Einzelheiten: there is no column 'incom' (did you mean 'income'?)",
        f"       {hint}",
    ]


def test_a_broken_criterion(tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace("k = 2\n", "k = 2000\n"))
    text, hint = entry("criterion-broken")
    first, details, last = lines(3, "run", recipe, "-o", tmp_path / "out")
    assert (first, last) == (f"Fehler criteria[0] (k_anonymity): {text}", f"       {hint}")
    assert details.startswith("       Einzelheiten: The smallest class holds")
    assert not (tmp_path / "out").exists()


def test_a_missing_file(tmp_path: Path) -> None:
    recipe = written(tmp_path)
    (tmp_path / "people.parquet").unlink()
    text, hint = entry("no-file")
    assert lines(4, "run", recipe, "-o", tmp_path / "out") == [
        f"Fehler data.file: {text}",
        "       Einzelheiten: people.parquet: there is no such file",
        f"       {hint}",
    ]


def test_bad_values_in_a_csv_are_counted_and_not_quoted(tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace("people.parquet", "people.csv"))
    rows = [f"r{i},Person {i},h{i // 2},{SECRET if i == 3 else 30},f,1000.5" for i in range(9)]
    body = "\n".join(["id,person,household,age,sex,income", *rows, ""])
    (tmp_path / "people.csv").write_text(body, encoding="utf-8")
    text, hint = entry("not-a-number")
    first, details, last = lines(4, "run", recipe, "-o", tmp_path / "out")
    assert (first, last) == (f"Fehler age: {text}", f"       {hint}")
    assert "Einzelheiten: 1 value is not a whole number: line 5" in details


def test_several_problems_are_all_told(tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace("upper = 4000", "uper = 4000").replace("k_anonymity", "k_anonimity"))
    said = lines(2, "check", recipe)
    assert said[::3] == [
        f"Fehler steps[2].uper: {entry('unknown-parameter')[0]}",
        f"Fehler criteria[0]: {entry('unknown-criterion')[0]}",
    ]


def test_square_brackets_are_text_and_no_markup(tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.partition("[schema]")[0])
    assert any("schreiben Sie den Abschnitt [schema]." in line for line in lines(2, "check", recipe))


def test_a_defect_names_its_kind_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr("schleier.flow.run.runner.publish", broken)
    text, hint = entry("internal")
    said = lines(70, "run", written(tmp_path), "-o", tmp_path / "out")
    assert said == [
        f"Fehler: {text}",
        "       Einzelheiten: a defect of Schleier (ZeroDivisionError)",
        f"       {hint}",
    ]


def test_the_language_of_the_terminal_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCHLEIER_LANG")
    monkeypatch.setenv("LANG", "de_AT.UTF-8")
    assert lines(2, "check", tmp_path / "none.toml")[0].endswith(entry("no-recipe")[0])
    monkeypatch.setenv("SCHLEIER_LANG", "en")
    assert lines(2, "check", tmp_path / "none.toml") == [f"error {tmp_path / 'none.toml'}: there is no such recipe"]


def test_programs_read_english(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(tmp_path / "none.toml"), "--json"])
    assert json.loads(result.stdout)["problems"] == [
        {"code": "no-recipe", "where": str(tmp_path / "none.toml"), "message": "there is no such recipe", "hint": ""}
    ]
