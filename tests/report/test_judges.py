"""The report tells who judged the columns and when, has lines to sign on, and calls nothing unjudged harmless."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pyarrow as pa
import pytest

from report.full import OTHERS
from report.reports import column, report
from schleier.flow.recipe.recipe import Recipe
from schleier.report.html import Html
from schleier.report.language import plain

HARMLESS = {"en": "Neither known to attackers nor sensitive", "de": "Weder Angreifern bekannt noch sensibel"}


def told(name_or_columns: object, lang: str = "en") -> str:
    found = OTHERS[name_or_columns] if isinstance(name_or_columns, str) else report(columns=name_or_columns)
    return " ".join(plain(Html().render(found, lang).partition("</style>")[2]).split())


def test_who_judged_and_when() -> None:
    said = told("judged")
    assert "A person judged 2 columns (between 2026-03-01 and 2026-03-09)." in said
    assert "A release profile judged 2 columns: e and f." in said
    assert "A program guessed the roles of 2 columns, and nobody has confirmed them: c and d." in said
    assert "Nobody has judged 2 columns: g and" in said
    assert "judged by a person on 2026-03-01" in said and "guessed by a program" in said
    german = told("judged", "de")
    assert "zwischen dem 01.03.2026 und dem 09.03.2026" in german
    assert "2 Spalten hat niemand beurteilt: g und" in german
    assert "(on which day is not recorded)" in told("judged some day")


def test_an_older_report_tells_nothing_of_it() -> None:
    assert "Who judged the columns" not in told((column("a"), column("b", "quasi")))


@pytest.mark.parametrize("lang", ["en", "de"])
def test_no_column_that_nobody_judged_is_called_harmless(lang: str) -> None:
    nobody = (column("a", "undecided"), column("b", "plain", judged="guess"))
    assert HARMLESS[lang] not in told(nobody, lang)
    assert HARMLESS[lang] in told((column("a", "plain", judged="person"),), lang)


@pytest.mark.parametrize(
    ("lang", "lines"),
    [
        ("en", ["Sign-off", "Judged the columns", "Released the file", "Name", "Function", "Date", "Signature"]),
        (
            "de",
            ["Unterschriften", "Spalten beurteilt", "Datei freigegeben", "Name", "Funktion", "Datum", "Unterschrift"],
        ),
    ],
)
def test_there_are_lines_to_sign_on(lang: str, lines: list[str]) -> None:
    page = Html().render(OTHERS["judged"], lang)
    block = page.partition('<section class="sign-off">')[2].partition("</section>")[0]
    assert all(f">{line}<" in block for line in lines)
    assert block.count("<li>") == 8 and block.count("<li></li>") == 0


def test_the_document_only_gains_fields(tmp_path: Path) -> None:
    text = """
    [[schema.columns]]
    name = "a"
    role = "quasi"
    judged_on = 2026-03-01
    scale = "nominal"
    [[schema.columns]]
    name = "b"
    scale = "nominal"
    """
    out = tmp_path / "out"
    Recipe.from_toml(text).run(pa.table({"a": ["x"] * 9, "b": ["y"] * 9}), out=out, key=bytes(32))
    columns = json.loads((out / "public" / "report.json").read_text(encoding="utf-8"))["columns"]
    assert [(one["judged"], one["judged_on"]) for one in columns] == [("person", "2026-03-01"), ("", None)]
    before = {"name", "title", "role", "scale", "decimals", "labels", "kind"}
    assert all(before < set(one) for one in columns)
    again = Recipe.from_file(out / "restricted" / "recipe.toml").schema
    assert again["a"].judged_on == datetime.date(2026, 3, 1) and again["b"].role == "undecided"


def test_one_criterion_is_no_criteria() -> None:
    from schleier.report.language import Words

    for lang, said in (("en", "one criterion"), ("de", "ein Kriterium")):
        assert Words.of(lang).plain("cli.count.criteria", n=1) == said
