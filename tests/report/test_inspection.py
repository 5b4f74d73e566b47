"""An inspection for people: in English and German, as a page and for the terminal."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from report.test_html import Parsed
from report.test_language import Listening
from schleier.core.errors import RecipeError, WriteError
from schleier.core.measure import Finding
from schleier.core.schema import Column, Schema
from schleier.flow.changes.best import Change
from schleier.flow.changes.weighing import Effect
from schleier.flow.inspect import InspectedColumn, Inspection, inspect
from schleier.report.inspection_page import page, write_page
from schleier.report.inspection_text import text
from schleier.report.language import Words
from schleier.testing import example_schema, example_table

HOSTILE = "<script>alert('x')</script>&\"'{0}"


def schema(**roles: Any) -> Schema:
    """The example schema with other roles."""
    found = example_schema()
    for name, role in roles.items():
        found = found.changed(name, role=role)
    return found


def of(rows: int = 240, times: int = 1, **roles: Any) -> Inspection:
    import pyarrow as pa

    table = pa.concat_tables([example_table(rows)] * times)
    table = table.set_column(0, "id", pa.array([str(i) for i in range(len(table))]))
    return inspect(table, schema(**roles))


def changed(inspection: Inspection, name: str, **detail: Any) -> Inspection:
    """An inspection with something else in the detail of one finding."""
    findings = [
        one.model_copy(update={"detail": one.detail | detail}) if one.name == name else one
        for one in inspection.findings
    ]
    return inspection.model_copy(update={"findings": tuple(findings)})


def wide(inspection: Inspection, count: int) -> Inspection:
    """An inspection of a file with very many columns."""
    detail = next(one.detail for one in inspection.findings if one.name == "single_columns")
    one = next(iter(detail["columns"].values()))
    columns = tuple(InspectedColumn(name=f"c{i}", role="plain", scale="nominal") for i in range(count))
    return changed(
        inspection.model_copy(update={"columns": columns}), "single_columns", columns={c.name: one for c in columns}
    )


def narrow(*values: int) -> Inspection:
    """A file with one column."""
    import pyarrow as pa

    column = Column(name="age", role="quasi", scale="discrete", hierarchy="age")
    hierarchies = {"age": example_schema().hierarchies["age"]}
    return inspect(pa.table({"age": values}), Schema(columns=(column,), hierarchies=hierarchies))


def change(
    kind: Any, by: Any = None, *, share: float = 0.1, chance: float = 0, alone: bool = True, **more: Any
) -> Change:
    """A change after which so many records are unique."""
    effect = Effect(unique=round(share * 240), share=share, average=chance or share + 0.1)
    step = {"method": "drop", "columns": ["age"]}
    known = {
        "columns": ("age",),
        "values": (75, 8),
        "kept": 0.5,
        "steps": (step,),
        "toml": "[[steps]]\n",
        "alone": effect,
    }
    return Change(kind=kind, by=by, together=effect, **(known | more))


def changing(inspection: Inspection, *changes: Change, **more: Any) -> Inspection:
    return inspection.model_copy(update={"changes": changes, **more})


def chances(inspection: Inspection) -> Inspection:
    """A file in which nobody is unique, but small groups are."""
    part = next(one.detail["after"] for one in inspection.findings if one.name == "uniqueness")
    return changed(inspection, "uniqueness", after=part | {"unique": 0, "share": 0.0, "average": 0.4, "smallest": 2})


ODD = Finding(name="odd", value=0.25, low=0.1, high=0.4, better="lower", text="A sentence of somebody else.")
USUAL = of()
NO_KEYS = of(age="plain", sex="plain", region="plain")
NOBODY = of(times=2, person="plain")
FEW = of(age="quasi", sex="plain", region="plain", person="sensitive", born="quasi", schooling="quasi")
ONE = of(rows=3, person="plain", age="plain", sex="plain", region="plain", disease="quasi")
INSPECTIONS = {
    "usual": USUAL.model_copy(update={"file": "people.csv"}),
    "no keys": NO_KEYS,
    "nobody alone": NOBODY,
    "no hierarchies": FEW.model_copy(
        update={"columns": tuple(c.model_copy(update={"hierarchy": False}) for c in FEW.columns)}
    ),
    "one": ONE,
    "cut": changed(changed(USUAL, "combinations", cut=True, most=1), "uniqueness", keys=["age"]),
    "cut at two": changed(USUAL, "combinations", cut=True, most=2, smallest_found=1, looked_at=1),
    "wide": wide(USUAL, 90),
    "other": USUAL.model_copy(update={"findings": (*USUAL.findings, ODD)}),
    "strange": changed(changed(USUAL, "uniqueness", after={}), "combinations", enough=[{"share": float("nan")}]),
    "one column": narrow(1, 1, 2),
    "one column, nobody alone": narrow(1, 1),
    "changes of numbers": changing(
        USUAL, change("bands", 10), change("bins", 4, share=0.05), change("cap", 80, share=0)
    ),
    "changes of words": changing(
        USUAL, change("first", 1), change("first", 3, share=0.05), change("rare", 12, share=0.02), skipped=("a", "b")
    ),
    "changes of levels": changing(
        USUAL, change("level", 2), change("drop", columns=("sex",), dropped=("age",), share=0.05), skipped=("a",)
    ),
    "changes of rare records": changing(
        USUAL,
        change("drop", share=232 / 240, chance=236 / 240),
        change("blank", 5, blanked=7, columns=("age", "sex"), alone=None),
    ),
    "changes of chances": changing(chances(USUAL), change("drop", share=0, chance=0.3), change("bands", 5, share=0)),
    "changes of dates": changing(USUAL, change("dates", "day"), change("dates", "week"), change("dates", "month")),
    "changes of longer dates": changing(USUAL, *(change("dates", unit) for unit in ("quarter", "half"))),
    "no change": changing(USUAL),
    "one change": changing(USUAL, change("dates", "year")),
    "one change of dates": changing(USUAL, change("dates", "decade")),
    "two named": of(person="identifier", household="identifier", disease="identifier", born="plain"),
}


def words_of(shown: str) -> str:
    """A page as it is read."""
    text = re.sub(r"<style>.*?</style>|<desc>.*?</desc>", "", shown, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text).replace("\u00a0", " "))


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


def english_parts() -> Iterator[str]:
    german = "\n".join(Words.of("de").table.values())
    for key, sentence in Words.of("en").table.items():
        for _, part in enumerate(parsed[0] for parsed in string.Formatter().parse(sentence)):
            if key.startswith("inspect.") and len(part.strip()) > 9 and part.strip() not in german:
                yield part.strip()


@pytest.mark.parametrize("name", INSPECTIONS)
def test_no_english_sentence_is_said_in_german(name: str) -> None:
    shown = re.sub(r'<span lang="en">.*?</span>', "", page(INSPECTIONS[name], "de"))
    told = words_of(shown) + repr(text(INSPECTIONS[name], "de"))
    parts = list(english_parts())
    assert len(parts) > 40 and [part for part in parts if part in told] == []


def test_the_verdict_comes_first_in_english_and_german() -> None:
    unique = USUAL.findings[1].detail["after"]
    assert (unique["unique"], unique["records"]) == (232, 240)
    english, german = words_of(page(USUAL)), words_of(page(USUAL, "de"))
    assert english.index("96.7 % of the records are alone on what an outsider may know.") < english.index(
        "names people"
    )
    assert "96,7 % der Datensätze stehen allein da mit dem, was Außenstehende wissen können." in german
    assert "232 von 240 Datensätzen (96,7 %) sind in diesen Spalten einzigartig" in german
    assert "before it was" not in english


@pytest.mark.parametrize(
    ("name", "mark", "english", "german"),
    [
        ("usual", "bad", "96.7 % of the records are alone", "96,7 % der Datensätze stehen allein da"),
        ("no keys", "bad", "Nobody has said yet what an outsider", "Noch hat niemand gesagt, was Außenstehende"),
        ("nobody alone", "bad", "No record is alone on what", "Kein Datensatz steht allein da"),
        ("one", "bad", "One of 3 records is alone on", "Einer von 3 Datensätzen steht allein da"),
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
    found = changed(USUAL.model_copy(update={"columns": columns}), "uniqueness", after=part)
    return text(found).mark


def test_the_mark_follows_the_chance_to_pick_the_right_record() -> None:
    assert risky(0, 0.0899) == "good"
    assert risky(1, 0.0899) == "mind"
    assert risky(1, 0.09) == "bad"
    assert risky(0, 0.01, "identifier") == "bad"
    assert text(of(person="plain", age="plain", sex="plain", region="plain")).mark == "mind"


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
    assert (
        usual[1]
        .replace("\u00a0", " ")
        .startswith("Coarsen age to bands of 20: the unique records fall from 96.7 % to ")
    )
    assert "together with the above the unique records fall to" in usual[2]
    assert any("born tells most records apart" in one for one in usual)
    assert 'role = "quasi"' in without[1] and text(NO_KEYS).recipe == "" and text(USUAL).recipe
    assert any("die eine fehlt" in one or "eine fehlt" in one for one in text(USUAL, "de").next)


def test_changes_are_shown_where_there_is_a_risk_only() -> None:
    assert "too many columns tell everybody apart" in text(INSPECTIONS["no change"]).next[1]
    calm = USUAL.findings[1].detail["after"] | {"unique": 0, "share": 0.0, "average": 0.01}
    assert not any(
        "Coarsen" in one or "too many columns" in one for one in text(changed(USUAL, "uniqueness", after=calm)).next
    )
    only = text(INSPECTIONS["changes of rare records"]).next
    assert only[1] == "Leave out age: this helps only together with the changes below."


def test_the_terminal_gets_a_short_table_without_tags() -> None:
    told = text(USUAL, "de")
    assert told.head == ["Kombination", "Datensätze allein darin", "Anteil"]
    assert told.rows[0][0] == "age, sex und region" and told.rows[0][1] == "232"
    assert len(told.rows) <= 8
    assert text(NO_KEYS).head == ["Column", "Different values", "Alone in it", "Missing"]
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


def test_a_page_is_written_as_a_whole_and_for_its_owner(tmp_path: Path) -> None:
    out = tmp_path / "risk.html"
    out.write_text("old", encoding="utf-8")
    write_page(USUAL, "de", out)
    assert out.read_text(encoding="utf-8") == page(USUAL, "de")
    assert out.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["risk.html"]


@pytest.mark.parametrize(("name", "code"), [("risk.txt", "unknown-format"), ("no/risk.html", "cannot-write")])
def test_a_page_that_cannot_be_written(name: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as error:
        write_page(USUAL, "en", tmp_path / name)
    assert [problem.code for problem in error.value.problems] == [code]
    assert list(tmp_path.iterdir()) == []


def test_what_stood_before_stays_when_a_page_cannot_be_put_there(tmp_path: Path) -> None:
    (tmp_path / "risk.html").mkdir()
    (tmp_path / "risk.html" / "kept").touch()
    with pytest.raises(WriteError):
        write_page(USUAL, "en", tmp_path / "risk.html")
    assert [file.name for file in tmp_path.rglob("*")] == ["risk.html", "kept"]


def test_a_language_that_does_not_exist() -> None:
    with pytest.raises(RecipeError):
        page(USUAL, "fr")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_browser_shows_it_without_asking_for_anything(browser: Browser, tmp_path: Path, lang: str) -> None:
    file = tmp_path / "risk.html"
    write_page(INSPECTIONS["usual"], lang, file)
    with browser.new_context(viewport={"width": 380, "height": 800}) as context:
        shown, asked, said = context.new_page(), list[str](), list[str]()
        shown.on("request", lambda request: asked.append(request.url))
        shown.on("console", lambda message: said.append(message.text))
        for width in (380, 1100):
            shown.set_viewport_size({"width": width, "height": 800})
            shown.goto(file.as_uri())
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert asked == [file.as_uri()] * 2 and said == []
