"""A plan for people: in English and German, as a page and for the terminal."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from planning.designs import correlated, design, question
from report.reading import Listening, Parsed, words_of
from schleier.core.errors import RecipeError, WriteError
from schleier.flow.survey import Plan
from schleier.planning.design import Design
from schleier.planning.experiment import Counts
from schleier.planning.plan import plan
from schleier.report.language import Words
from schleier.report.planning.page import page, write_page
from schleier.report.planning.text import text

HOSTILE = "<script>alert('x')</script>&\"'{0}"
USUAL = plan(design(".5 .5", "1/3 1/3 1/3", ".4 .3 .2 .1", persons=250)).model_copy(update={"design": "staff.toml"})
PILOT = plan(correlated(persons=3000)).model_copy(update={"unseen": 0.2})
RARE = plan(Design(400, Fraction(30), (question("1/2 " + "1/1600 " * 800),)))
CHANCE = plan(design(".5 .5", ".97 .01 .01 .01", persons=100, tolerated=3))
ONE = plan(design("1/2 1/2", persons=40))


def without_counts(found: Plan) -> Plan:
    """A plan with too many combinations, too large to be simulated."""
    left = [
        one.model_copy(update={"unique": None, "rate": None, "meets": None}) if one.estimator in ("rt", "rr") else one
        for one in found.estimates
    ]
    curve = found.curve.model_copy(update={"rt": (), "rr": (), "mean": (), "favourable": (), "unfavourable": ()})
    merges = found.merges and found.merges.model_copy(update={"simulated": None, "exact": False})
    more = {"estimates": tuple(left), "curve": curve, "simulated": None, "merges": merges}
    return found.model_copy(update=more)


def tried(counts: Counts) -> Plan:
    """A plan with an experiment."""
    return ONE.model_copy(update={"experiment": counts.told()})


PLANS = {
    "usual": USUAL,
    "too many": without_counts(USUAL),
    "met": plan(design(".5 .5", "1/3 1/3 1/3", persons=4000)),
    "chance": CHANCE,
    "pilot": PILOT,
    "pilot of some size": PILOT.model_copy(update={"unseen": 0.001}),
    "rare": RARE,
    "too few": plan(design(".5 .5", persons=10)),
    "one person": plan(design("1", persons=1, tolerated=100)),
    "one question": ONE,
    "left out": plan(design(".5 .5", ".9 .1", persons=30)),
    "no freedom": plan(design("1", "1", persons=100)),
    "enough": plan(design("1", persons=1000, tolerated=100)),
    "experiment": tried(Counts(tried=7983, right=4, wrong=10, wanted=100, pairs=53, identical=10, columns=10)),
    "small experiment": tried(Counts(tried=10, right=1, pairs=5, identical=5)),
    "nobody found": tried(Counts(tried=10)),
    "nobody found of many": tried(Counts(tried=10, wanted=5)),
}


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", PLANS)
def test_every_plan_becomes_a_sound_page(name: str, lang: str) -> None:
    made = page(PLANS[name], lang)
    parsed = Parsed(made)
    assert parsed.open == [] and made.startswith(f'<!doctype html>\n<html lang="{lang}"')
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    links = {(attrs["href"] or "").removeprefix("#") for _, attrs in parsed.elements if "href" in attrs}
    assert len(ids) == len(set(ids)) and links <= set(ids)
    assert not re.search(r"\bNone\b|Undefined|\bnan\b|\binf\b", words_of(made))
    for table in re.findall(r"<table.*?</table>", made, re.DOTALL):
        assert "<caption>" in table and all("scope=" in cell for cell in re.findall(r"<th\b[^>]*>", table))
    assert not re.search(r"(?:src|href)=\"(?!#)|@import|url\(|<script", made)
    assert made == page(Plan.model_validate_json(PLANS[name].model_dump_json()), lang)


def test_every_sentence_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Listening(Words.of("de").table)
    monkeypatch.setattr("schleier.report.language._table", lambda lang: table)
    for one in PLANS.values():
        page(one, "de")
        text(one, "de")
    assert sorted(key for key in set(table) - table.heard if key.startswith("plan.")) == []


def test_the_verdict() -> None:
    marks = {name: text(one).mark for name, one in PLANS.items()}
    bad = ("usual", "too many", "rare", "too few", "left out")
    assert [name for name, mark in marks.items() if mark == "bad"] == list(bad)
    assert [name for name, mark in marks.items() if mark == "mind"] == ["chance", "pilot"]
    assert text(USUAL).headline.replace("\u00a0", " ") == (
        "Too many persons would be identifiable: 8.6 %, while 5 % are tolerated."
    )


def test_the_terminal_shows_estimates_merges_and_the_curve() -> None:
    what, alone, merge, persons = text(USUAL).parts
    assert what.rows[1] == ["q1", "3", "3", "1.585"]
    assert [row[:2] for row in alone.rows[:4]] == [
        ["FG, degrees of freedom", "12"],
        ["RT, shares truncated", "0"],
        ["RR, shares rounded", "0"],
        ["ORWELL coefficient", "21.58"],
    ]
    assert merge.said[0] == ("·", "q2: merge 2 + 3 + 4; 2 categories are left.")
    assert "at least 432 persons are needed" in persons.said[0][1]
    assert "250" in [row[0] for row in persons.rows] and len(persons.head) == len(persons.rows[0]) == 6
    assert text(USUAL, "de").parts[2].said[0][1] == "q2: Fassen Sie 2 + 3 + 4 zusammen; 2 Kategorien bleiben."


def test_the_curve_has_a_line_for_each_way_of_estimating() -> None:
    def lines(found: Plan) -> int:
        picture = re.search(r'<figure class="curve">.*?</figure>', page(found), re.DOTALL)
        assert picture is not None
        return picture[0].count("<polyline")

    assert lines(USUAL) == 2 * 5  # each with its sample
    assert lines(PLANS["too many"]) == 2 * 2
    every = [tuple(map(float, pair.split(","))) for pair in re.findall(r"\d+\.\d+,[\d.]+(?=[ \"])", page(USUAL))]
    assert every and all(0 <= x <= 360 and 0 <= y <= 260 for x, y in every)


def test_names_are_escaped() -> None:
    hostile = USUAL.questions[0].model_copy(update={"name": HOSTILE})
    made = page(USUAL.model_copy(update={"questions": (hostile,), "design": HOSTILE}), "de")
    assert "<script" not in made and "&lt;script" in made


def test_a_page_is_written_or_not(tmp_path: Path) -> None:
    write_page(USUAL, "de", tmp_path / "plan.html")
    assert "ORWELL-Koeffizient" in (tmp_path / "plan.html").read_text(encoding="utf-8")
    for out, code in ((tmp_path / "plan.txt", "unknown-format"), (tmp_path / "none" / "plan.html", "cannot-write")):
        with pytest.raises(WriteError) as error:
            write_page(USUAL, "en", out)
        assert error.value.problems[0].code == code
    assert [file.name for file in tmp_path.iterdir()] == ["plan.html"]
    with pytest.raises(RecipeError):
        page(USUAL, "fr")
