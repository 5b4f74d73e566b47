"""Problems in German: every code there is, and nothing else, told without a value of the data."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.codes import codes
from cli.foreign import english_words
from cli.messages import messages, progress_parts
from flow.making import RECIPE, written
from schleier.cli import app
from schleier.cli.problems import (
    COMMAND,
    PACKAGE,
    SPECIFIC,
    find_phrases,
    find_texts,
    translated,
)
from schleier.core.errors import Problem
from schleier.progress import Watch
from schleier.report.language import Words

GERMAN = {code: texts["de"] for _, code, texts in find_texts(PACKAGE)}
SECRET = "zzz-planted-marker"


@cache
def codes_by_folder(package: Path) -> dict[str, set[Path]]:
    """Every code below a package, with the folders whose modules raise it."""
    raised = defaultdict(set)
    for file in package.rglob("*.py"):
        if file != package / "core" / "errors.py":
            for code in codes(file.read_text(encoding="utf-8")):
                raised[code].add(file.parent)
    return raised


def misplaced(package: Path) -> Iterator[str]:
    """What is wrong with the texts of a package, and where to put it right."""
    raised, core = codes_by_folder(package), package / "core"
    told = [(code, file.parent) for file, code, texts in find_texts(package) if "de" in texts]
    for code, times in Counter(code for code, _ in told).items():
        if times > 1:
            yield f"{code}: told {times} times"
    rooms = dict(told)
    for code, folders in sorted(raised.items()):
        for folder in sorted(folders):
            reach = {above for above in (folder, *folder.parents) if above.is_relative_to(package)} | {core}
            if rooms.get(code) not in reach:
                place = folder.relative_to(package).as_posix()
                yield f"{code}: raised in {place}; tell it in {place}/problems.toml, or in core's when others raise it"
    for code, room in told:
        if not any(room == core or folder.is_relative_to(room) for folder in raised.get(code, ())):
            yield f"{code}: told in {room.relative_to(package).as_posix()}, but nobody there raises it"


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


def test_every_code_is_told_in_german_beside_the_room_that_raises_it() -> None:
    raised = codes_by_folder(PACKAGE)
    assert {"connection-lost", "no-permission"} <= set(raised)
    assert {"unknown-column", "unknown-attack", "no-method", "not-a-date", "several-parts", "internal"} <= set(raised)
    assert list(misplaced(PACKAGE)) == []


HOUSE = {
    "core/data.py": "Problem('shared', '', '')",
    "core/problems.toml": "[shared]\nde = {}\n[of-two]\nde = {}",
    "methods/one.py": "Problem('own', '', ''), Problem('of-two', '', '')",
    "methods/problems.toml": "[own]\nde = {}",
    "methods/alone.py": "Problem('of-one', '', '')",
    "methods/alone.toml": "[title]\nde = 'Allein'\n[problems.of-one]\nde = {}",
    "extras/text/methods/mask.py": "Problem('shared', '', ''), Problem('of-two', '', ''), Problem('masked', '', '')",
    "extras/text/methods/problems.toml": "[masked]\nde = {}",
    "extras/text/criteria/recall.py": "Problem('of-the-wing', '', '')",
    "extras/text/problems.toml": "[of-the-wing]\nde = {}",
}


@pytest.mark.parametrize(
    ("change", "complaints"),
    [
        ({}, []),
        ({"risk/one.py": "Problem('shared', '', '')"}, []),
        ({"methods/two.py": "Problem('new', '', '')"}, ["new: raised in methods; tell it in methods/problems.toml"]),
        ({"methods/two.py": "Problem('masked', '', '')"}, ["masked: raised in methods;"]),
        ({"extras/geo/methods/two.py": "Problem('own', '', '')"}, ["own: raised in extras/geo/methods;"]),
        ({"methods/problems.toml": "[own]\nfr = {}"}, ["own: raised in methods;"]),
        ({"methods/problems.toml": "[own]\nde = {}\n[stale]\nde = {}"}, ["stale: told in methods, but nobody"]),
        ({"core/data.py": ""}, []),
        ({"methods/alone.py": ""}, ["of-one: told in methods, but nobody"]),
        ({"core/problems.toml": HOUSE["core/problems.toml"] + "\n[none]\nde = {}"}, ["none: told in core,"]),
        ({"flow/run/problems.toml": "[own]\nde = {}"}, ["own: told 2 times", "own: told in flow/run,"]),
    ],
)
def test_a_text_that_is_missing_misplaced_or_told_twice_is_found(
    change: dict[str, str], complaints: list[str], tmp_path: Path
) -> None:
    for name, text in (HOUSE | change).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = list(misplaced(tmp_path))
    assert [one[: len(start)] for one, start in zip(found, complaints, strict=True)] == complaints


def test_a_language_has_the_words_around_a_problem_too() -> None:
    spoken = {lang for _, _, texts in find_texts(PACKAGE) for lang in texts}
    words = tomllib.loads((PACKAGE / "cli" / "words.toml").read_text(encoding="utf-8"))
    assert spoken == set(words["error"]) == set(words["details"]) == set(words["foreign"])


@pytest.mark.parametrize("code", sorted(GERMAN))
def test_a_problem_is_a_sentence_with_a_way_out(code: str) -> None:
    entry = GERMAN[code]
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
        ("did you mean 'age'?", "Meinten Sie „age“?"),
        ("its levels are 1 to 3", "Ihre Stufen sind 1 bis 3"),
        ("there are: csv, parquet", "Es gibt: csv, parquet"),
        ('pip install "schleier[io]"', 'pip install "schleier[io]"'),
        ("pip install pandas", "pip install pandas"),
        ("coarsen more, suppress, or drop columns", ""),
        ("", ""),
    ],
)
def test_what_only_the_hint_of_this_case_knows_is_kept(hint: str, kept: str) -> None:
    told = translated(Problem("unknown-column", "steps[0]", "there is no column 'agee'", hint), "de")
    assert told is not None
    assert told.details == ("Einzelheiten: Es gibt keine Spalte „agee“" + (f" ({kept})" if kept else ""))
    foreign = translated(Problem("unknown-column", "steps[0]", "message", hint), "de")
    assert foreign is not None
    assert foreign.details == ("Einzelheiten (auf Englisch): message" + (f" ({hint})" if kept else ""))


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("1 rows of the weight 'w' are negative", "1 Zeile des Hochrechnungsfaktors „w“ ist negativ"),
        ("12345 rows of the weight 'w' are negative", "12.345 Zeilen des Hochrechnungsfaktors „w“ sind negativ"),
        ("the schema does not describe 'a', 'b' and 4 more", "Das Schema beschreibt nicht: 'a', 'b' und 4 mehr"),
        ("there is no column 'either or neither'", "Es gibt keine Spalte „either or neither“"),
        ("should be greater than or equal to 2", "Der Wert passt nicht: Es muss mindestens 2 sein"),
    ],
)
def test_counts_and_lists_are_told_too(message: str, told: str) -> None:
    said = translated(Problem("unknown-column", "", message), "de")
    assert said is not None and said.details == f"Einzelheiten: {told}"


def needed() -> Iterator[tuple[str, Path]]:
    """Every message, and every hint that knows more than the code, with the folder of its module."""
    for file in PACKAGE.rglob("*.py"):
        if file != PACKAGE / "core" / "errors.py":
            for text, hint in messages(file.read_text(encoding="utf-8")):
                specific = SPECIFIC.search(text.replace("{", "x="))
                if not hint or (specific and not text.startswith((COMMAND, "pip "))):
                    yield text, file.parent


def test_every_sentence_about_a_problem_is_told_in_german_beside_its_room() -> None:
    told = {(english, file.parent) for file, english, texts in find_phrases(PACKAGE) if "de" in texts}
    wanted = set(needed())
    assert len(wanted) > 700
    rooms = [PACKAGE / "core", PACKAGE]
    lacking = [
        f"{folder.name}: {text}"
        for text, folder in wanted
        if not any((text, above) in told for above in (folder, *folder.parents, *rooms))
    ]
    assert sorted(lacking) == [], "tell these in said.toml of their room"
    fillings = {english for file, english, _ in find_phrases(PACKAGE) if file.name == "fillings.toml"}
    stale = {english for english, _ in told} - {text for text, _ in wanted} - fillings
    assert sorted(stale) == [], "nobody says these any more"


def test_sentences_have_the_same_holes_and_no_english() -> None:
    for file, english, texts in find_phrases(PACKAGE):
        holes = set(re.findall(r"\{(\d)", english))
        assert set(re.findall(r"\{(\d)", texts["de"])) <= holes, english
        assert english_words(texts["de"]) - IN_RECIPES == set(), f"{file.parent.name}: {texts['de']}"


IN_RECIPES = set(
    "of by key keys rows column columns level file table size most map missing after folder steps above below".split()
)
"""Names of parameters, which are the same in every language."""


def test_what_a_run_is_doing_is_told_in_german() -> None:
    watch = Watch(Words.of("de"), quiet=True)
    parts = [part for file in PACKAGE.rglob("*.py") for part in progress_parts(file.read_text(encoding="utf-8"))]
    assert len(parts) > 15
    for part in [*parts, "step 2 of 3: top_code", "searching: k = 3, 5%"]:
        told = watch._said(part)
        assert told != part and english_words(told.replace("{0}", "")) == set(), part


@pytest.mark.parametrize("lang", ["en", "fr", "", "../cli/words", "*"])
def test_no_other_language_is_spoken(lang: str) -> None:
    assert translated(Problem("no-file", "", "message"), lang) is None


def test_what_the_german_hint_says_too_is_not_said_twice() -> None:
    message = "the file does not hold 64 hexadecimal digits"
    told = translated(Problem("bad-key", "--key-file", message, "make one with: openssl rand -hex 32"), "de")
    assert told is not None and told.details == "Einzelheiten: Die Datei enthält nicht 64 hexadezimale Ziffern"
    same = translated(Problem("no-recipe", "", "there is no such recipe"), "de")
    assert same is not None and same.details == ""


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
    return GERMAN[code]["text"], GERMAN[code]["hint"]


def test_an_unknown_column(tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace('column = "income"', 'column = "incom"'))
    text, hint = entry("unknown-column")
    assert lines(2, "check", recipe) == [
        f"Fehler steps[2]: {text}",
        "       Einzelheiten: Es gibt keine Spalte „incom“ (Meinten Sie „income“?)",
        f"       {hint}",
    ]


def test_a_broken_criterion(tmp_path: Path) -> None:
    recipe = written(tmp_path, RECIPE.replace("k = 2\n", "k = 2000\n"))
    text, hint = entry("criterion-broken")
    first, details, last = lines(3, "run", recipe, "-o", tmp_path / "out")
    assert (first, last) == (f"Fehler criteria[0] (k_anonymity): {text}", f"       {hint}")
    assert details.startswith("       Einzelheiten: Jede Kombination von Werten in")
    assert not (tmp_path / "out").exists()


def test_a_missing_file(tmp_path: Path) -> None:
    recipe = written(tmp_path)
    (tmp_path / "people.parquet").unlink()
    text, hint = entry("no-file")
    assert lines(4, "run", recipe, "-o", tmp_path / "out") == [
        f"Fehler data.file: {text}",
        "       Einzelheiten: people.parquet: Diese Datei gibt es nicht",
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
    assert "Einzelheiten: 1 Wert ist nicht lesbar als ganze Zahl: Zeile 5" in details


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
        "       Einzelheiten: Ein Fehler in Schleier (ZeroDivisionError)",
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
