"""Words are found beside a component, wherever it is; one without words is told by its description."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from report.reports import column, finding, report, step, verdict
from schleier.core import registry
from schleier.report.component_words import file_of, with_defaults, words_of
from schleier.report.criteria import tell_verdict
from schleier.report.html import Html
from schleier.report.language import Words, plain
from schleier.report.measures import tell_measure
from schleier.report.mind import tell_effects
from schleier.report.steps import tell_step

GERMAN = Words.of("de")
SOURCE = '''"""Methods of somebody else."""
from schleier.core.component import secret
from schleier.core.method import Method


class Stir(Method):
    """Stir the values of a column slowly. This takes a while."""

    column: str
    """The column."""
    speed: int = 3
    """Turns."""
    spoon: str = secret("silver")
    """Nobody knows."""

    def apply(self, data, run):
        return data


class Bake(Stir):
    """Bake a column."""
'''
WORDS = """
covers = ["oven"]
kept_where_zero = ["turns"]

[title]
en = "Stirred"
de = "Umgerührt"

[effect]
en = "stirred"
de = "umgerührt"

[[mind]]
en = "Stirred: {columns}."
de = "Umgerührt: {columns}."

[[sentence]]
en = "{column} was stirred {speed} times."
de = "{column} wurde {speed}-mal umgerührt."

[[sentence]]
when = ["lumps"]
en = "It has lumps."
de = "Es gibt Klumpen."
"""


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A package of somebody else with two methods, one of which tells itself."""
    (tmp_path / "kitchen_of_others.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "stir.toml").write_text(WORDS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("kitchen_of_others")
    theirs = {"stir": module.Stir, "bake": module.Bake}
    names, get = registry.names, registry.get
    monkeypatch.setattr(registry, "names", lambda kind: [*names(kind), *(theirs if kind == "method" else ())])
    monkeypatch.setattr(registry, "get", lambda kind, word: theirs.get(word) or get(kind, word))
    yield module
    del sys.modules["kitchen_of_others"]


@pytest.mark.usefixtures("kitchen")
def test_words_beside_the_module_of_somebody_else(tmp_path: Path) -> None:
    assert file_of("method", "stir") == tmp_path / "stir.toml"
    told = tell_step(step("stir", "tea", column="tea", facts=({"oven": 3, "lumps": 0, "heat": "high"},)), GERMAN)
    assert plain(told.title) == "Umgerührt"
    assert [plain(one) for one in told.sentences] == ["tea wurde 3-mal umgerührt."]
    assert told.rest == [("heat", '<code translate="no">high</code>')]


@pytest.mark.usefixtures("kitchen")
def test_a_component_without_words_is_told_by_its_description() -> None:
    told = tell_step(step("bake", "tea", column="tea", speed=2), GERMAN)
    assert told.title == '<code translate="no">bake</code>'
    assert told.sentences == ['<span lang="en">Bake a column.</span>']
    assert [(key, plain(value)) for key, value in told.rest] == [("column", "tea"), ("speed", "2")]
    page = Html().render(report(steps=(step("bake", "tea"),), columns=(column("tea"),)), "de")
    assert "verändert (siehe Schritt" in page and "Auf andere Weise verändert" in page


@pytest.mark.usefixtures("kitchen")
def test_a_fact_of_another_form_leaves_the_parameters() -> None:
    told = tell_step(step("stir", "tea", column="tea", speed=float("inf")), GERMAN)
    assert [plain(one) for one in told.sentences] == ["Dieser Schritt veränderte die Spalte tea."]
    assert [key for key, _ in told.rest] == ["column", "speed"]


@pytest.mark.usefixtures("kitchen")
def test_what_a_step_changed_is_said_of_these_columns() -> None:
    one = step("stir", "tea", "milk", column="tea", turns={"tea": 2, "milk": 0})
    columns = (column("tea"), column("milk"), column("sugar"))
    assert tell_effects(report(steps=(one,), columns=columns), GERMAN) == {"tea": ["umgerührt"]}
    told = one.model_copy(update={"changed": ("sugar",)})
    assert tell_effects(report(steps=(told,), columns=columns), GERMAN) == {"sugar": ["umgerührt"]}
    page = Html().render(report(steps=(one, told, told), columns=columns), "de")
    assert page.count("Umgerührt: ") == 2, "once in the box, once below: a sentence is said once for all columns"


@pytest.mark.usefixtures("kitchen")
def test_a_default_is_a_fact_unless_it_is_secret() -> None:
    assert with_defaults("method", "stir", {"column": "tea", "name": "x"}) == {"column": "tea", "speed": 3}
    assert with_defaults("method", "stir", {"spoon": "wood"})["spoon"] == "wood", "published on purpose"


def test_secret_limits_are_never_told() -> None:
    for word in ("dominance", "p_percent"):
        facts = with_defaults("criterion", word, {"columns": ["income"]})
        assert not {"n", "k", "p"} & facts.keys()
        told = tell_verdict(verdict(word, parameters={"columns": ["income"]}, level=None), GERMAN)
        assert not any(sign.isdigit() for sentence in told.sentences for sign in plain(sentence))


def test_a_component_nobody_knows() -> None:
    assert not words_of("method", "horoscope").there and words_of("method", "horoscope").sentence() is None
    told = tell_step(step("horoscope", "stars", moon=1), GERMAN)
    assert plain(told.sentences[0]) == "Dieser Schritt veränderte die Spalte stars."
    assert tell_measure(finding("horoscope", 0.5), GERMAN).title == '<code translate="no">horoscope</code>'


def test_a_verdict_of_another_form_keeps_its_own_sentence() -> None:
    for odd in ({}, {"k": float("inf")}, {"k": 5, "missing": "sometimes"}):
        told = tell_verdict(verdict(parameters=odd), GERMAN)
        assert [one.startswith('<span lang="en">') for one in told.sentences] == [True]
