"""An inspection for people: in English and German, as a page and for the terminal."""

from __future__ import annotations

import re

import pytest

from report.inspections import HOSTILE, INSPECTIONS, NO_KEYS, NOBODY, USUAL, change, changed, changing, of
from report.reading import Listening, Parsed, english_parts, words_of
from schleier.flow.inspect.inspect import InspectedColumn, Inspection
from schleier.report.inspection.page import page
from schleier.report.inspection.text import text
from schleier.report.language import Words

UNITS = "unit_compositions"


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", INSPECTIONS)
def test_every_inspection_becomes_a_sound_page(name: str, lang: str) -> None:
    made = page(INSPECTIONS[name], lang)
    parsed = Parsed(made)
    assert parsed.open == [] and made.startswith(f'<!doctype html>\n<html lang="{lang}"')
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    links = {(attrs["href"] or "").removeprefix("#") for _, attrs in parsed.elements if "href" in attrs}
    assert len(ids) == len(set(ids)) and links <= set(ids)
    assert not re.search(r"\bNone\b(?! of)|Undefined|\bnan\b", words_of(made))
    for table in re.findall(r"<table.*?</table>", made, re.DOTALL):
        assert "<caption>" in table and all("scope=" in cell for cell in re.findall(r"<th\b[^>]*>", table))
    assert not re.search(r"(?:src|href)=\"(?!#)|@import|url\(|<script", made)
    assert made == page(Inspection.model_validate_json(INSPECTIONS[name].model_dump_json()), lang) or name == "strange"


def test_every_sentence_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Listening(Words.of("de").table)
    monkeypatch.setattr("schleier.report.language._table", lambda lang: table)
    for one in INSPECTIONS.values():
        page(one, "de")
        text(one, "de")
    assert sorted(key for key in set(table) - table.heard if key.startswith("inspect.")) == []


@pytest.mark.parametrize("name", INSPECTIONS)
def test_no_english_sentence_is_said_in_german(name: str) -> None:
    shown = re.sub(r'<span lang="en">.*?</span>', "", page(INSPECTIONS[name], "de"))
    told = words_of(shown) + repr(text(INSPECTIONS[name], "de"))
    parts = list(english_parts("inspect."))
    assert len(parts) > 40 and [part for part in parts if part in told] == []


def test_the_verdict_comes_first_in_english_and_german() -> None:
    unique = USUAL.findings[1].detail["after"]
    assert (unique["unique"], unique["records"]) == (232, 240)
    english, german = words_of(page(USUAL)), words_of(page(USUAL, "de"))
    assert english.index("96.7 % of the records are unique by what an outsider may know.") < english.index(
        "names people"
    )
    assert "96,7 % der Datensätze sind durch das, was Außenstehende wissen können, einzigartig." in german
    assert "232 von 240 Datensätzen (96,7 %) sind in diesen Spalten einzigartig" in german
    assert "before it was" not in english


@pytest.mark.parametrize(
    ("name", "mark", "english", "german"),
    [
        ("usual", "bad", "96.7 % of the records are unique", "96,7 % der Datensätze sind durch das"),
        ("no keys", "bad", "Nobody has said yet what an outsider", "Noch hat niemand gesagt, was Außenstehende"),
        ("nobody alone", "bad", "Whoever knows what an outsider may know finds", "Wer weiß, was Außenstehende wissen"),
        ("large groups", "good", "No record is unique by what", "Kein Datensatz ist durch das"),
        ("one record", "bad", "There is only one record", "Es gibt nur einen Datensatz"),
        ("one", "bad", "One of 3 records is unique by", "Einer von 3 Datensätzen ist durch das"),
    ],
)
def test_headlines(name: str, mark: str, english: str, german: str) -> None:
    for lang, words in (("en", english), ("de", german)):
        told = text(INSPECTIONS[name], lang)
        assert told.mark == mark and told.headline.replace("\u00a0", " ").startswith(words)


def risky(unique: int, average: float, *roles: str) -> str:
    """The mark of an inspection with so much risk."""
    part = USUAL.findings[1].detail["after"] | {"unique": unique, "share": unique / 240, "average": average}
    columns = tuple(InspectedColumn(name=f"c{i}", role=role, scale="nominal") for i, role in enumerate(roles))
    findings = tuple(one for one in USUAL.findings if one.name != UNITS)
    found = changed(USUAL.model_copy(update={"columns": columns, "findings": findings}), "uniqueness", after=part)
    return text(found).mark


def apart(share: float) -> Inspection:
    """Records that look alike, in units of which a share is unlike all others."""
    calm = USUAL.findings[1].detail["after"] | {"unique": 0, "share": 0.0, "average": 0.01}
    columns = (InspectedColumn(name="household", role="unit", scale="nominal"),)
    findings = [one.model_copy(update={"value": share}) if one.name == UNITS else one for one in USUAL.findings]
    found = USUAL.model_copy(update={"columns": columns, "findings": tuple(findings)})
    return changed(found, "uniqueness", after=calm)


def test_units_that_are_unlike_all_others_are_told_at_the_top() -> None:
    assert [text(apart(share)).mark for share in (0.0, 0.01, 0.09)] == ["good", "mind", "bad"]
    english, german = (text(apart(0.726), lang) for lang in ("en", "de"))
    assert english.headline.replace("\u00a0", " ").startswith(
        "72.6 % of the units, such as households, are like no other"
    )
    assert german.headline.replace("\u00a0", " ").startswith(
        "72,6 % der Einheiten, etwa der Haushalte, gleichen in dem"
    )
    assert any(said.startswith("80 of 80 units, such as households,") for _, said in english.said)
    assert any("Leave out the column household" in one for one in english.next)
    assert any("Lassen Sie die Spalte household weg" in one for one in german.next)
    assert not any("household" in one for one in text(apart(0.0)).next)


def test_the_mark_follows_the_chance_to_pick_the_right_record() -> None:
    assert risky(0, 0.0899) == "good"
    assert risky(1, 0.0899) == "mind"
    assert risky(1, 0.09) == "bad"
    assert risky(0, 0.01, "identifier") == "bad"
    assert text(of(person="plain", age="plain", sex="plain", region="plain")).mark == "mind"


def test_what_makes_the_verdict_is_marked() -> None:
    def marked(name: str) -> list[str]:
        return [said for mark, said in text(INSPECTIONS[name]).said if mark == "✕"]

    assert [said.split()[0] for said in marked("nobody alone")] == ["Whoever", "80"]
    assert marked("one record") == ["A single record is unique, whatever is left out."]
    assert marked("usual")[-2].startswith("232 of 240 records")
    assert marked("usual")[-1].startswith("80 of 80 units")


def test_one_is_not_written_as_many() -> None:
    assert ("·", "Rows given in Python: one record in one column.") in text(INSPECTIONS["one record"]).said
    assert text(INSPECTIONS["one record"], "de").next[0].startswith("Fügen Sie Datensätze hinzu")


def test_columns_that_add_nothing_are_not_listed() -> None:
    def found(*columns: str, unique: int) -> dict[str, object]:
        return {"columns": columns, "unique": unique, "share": unique / 240}

    worst = [
        [found("age", unique=9)],
        [found("age", "sex", unique=9), found("sex", "region", unique=4)],
        [found("age", "sex", "region", unique=12)],
    ]
    steps = [{"columns": i, "records": n, "share": n / 240} for i, n in enumerate((0, 12, 12), 1)]
    told = text(changed(USUAL, "combinations", worst=worst, enough=steps))
    assert [row[0] for row in told.rows] == ["age, sex and region", "age", "sex and region"]
    assert [said[:9] for _, said in told.said if "enough for" in said] == ["2 columns"]


def test_who_is_named_comes_before_all_other_answers() -> None:
    assert text(USUAL).said[0] == ("✕", "The column person names people directly.")
    assert text(INSPECTIONS["two named"], "de").said[0] == (
        "✕",
        "Die Spalten person, household und disease benennen Personen direkt.",
    )
    assert text(NOBODY).said[0] == ("·", "No column is declared to name people directly.")


def test_what_to_do_follows_what_was_found() -> None:
    usual, without = text(USUAL).next, text(NO_KEYS).next
    assert usual[0] == 'Leave out the column person, which names people: method = "drop".'
    assert usual[1].startswith("Leave out the column household, which tells which records belong together")
    assert (
        usual[2]
        .replace("\u00a0", " ")
        .startswith("Coarsen age to bands of 20: the unique records fall from 96.7 % to ")
    )
    assert "together with the above the unique records fall to" in usual[3]
    assert any("born tells most records apart" in one for one in usual)
    assert 'role = "quasi"' in without[1] and text(NO_KEYS).recipe == "" and text(USUAL).recipe
    assert any("die eine fehlt" in one or "eine fehlt" in one for one in text(USUAL, "de").next)


def test_changes_are_shown_where_there_is_a_risk_only() -> None:
    assert "too many columns tell everybody apart" in text(INSPECTIONS["no change"]).next[2]
    calm = USUAL.findings[1].detail["after"] | {"unique": 0, "share": 0.0, "average": 0.01}
    assert not any(
        "Coarsen" in one or "too many columns" in one for one in text(changed(USUAL, "uniqueness", after=calm)).next
    )
    only = text(INSPECTIONS["changes of rare records"]).next
    assert only[2] == "Leave out age: this helps only together with the changes below."


def test_the_terminal_gets_a_short_table_without_tags() -> None:
    told = text(USUAL, "de")
    assert told.head == ["Kombination", "Einzigartige Datensätze", "Anteil"]
    assert told.rows[0][0] == "age, sex und region" and told.rows[0][1] == "232"
    assert len(told.rows) <= 8
    assert text(NO_KEYS).head == ["Column", "Different values", "Unique by it", "Missing"]
    assert "<" not in repr(told) and "&" not in repr(told)


def test_names_from_the_file_are_escaped_and_shown_as_they_are() -> None:
    columns = (InspectedColumn(name=HOSTILE, role="identifier", scale="text"),)
    hostile = change("drop", columns=(HOSTILE,), dropped=(HOSTILE,), toml=HOSTILE)
    found = changing(USUAL, hostile, columns=columns, file=HOSTILE, skipped=(HOSTILE,))
    added = next(one.detail["columns"] for one in found.findings if one.name == "combinations")
    found = changed(found, "combinations", columns={HOSTILE: added["age"]}, keys=[HOSTILE])
    made = page(found, "de")
    assert Parsed(made).open == [] and "<script" not in made and made.count("&lt;script&gt;") > 4
    assert HOSTILE in text(found).said[0][1]
