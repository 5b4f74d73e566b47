"""Both languages say the same things, and say all of them."""

from __future__ import annotations

import re
import string
from typing import Any

import pytest
from markupsafe import Markup

from report.full import FULL, OTHERS
from report.reading import Listening, english_parts
from report.reports import ENGLISH, MINIMAL, TYPICAL, attack, inference, report, step, verdict
from schleier.core.errors import RecipeError
from schleier.core.measure import Finding
from schleier.flow.release.documents import Report
from schleier.report.attacks import tell_attack
from schleier.report.html import Html
from schleier.report.language import FOLDER, Words, languages, plain
from schleier.report.mind import tell_effects

REPORTS = {"minimal": MINIMAL, "typical": TYPICAL, "full": FULL, **OTHERS}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_there_are_english_and_german() -> None:
    assert languages() == ("de", "en")


def test_the_languages_have_the_same_keys() -> None:
    assert Words.of("de").table.keys() == Words.of("en").table.keys()


def test_their_sentences_have_the_same_fields_up_to_the_number() -> None:
    english, german = Words.of("en").table, Words.of("de").table
    for key in english:
        assert fields(english[key]) - {"n"} == fields(german[key]) - {"n"}, key


def test_every_sentence_is_used_and_none_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Listening(Words.of("de").table)
    monkeypatch.setattr("schleier.report.language._table", lambda lang: table)
    for one in REPORTS.values():
        Html().render(one, "de")
    elsewhere = (
        "inspect.",
        "draft.",
        "cli.",
        "init.",
        "suggest.",
        "plan.",
        "decide.",
        "progress.",
        "card.",
        "advise.",
        "lab.",
        "attempt.",
    )  # other documents, tested with them
    assert sorted(key for key in set(table) - table.heard if not key.startswith(elsewhere)) == []


@pytest.mark.parametrize("name", REPORTS)
def test_no_english_sentence_is_on_a_german_page(name: str) -> None:
    page = Html().render(REPORTS[name], "de")
    text = re.sub(r'<span lang="en">.*?</span>|<style>.*?</style>', "", page, flags=re.DOTALL)
    assert ENGLISH not in text
    assert [part for part in english_parts() if part in text] == []


def test_what_exists_in_english_only_is_marked() -> None:
    page = Html().render(FULL, "de")
    assert page.count(ENGLISH) == page.count(f'<span lang="en">{ENGLISH}</span>') == 7


def test_german_has_its_letters() -> None:
    text = "\n".join(file.read_text(encoding="utf-8") for file in (FOLDER / "de").glob("*.toml"))
    assert not re.search(r"\b(fuer|ueber|koennen|moegl|Schluessel|groesser|heisst)", text)
    assert str(Words.of("de")("glossary.classes.term")) == "Äquivalenzklasse"


@pytest.mark.parametrize("lang", ["fr", "", "en.toml", "../en", "EN"])
def test_a_language_that_does_not_exist(lang: str) -> None:
    with pytest.raises(RecipeError) as error:
        Html().render(MINIMAL, lang)
    assert [(p.code, p.hint) for p in error.value.problems] == [("unknown-language", "there are: de, en")]


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (1234.5, "1,234.5", "1.234,5"),
        (0, "0", "0"),
        (-1_000_000, "−1,000,000", "−1.000.000"),
        (float("nan"), "–", "–"),
        (1e20, "1e+20", "1e+20"),
    ],
)
def test_numbers(value: float, english: str, german: str) -> None:
    assert Words.of("en").number(value) == english
    assert Words.of("de").number(value) == german


@pytest.mark.parametrize(
    ("share", "english", "german"),
    [
        (0, "0 %", "0 %"),
        (1, "100 %", "100 %"),
        (0.5, "50 %", "50 %"),
        (0.003, "0.3 %", "0,3 %"),
        (1 / 30162, "0.0033 %", "0,0033 %"),
        (0.9994, "99.9 %", "99,9 %"),
        (0.99999, "more than 99.9 %", "mehr als 99,9 %"),
        (1e-12, "less than 0.0001 %", "weniger als 0,0001 %"),
    ],
)
def test_shares(share: float, english: str, german: str) -> None:
    assert str(Words.of("en").share(share)).replace("\u00a0", " ") == english
    assert str(Words.of("de").share(share)).replace("\u00a0", " ") == german


def test_parameters_are_shown_as_they_are() -> None:
    words = Words.of("de")
    assert str(words.value(1990)) == "1990"
    assert str(words.value(12_000.5)) == "12.000,5"
    assert "&lt;b&gt;" in words.value({"<b>": ["x"]})


def test_lists() -> None:
    words = Words.of("en")
    assert str(words.listed(["a"])) == "a"
    assert str(words.listed(["a", "b", "c"])) == "a, b and c"
    assert str(words.listed(["a", "b", "<c>"], most=2)) == "a, b and one more"
    german = Words.of("de").listed(["a", "b", "c", "d"], most=2)
    assert str(german) == "a, b und 2 mehr"  # "in a, b und 2 weitere" would be wrong
    assert str(words.listed([])) == ""


def page_of(**more: Any) -> str:
    return Html().render(Report.model_validate(TYPICAL.model_dump() | more))


def test_the_verdict_comes_first_and_in_words() -> None:
    page = re.sub(r"<[^>]+>|\s+", " ", re.sub(r"<style>.*?</style>", "", page_of(), flags=re.DOTALL))
    page = re.sub(r" +", " ", page.replace("\u00a0", " ")).replace(" ,", ",").replace(" ;", ";")
    order = ["meets every criterion demanded", "looks like at least 6 others in", "Data and purpose", "Glossary"]
    places = [page.index(words) for words in order]
    assert places == sorted(places)
    assert "In an experiment with 1,000 persons, an attacker who knows age and sex found between 0 % and 5 %" in page
    assert "of them. Blind guessing would find 0.081 %. That is clearly more than guessing." in page


def test_persons_who_are_found_are_a_problem_whatever_the_criteria_say() -> None:
    found = report(criteria=(verdict(),), attacks=(attack(90, low=0.07, high=0.11),))
    page = Html().render(found)
    assert '<section class="verdict bad"' in page
    assert "The release meets every criterion demanded. Persons can be found in it." in page
    assert '<section class="verdict good"' in Html().render(
        report(criteria=(verdict(),), attacks=(attack(89, low=0.07),))
    )


def test_values_that_are_told_are_a_problem_of_their_own() -> None:
    """What counts is not how often the attacker is right, but how much more often than the same guess for all."""
    page = Html().render(report(criteria=(verdict(),), attacks=(attack(0), inference(640))))
    assert '<section class="verdict bad"' in page
    assert "demanded. What nobody should learn about persons can be told from it." in page
    assert "Persons can be found in it." not in page
    assert "The file gives away the rest: between 15 and 25 percentage points." in page
    assert page.count("against blind guessing</figcaption>") == page.count("guess for all</figcaption>") == 1
    harmless = inference(700, baseline=0.77, difference=0.01, difference_low=-0.01)
    assert '<section class="verdict good"' in Html().render(report(criteria=(verdict(),), attacks=(harmless,)))


def test_steps_do_not_make_more_or_less_of_an_attack_than_it_is() -> None:
    """82.8 % against 78.2 % is not "the rest", 93.8 % against as many not less, and a small share is not nobody."""
    words = Words.of("en")

    def said(one: Finding) -> str:
        return plain(Markup(" ").join(tell_attack(one, 1, words).short)).replace("\u00a0", " ")

    near = inference(828, 1000, baseline=0.782, gained=46)
    assert said(near).endswith(
        "some 80 % of them. In such steps that cannot be told from guessing. Compared person by person it is "
        "more: the file adds more than nothing, and at most 10 percentage points."
    )
    apart = inference(500, 1000, baseline=0.4, gained=500)
    assert "gives away" not in said(apart) and "at most 20 percentage points" in said(apart)
    same = inference(910, 1000, baseline=0.938, gained=0)
    assert "some 95 % of them. Both shares are told in steps: the attacker was right about as often." in said(same)
    assert "is right about less than 5 % of them" in said(inference(300, baseline=0.01))
    assert "Blind guessing would find less than 5 %." in said(attack(0, records=0, baseline=0.0011))


def effects(one: Report) -> dict[str, list[str]]:
    return {column: [plain(said) for said in done] for column, done in tell_effects(one, Words.of("en")).items()}


def test_what_a_search_left_alone_is_unchanged() -> None:
    found = effects(report(steps=(step("coarsen", "age", "sex", levels={"age": 2, "sex": 0}),)))
    assert found == {"age": ["coarsened"]}


@pytest.mark.parametrize("told", ["parameters", "facts"])
def test_what_became_coarser_for_some_records_only_is_not_unchanged(told: str) -> None:
    levels = {"age": 2, "sex": 0, "job": 0}
    further = [{"age": 2, "sex": 0, "job": 0}, {"age": 3, "sex": 1, "job": 0}]
    one = (
        step("coarsen", *levels, levels=levels, further=further)
        if told == "parameters"
        else step("coarsen", *levels, facts=({"levels": levels, "suppressed": 0, "further": further},))
    )
    assert effects(report(steps=(one,))) == {"age": ["coarsened"], "sex": ["coarsened"]}


@pytest.mark.parametrize(("gone", "sex"), [(0, {}), (4, {"sex": ["single values removed"]})])
def test_what_was_blanked_is_not_unchanged(gone: int, sex: dict[str, list[str]]) -> None:
    levels = {"age": 2, "sex": 0}
    one = step("coarsen", *levels, levels=levels, suppressed="blank", suppressed_records=gone)
    assert effects(report(steps=(one,))) == {"age": ["coarsened", *(["single values removed"] if gone else [])], **sex}
    dropped = step("coarsen", *levels, levels=levels, suppressed="drop", suppressed_records=gone)
    assert effects(report(steps=(dropped,))) == {"age": ["coarsened"]}


def test_what_is_not_there_is_said() -> None:
    page = Html().render(MINIMAL)
    for words in ("No criterion was demanded", "No experiment was made", "was not measured", "No purpose was stated"):
        assert words in page
