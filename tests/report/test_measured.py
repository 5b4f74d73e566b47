"""Every measure has words in every language, and says when there was nothing to compare or no subgroup."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import Markup

from report.reports import ENGLISH, finding, report, step
from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.report.alike import plain
from schleier.report.html import Html
from schleier.report.language import Words, languages
from schleier.report.lines import finding_lines
from schleier.report.measured import corrected, measured
from schleier.testing import example_populations, example_schema, example_table

SECTIONS = {"changed_cells", "moments", "uniqueness", "generalised_loss", "precision_loss", "entropy_loss"}
"""Measures with a section of their own."""


@pytest.mark.parametrize("lang", languages())
@pytest.mark.parametrize("word", [word for word in registry.names("measure") if word not in SECTIONS])
def test_every_measure_has_words(word: str, lang: str) -> None:
    words = Words.of(lang)
    assert f"measure.{word}.title" in words
    assert f"measure.{word}.found" in words or f"measure.{word}.found.other" in words


@pytest.mark.parametrize("word", [word for word in registry.names("measure") if word not in SECTIONS])
def test_the_words_fit_what_is_found(word: str) -> None:
    declared = registry.get("measure", word)
    data = Dataset.from_frame(example_table(), example_schema())
    data = replace(data, populations=example_populations(data.engine))
    found = declared(**declared.example).measure(Case(data, data), Run(key=bytes(32)))
    for lang in languages():
        assert 'lang="en"' not in measured(found, Words.of(lang)).sentence


def test_every_caution_is_said_somewhere() -> None:
    package = Path(registry.__file__).parent.parent
    source = "".join(
        file.read_text(encoding="utf-8") for part in ("risk", "kernels") for file in (package / part).glob("*.py")
    )
    for key in Words.of("de").table:
        start, _, code = key.partition(".caution.")
        if code:
            assert start.partition(".")[2] in registry.names("measure")
            assert f'"{code}"' in source, key


def test_a_finding_in_words() -> None:
    by = {"columns": ["sex"], "groups": 2, "worst": 0.25}
    one = finding("regression", 0.5, compared=3, target="<rent>", by=by)
    said = plain(measured(one, Words.of("en")).sentence)
    assert said.startswith("The intervals of 3 coefficients of a regression of <rent> overlap by 50")
    assert said.endswith("In the worst of 2 subgroups by sex it is 0.25.")
    assert "&lt;rent&gt;" in Html().render(report(findings=(one,)))
    german = [line for _, line in finding_lines(report(findings=(one,)), Words.of("de"))]
    assert german[0].startswith("Die Vertrauens")


def test_an_interval_is_told_as_the_value_is() -> None:
    words = Words.of("en")
    share = measured(finding("squared_error", 0.5, low=0.25, high=0.75), words)
    assert plain(share.interval or Markup()) == "95 % interval: 25 % to 75 %."
    plainly = measured(finding("similarity", 0.5, low=0.25, high=0.75), words)
    assert plain(plainly.interval or Markup()) == "95 % interval: 0.25 to 0.75."
    assert measured(finding("similarity", 0.5), words).interval is None


def test_nothing_to_compare_and_no_subgroup() -> None:
    words = Words.of("de")
    assert plain(measured(finding("similarity", 0.0, compared=0), words).sentence) == "Es gab nichts zu vergleichen."
    none = finding("similarity", 0.0, compared=1, by={"columns": ["sex"], "groups": 0, "worst": None})
    assert plain(measured(none, words).sentence).endswith(
        "Keine Teilgruppe nach sex war groß genug für einen Vergleich."
    )


@pytest.mark.parametrize(
    "odd", [finding("tea_leaves", 0.3), finding("regression", 0.3, by=7), finding("ratio_means", 1)]
)
def test_other_forms_keep_their_own_sentence(odd: object) -> None:
    assert measured(odd, Words.of("de")).sentence == f'<span lang="en">{ENGLISH}</span>'  # type: ignore[arg-type]


def test_whether_users_can_correct() -> None:
    noise = {"columns": ["rent"], "kind": "correlated"}
    steps = (step("add_noise", "rent", **noise, d=0.1, public=["d"]), step("multiply_noise", "size", **noise))
    said = [
        plain(one)
        for one in corrected(
            report(
                steps=(*steps, step("horoscope", "x"), step("sample")),
            ),
            Words.of("en"),
        )
    ]
    assert len(said) == 2
    assert "can be corrected" in said[0] and said[1].startswith("Users cannot correct")
