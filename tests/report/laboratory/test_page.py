"""The page of a grid: every sentence in both languages, and pictures that draw intervals."""

from __future__ import annotations

import re

import pytest

from report.test_language import Listening
from schleier.lab.grid.results import GridReport, Slope, Told
from schleier.report.laboratory.page import page
from schleier.report.laboratory.pictures import heat, over_threshold
from schleier.report.laboratory.series import panels
from schleier.report.laboratory.text import text
from schleier.report.language import Words

AXES = {"release": "fine", "technique": "learned_match", "keys": "all", "knowledge": "true", "method": "full"}
SLOPE = Slope(release="fine", technique="learned_match", threshold=0.5, keys="all", knowledge="true")


def report(cells: list[Told], **more: object) -> GridReport:
    plain = {"schleier": "1", "title": "", "techniques": ("learned_match",), "knowledge": ("true",), "runs": 1}
    axes = {"releases": ("fine",), "thresholds": (0.5, 0.9), "keys": {"all": ("age",)}, "method": ("full", "none")}
    return GridReport.model_validate(
        {**plain, **axes, "compared": 0, "obscurity": (), **more, "cells": [one.model_dump() for one in cells]}
    )


def cell(threshold: float | None, low: float, high: float, outcome: str, **more: object) -> Told:
    return Told.model_validate({**AXES, "threshold": threshold, "low": low, "high": high, "outcome": outcome, **more})


ALARM = [
    cell(0.5, 0.4, 0.6, "alarm", right=(0.5, 0.7), claimed=0.8),
    cell(0.9, 0.2, 0.3, "alarm", right=(0.8, 1.0), claimed=0.3),
    cell(0.9, 0.2, 0.3, "alarm", right=(0.8, 1.0), claimed=0.3, method="none", as_at=1),
]
LEARNED = Told.model_validate(
    AXES
    | {"technique": "attribute_inference", "threshold": None, "values": True, "outcome": "alarm", "right": (0.9, 1.0)}
)
REPORTS = {
    "alarm": report(ALARM, compared=3, obscurity=[SLOPE]),
    "several": report(ALARM, compared=9, obscurity=[SLOPE] * 4),
    "wide": report(
        [*ALARM, cell(None, 0.0, 0.2, "guess", release="b", knowledge="c")],
        releases=("fine", "b"),
        knowledge=("true", "c"),
    ),
    "values": report([LEARNED], techniques=("attribute_inference",)),
    "both": report([*ALARM, LEARNED], techniques=("learned_match", "attribute_inference")),
    "better": report([cell(None, 0.0, 0.1, "better", right=None)], compared=2, title="A <b>title</b>"),
    "withheld": report([cell(None, 0.0, 1.0, "withheld")]),
    "unclear": report([cell(None, 0.0, 0.05, "unclear"), cell(None, 0.0, 0.05, "guess", keys="")]),
    "guess": report([cell(None, 0.0, 0.05, "guess"), cell(None, 0.0, 0.05, "withheld", keys="")], compared=1),
}


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", REPORTS)
def test_a_page_stands_alone(name: str, lang: str) -> None:
    html = page(REPORTS[name], lang)
    assert f'<html lang="{lang}"' in html and "<script" not in html and "<b>title" not in html
    assert not re.search(r"(src|href)=\"(?!#)", html)
    assert html.count("<svg") == {"alarm": 6, "several": 6, "both": 6, "wide": 7, "values": 1}.get(name, 2)


def test_every_sentence_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Listening(Words.of("de").table)
    monkeypatch.setattr("schleier.report.language._table", lambda lang: table)
    for one in REPORTS.values():
        page(one, "de")
    unused = {key for key in set(table) - table.heard if key.startswith("lab.")}
    assert {key for key in unused if not key.endswith((".one", ".other", ".zero"))} == set()


def test_an_interval_is_drawn_from_end_to_end() -> None:
    html = page(REPORTS["alarm"])
    assert "40 to 60 %" in html and "80 to 100\u00a0%" in html
    assert 'class="f-heat4"' in html  # up to 60 % are found


def test_cells_whose_low_ends_are_zero_differ_in_shade_and_no_line_runs_between_the_ends() -> None:
    assert [heat(cell(None, 0.0, high, "guess")) for high in (0.0, 0.05, 0.15, 0.5)] == [0, 1, 2, 3]
    drawn = over_threshold(next(panels(REPORTS["alarm"], Words.of("en"))), Words.of("en")) or ""
    lines = [
        [float(y) for _, y in re.findall(r"([\d.]+),([\d.]+)", one)] for one in re.findall('points="(.*?)"', drawn)
    ]
    assert lines[:2] == [[112.0, 59.2], [76.8, 24.0]]  # 50 and 80 %, 70 and 100 %


def test_thresholds_do_not_run_into_each_other() -> None:
    cells = [cell(at, 0.1, 0.2, "better", right=(0.5, 0.7)) for at in (0.5, 0.8, 0.95, 0.97, 0.99)]
    drawn = over_threshold(next(panels(report(cells), Words.of("en"))), Words.of("en")) or ""
    told = [float(at) for at in re.findall(r">([\d.]+)</text>", drawn)]
    assert told == [0.5, 0.8, 0.99]  # both ends stay


def test_a_line_has_the_same_letter_in_every_picture() -> None:
    weak, strong = ({"technique": "exact_match"}, {"technique": "distance_match"})
    cells = [
        cell(None, low, low + 0.1, "better", release=release, **how)
        for release, shares in (("fine", (0.1, 0.5)), ("coarse", (0.5, 0.1)))
        for low, how in zip(shares, (weak, strong), strict=True)
    ]
    drawn = list(panels(report(cells), Words.of("en")))
    assert {one.release for one in drawn} == {"fine", "coarse"}
    letters = [{line.label: line.letter for line in one.series} for one in drawn]
    assert letters[0] == letters[1] and set(letters[0].values()) == {"a", "b"}


def test_experiments_are_named_by_all_that_tells_them_apart() -> None:
    slopes = [SLOPE.model_copy(update={"knowledge": one, "threshold": at}) for one, at in (("true", 0.5), ("c", None))]
    told = report(ALARM, compared=2, obscurity=slopes, knowledge=("true", "c"))
    assert any(
        "(fine, learnt match, all, true, from 0.5 on; fine, learnt match, all, c)" in sentence
        for _, sentence in text(told).said
    )


def test_what_is_not_told_is_not_the_strongest() -> None:
    few = cell(None, 0.0, 1.0, "withheld", technique="exact_match")
    assert heat(few) == 0
    told = " ".join(one for _, one in text(report([few, cell(None, 0.0, 0.2, "better")])).said)
    assert "The strongest was “learnt match”" in told and "100" not in told
    alone = text(report([few]))
    assert alone.mark == "mind" and alone.headline.startswith("Nothing can be told")
    assert "100" not in alone.headline + " ".join(one for _, one in alone.said)


def test_techniques_have_titles_and_shades_and_words_are_explained() -> None:
    html = page(REPORTS["alarm"], "de")
    assert "gelernter Abgleich" in html and "learned_match" not in html
    assert "grau: nicht versucht; oder nicht mitgeteilt" in html and "Was der Angreifer von einer Person weiß" in html
    assert "own way" in page(report([cell(None, 0.0, 0.05, "guess", technique="own way")]))  # a name of its own stays


def test_whoever_learns_a_value_has_found_nobody() -> None:
    told = text(REPORTS["values"])
    assert told.mark == "bad" and told.headline.startswith("Values of persons are told: in the strongest experiment 90")
    assert "were found" not in " ".join(one for _, one in told.said)
    both = text(REPORTS["both"])
    assert both.headline.startswith("Persons are found: in the strongest experiment between 40")
    assert any("attribute" in one and "90 to 100" in one for _, one in both.said)
    assert 'class="f-heat4"' in page(REPORTS["both"])  # by the persons alone
    assert heat(LEARNED) == 0
