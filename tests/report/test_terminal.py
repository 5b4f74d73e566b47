"""The outcome for the terminal: the words of the page without tags; English verdicts have those of the criterion."""

from __future__ import annotations

from typing import Any

import pytest

from report.reports import ENGLISH, attack, cells, finding, report, uniqueness, verdict
from schleier.core.measure import Finding
from schleier.report.attacks import tell_attack
from schleier.report.language import Words, plain
from schleier.report.terminal import finding_lines, verdict_line

GERMAN = Words.of("de")


def line(one: Finding) -> str:
    [(name, text)] = finding_lines(report(findings=(one,)), GERMAN)
    assert name == one.name
    return text.replace("\u00a0", " ")


def test_english_verdicts_have_the_words_of_the_criterion_and_findings_those_of_the_report() -> None:
    assert verdict_line(verdict(), Words.of("en")) == ENGLISH
    told = list(finding_lines(report(findings=(cells(age=0.5), finding("horoscope", 0.5))), Words.of("en")))
    assert told == [
        ("changed_cells", "50 % of the cells in one column differ from the original."),
        ("horoscope", ENGLISH),
    ]


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            uniqueness(410, 36),
            "Bis zu 36 von 1.234 Datensätzen (bis zu 2,9 %) sind einzigartig in age und sex; im Original",
        ),
        (cells(age=0.5, sex=0.0), "25 % der Zellen in 2 Spalten weichen vom Original ab."),
        (finding("precision_loss", 0.8, columns={"age": 0.8}), "80 % der Information in der einen vergröberten Spalte"),
        (finding("similarity", 0.5, compared=2), "Die Verteilungen von 2 Spalten"),
        (finding("horoscope", 0.5), ENGLISH),
        (finding("uniqueness", 0.5, after={}), ENGLISH),
    ],
)
def test_german_lines(one: Any, said: str) -> None:
    assert line(one).startswith(said)


@pytest.mark.parametrize(
    ("lang", "some", "few"),
    [
        ("en", "About 80 % of the claims were false", "Hardly any of the claims were false, if any."),
        ("de", "Etwa 80 % der Behauptungen waren falsch", "Von den Behauptungen war keine oder kaum eine falsch."),
    ],
)
def test_no_share_of_false_claims_is_told_in_words(lang: str, some: str, few: str) -> None:
    words = Words.of(lang)
    one, none = (tell_attack(attack(right, claims=120), 1, words).more for right in (24, 120))
    assert any(plain(line).startswith(some) for line in one) and few in [plain(line) for line in none]


def test_german_verdicts_and_attacks() -> None:
    told = verdict_line(verdict(), GERMAN)
    assert told.startswith("Jede Kombination von Werten in age und sex muss mindestens 5-mal vorkommen oder gar nicht.")
    [(_, text), (name, withheld)] = finding_lines(
        report(attacks=(attack(3),), attacks_withheld=("singling_out",)), GERMAN
    )
    assert name == "singling_out" and "erfährt nur" in withheld
    assert text.startswith(
        "In einem Experiment mit 1.000 Personen fand ein Angreifer, der age und sex kennt, zwischen "
    )


def test_counts_that_were_rounded_upwards_are_told_as_such() -> None:
    """Of a file that is not public counts are told in tens: whoever holds it counts fewer."""
    shut = report(findings=(uniqueness(410, 40),), access="contract")
    for lang, said in (("en", "Up to 40 of 1,234 records (up to 3.2"), ("de", "Bis zu 40 von 1.234 Datensätzen")):
        assert next(finding_lines(shut, Words.of(lang)))[1].startswith(said)
    assert next(finding_lines(shut.model_copy(update={"access": "public"}), Words.of("en")))[1].startswith("40 of")
