"""A finding in the words of its measure: what is shared by measures, and what happens to one of another form."""

from __future__ import annotations

from pathlib import Path

import pytest
from markupsafe import Markup

from report.reports import ENGLISH, finding, report, step
from schleier.core import registry
from schleier.report.component_words import words_of
from schleier.report.html import Html
from schleier.report.language import Words, plain
from schleier.report.measures import tell_measure
from schleier.report.mind import tell_corrections
from schleier.report.terminal import finding_lines


def test_every_caution_that_has_words_is_given_somewhere() -> None:
    package = Path(registry.__file__).parent.parent
    source = "".join(
        file.read_text(encoding="utf-8") for part in ("risk", "kernels") for file in (package / part).rglob("*.py")
    )
    asked = {
        condition.removeprefix("cautions=")
        for word in registry.names("measure")
        for one in words_of("measure", word).sentences
        for condition in one.when
        if condition.startswith("cautions=")
    }
    assert len(asked) > 40
    assert sorted(code for code in asked if f'"{code}"' not in source) == []


def test_a_finding_in_words() -> None:
    by = {"columns": ["sex"], "groups": 2, "worst": 0.25}
    one = finding("regression", 0.5, compared=3, target="<rent>", by=by)
    said = plain(tell_measure(one, Words.of("en")).sentence)
    assert said.startswith("The confidence intervals of 3 coefficients of a regression of <rent> overlap by 50")
    assert said.endswith("In the worst of 2 subgroups by sex it is 0.25.")
    assert "&lt;rent&gt;" in Html().render(report(findings=(one,)))
    german = [line for _, line in finding_lines(report(findings=(one,)), Words.of("de"))]
    assert german[0].startswith("Die Konfidenzintervalle")


def test_an_interval_is_told_as_the_value_is() -> None:
    words = Words.of("en")
    share = tell_measure(finding("squared_error", 0.5, low=0.25, high=0.75), words)
    assert plain(share.interval or Markup()) == "95 % interval: 25 % to 75 %."
    plainly = tell_measure(finding("similarity", 0.5, low=0.25, high=0.75, compared=3), words)
    assert plain(plainly.interval or Markup()) == "95 % interval: 0.25 to 0.75."
    assert tell_measure(finding("similarity", 0.5, compared=3), words).interval is None


def test_nothing_to_compare_and_no_subgroup() -> None:
    words = Words.of("de")
    assert (
        plain(tell_measure(finding("similarity", 0.0, compared=0), words).sentence) == "Es gab nichts zu vergleichen."
    )
    none = finding("similarity", 0.0, compared=1, by={"columns": ["sex"], "groups": 0, "worst": None})
    assert plain(tell_measure(none, words).sentence).endswith(
        "Keine Teilgruppe nach sex war groß genug für einen Vergleich."
    )


@pytest.mark.parametrize(
    "odd", [finding("tea_leaves", 0.3), finding("regression", 0.3, by=7), finding("ratio_means", 1)]
)
def test_other_forms_keep_their_own_sentence(odd: object) -> None:
    assert tell_measure(odd, Words.of("de")).sentence == f'<span lang="en">{ENGLISH}</span>'  # type: ignore[arg-type]


def test_whether_users_can_correct() -> None:
    noise = {"columns": ["rent"], "kind": "correlated"}
    steps = (step("add_noise", "rent", **noise, d=0.1, public=["d"]), step("multiply_noise", "size", **noise))
    said = [
        plain(one)
        for one in tell_corrections(
            report(
                steps=(*steps, step("horoscope", "x"), step("sample")),
            ),
            Words.of("en"),
        )
    ]
    assert len(said) == 2
    assert "can be corrected" in said[0] and said[1].startswith("Users cannot correct")
