"""What a notebook shows of each thing: words and counts, in a form that survives every notebook."""

from __future__ import annotations

import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

import schleier as sl
from report.full import FULL
from report.inspections import INSPECTIONS
from report.reading import Listening
from report.reports import TYPICAL, attack, cells, finding, report, step, uniqueness, verdict
from schleier.core.measure import Finding
from schleier.flow.attack.attempt import Attempt, Tried
from schleier.flow.release.documents import Audit, ReportedOverride
from schleier.flow.release.release import Release
from schleier.planning.design import Design, Question
from schleier.report import card as looks
from schleier.report.cards import card
from schleier.report.language import Words

HOSTILE = "<script>alert('x')</script>&\"'"
RECIPE = """
[schema]
row_key = "case"
columns = [
  { name = "person", role = "identifier", scale = "text", title = "<b>Who</b>" },
  { name = "age", role = "quasi", scale = "discrete", hierarchy = "age", missing = [777], judged = "guess" },
  { name = "job", role = "sensitive", scale = "nominal", labels = { 41 = "forty-one" } },
  { name = "more", scale = "continuous", decimals = 2 },
]
[hierarchies]
age = { intervals = [5, 10] }
[[steps]]
method = "drop"
columns = ["person", "more"]
[[steps]]
method = "recode"
column = "job"
map = { "41" = "forty-two" }
others = "keep"
[[criteria]]
criterion = "k_anonymity"
k = 3
[[measures]]
measure = "uniqueness"
[[attacks]]
attack = "exact_match"
targets = 20
"""


class Reader(HTMLParser):
    """The tags, the styles and the text of a card."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags, self.styles, self.words = set[str](), list[str](), list[str]()
        self.attributes, self.open = set[str](), list[str]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open += [] if tag in ("br", "wbr") else [tag]
        self.attributes |= {key for key, _ in attrs}
        self.styles += [value or "" for key, value in attrs if key == "style"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.words += [] if tag in ("span", "code") else [" "]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def recipe() -> sl.Recipe:
    return sl.Recipe.from_toml(RECIPE)


def people() -> pa.Table:
    ages = [20 + i % 40 for i in range(200)]
    names = [f"Person {i % 150}" for i in range(200)]
    return pa.table(
        {"name": names, "age": ages, "sex": ["f", "m"] * 100, "income": [None, 1000.5, 2000.5, 3000.25] * 50}
    )


def release(**more: Any) -> Release:
    audit = Audit.model_construct()
    return Release(report=TYPICAL, audit=audit, schema=recipe().schema, **more)


def attempt() -> Attempt:
    tried = Tried(attack="exact_match", targets=30, claims=20)
    return Attempt(
        schleier="0.1", release="a", records=100, persons=30, judged_by="nobody", whole=False, tried=(tried,)
    )


THINGS: dict[str, Any] = {
    "schema": lambda: recipe().schema,
    "recipe": recipe,
    "verdict": verdict,
    "finding": lambda: uniqueness(3, 1),
    "report": lambda: FULL,
    "release": release,
    "draft": lambda: sl.describe(people()),
    "inspection": lambda: next(iter(INSPECTIONS.values())),
    "plan": lambda: sl.plan(Design(100, Fraction(5), (Question("sex", (Fraction(1, 2), Fraction(1, 2))),))),
    "suggestion": lambda: sl.suggest(people(), "public_use"),
    "attempt": attempt,
}


def shown(thing: Any, lang: str = "en") -> Reader:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCHLEIER_LANG", lang)
        return Reader(thing._repr_html_())


@pytest.mark.parametrize("name", THINGS)
def test_a_card_needs_nothing_but_itself(name: str) -> None:
    for lang in ("en", "de"):
        seen = shown(THINGS[name](), lang)
        assert seen.open == [] and seen.tags <= {
            *("div", "span", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "br", "wbr", "small")
        }, "no script, style sheet, picture, link or form"
        assert seen.attributes <= {"style", "lang", "title", "scope", "translate"}
        assert not any(re.search(r"url\(|@import|var\(|position|clip", style) for style in seen.styles)


def test_colours_are_those_around_or_have_their_own_ground() -> None:
    """A notebook is light or dark: only the signs have a colour of their own, on a ground of their own."""
    for style in [*looks.STYLES.values(), *looks.TONES.values()]:
        coloured = re.search(r"(?<![-\w])color: #", style)
        assert bool(coloured) == ("background-color: #" in style), style


def test_a_schema_counts_labels_and_codes() -> None:
    text = shown(recipe().schema).text
    assert "hierarchy with 3 levels" in text and "words for one code" in text and "one code for “missing”" in text
    assert "Nobody has judged more: no criterion looks at it." in text
    assert "The role of age is a guess that nobody has confirmed." in text
    assert "case tells the records apart" in text and "<b>Who</b>" in text
    assert not re.search("41|777|forty", text)


def test_a_recipe_shows_columns_and_numbers_but_no_values() -> None:
    text = shown(recipe()).text
    assert "known outside (quasi): age" in text and "person and more are left out" in text
    assert "2 steps" in text and "One criterion" in text and "k = 3" in text and "targets = 20" in text
    assert not re.search("41|777|forty", text)
    assert "No criterion decides" in shown(sl.Recipe.from_toml(RECIPE.partition("[[criteria]]")[0])).text


def test_a_draft_of_a_frame_tells_roles_scales_reasons_and_gaps() -> None:
    text = shown(sl.describe(people())).text
    assert "Rows given in Python: 200 records, 4 columns." in text
    assert "names people" in text and "known outside" in text and "25 %" in text and "By its name it is: age." in text
    assert not re.search(r"Person \d|1000|2000|3000", text)
    assert "In Python übergebene Zeilen: 200 Datensätze" in shown(sl.describe(people()), "de").text


def test_names_are_escaped_wherever_they_come_from() -> None:
    schema = sl.Schema(columns=[sl.Column(name=HOSTILE, role="quasi", scale="nominal")])
    bold = pa.table({HOSTILE: ["a", "b"] * 20})
    things = [
        schema,
        verdict(keys=((HOSTILE,),), name=HOSTILE),
        finding(HOSTILE, 0.5),
        report(title=HOSTILE, file=HOSTILE, steps=(step("drop", HOSTILE),)),
        report(overrides=(ReportedOverride(where=HOSTILE, reason=HOSTILE),)),
        sl.inspect(bold, schema),
        sl.describe(bold),
        release(path=HOSTILE),
    ]
    for thing in things:
        html = thing._repr_html_()
        assert "script" not in Reader(html).tags and "alert(" in html and "<script" not in html


@pytest.mark.parametrize(("holds", "safe", "sign"), [(True, None, "✓"), (True, False, "!"), (False, None, "✕")])
def test_a_verdict_has_its_sign(holds: bool, safe: bool | None, sign: str) -> None:
    seen = shown(verdict(holds=holds, category_holds=safe))
    assert sign in seen.text and ("met" if holds else "broken") in seen.text


def test_a_finding_is_told_as_on_the_page() -> None:
    assert "Lower is better." in shown(uniqueness(3, 1)).text
    assert "Kleiner ist besser." in shown(cells(age=0.1), "de").text
    tried = shown(attack(20))
    assert "exact match" in tried.text and "persons" in tried.text
    assert "it is so" in shown(Finding(name="horoscope", value=1.0, better="higher", text="it is so")).text


def test_a_release_says_where_it_lies() -> None:
    assert "kept in memory" in shown(release()).text
    assert "It lies in a/b." in shown(release(path="a/b")).text


def test_a_release_speaks_its_language_unless_the_reader_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCHLEIER_LANG")
    assert "Freigabe" in release(language="de")._repr_html_()
    monkeypatch.setenv("SCHLEIER_LANG", "en")
    assert "Freigabe" not in release(language="de")._repr_html_()


def test_a_language_nobody_speaks_is_shown_in_english() -> None:
    assert "Criterion" in shown(verdict(), "fr").text


def test_a_long_table_is_cut_and_says_so() -> None:
    many = sl.Schema(columns=[sl.Column(name=f"c{i}", role="plain", scale="nominal") for i in range(100)])
    text = shown(many).text
    assert "c59" in text and "c60" not in text and "40 more" in text


def test_every_word_of_a_card_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Listening(Words.of("de").table)
    monkeypatch.setattr("schleier.report.language._table", lambda lang: table)
    bare = sl.Recipe.from_toml('[schema]\ncolumns = [{name = "a", scale = "nominal"}]')
    for make in (*THINGS.values(), lambda: bare, lambda: release(path="a"), lambda: finding("regression", 1.0)):
        make()._repr_html_()
    higher = Finding(name="horoscope", value=1.0, better="higher", text="it is so")
    higher._repr_html_()
    unused = {key for key in set(table) - table.heard if key.startswith("card.")}
    assert {key.rpartition(".")[0] if key.endswith((".one", ".other")) else key for key in unused} <= HEARD


HEARD = {
    f"card.{key}"
    for key in ("schema.hierarchy schema.labels schema.missing schema.undecided schema.guessed schema.title "
    "recipe.left_out recipe.steps recipe.criteria recipe.measures recipe.attacks").split()
}  # fmt: skip
"""Words with a form for one and a form for many, of which one is heard."""


def test_what_has_no_card_says_so() -> None:
    with pytest.raises(TypeError, match="no card for int"):
        card(1, Words.of("en"))
