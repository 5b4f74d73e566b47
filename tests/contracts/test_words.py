"""Every component tells itself in every language: nothing is missing, nothing is guessed, nothing stays in code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import pytest

from schleier.core import registry
from schleier.core.registry import Kind
from schleier.flow.release.documents import Report
from schleier.report.component_words import ComponentWords, file_of, words_of
from schleier.report.fields import FORMS, SPECIAL
from schleier.report.html import Html
from schleier.report.language import languages
from schleier.report.sentence import Sentence, look_up
from schleier.testing import example_schema

from .documents import KINDS, finding_of, parameters_of, reported_step, seen_facts, verdict_of

Named = tuple[Kind, str]
SYMBOLS = {"k", "l", "t", "m", "p", "c", "n", "d", "alpha", "beta", "delta"}
"""Symbols of the literature."""


@pytest.fixture(autouse=True)
def has_a_place(request: pytest.FixtureRequest) -> None:
    """Sessions, detectors and services have no place in the report of a release yet."""
    if "component" in request.fixturenames and request.getfixturevalue("component")[0] not in KINDS:
        pytest.skip("it is in no report")


def place(kind: Kind, word: str) -> str:
    file = file_of(kind, word)
    return f"{file.parent.name}/{file.name}" if file else word


def every_sentence(own: ComponentWords) -> Iterator[tuple[str, Sentence]]:
    parts = {"title": (own.title,), "means": (own.means,), "sentence": own.sentences, "short": own.short}
    more = {"effect": tuple(one.sentence for one in own.effects), "mind": own.mind, "outcome": own.outcome}
    for part, several in (parts | more).items():
        yield from ((f"{part} {i}", one) for i, one in enumerate(several, 1) if one is not None)


def ours(kind: Kind) -> list[str]:
    return [word for word in registry.names(kind) if registry.get(kind, word).__module__.startswith("schleier.")]


def test_there_are_words(component: Named) -> None:
    kind, word = component
    file = file_of(kind, word)
    if word not in ours(kind) and not (file and file.is_file()):
        pytest.skip("a component of somebody else may do without: its description is shown")
    assert file is not None and file.is_file(), (
        f"add {place(kind, word)} beside its module, with [title] and [[sentence]] in: {', '.join(languages())}"
    )
    own = words_of(kind, word)
    assert own.title, f"{place(kind, word)} has no [title]"
    if kind == "attack":
        assert own.means, f"{place(kind, word)} has no [means]: one or two sentences on how the technique works"
    else:
        assert own.sentences, f"{place(kind, word)} has no [[sentence]] for the report"


def test_every_text_is_in_every_language(component: Named) -> None:
    kind, word = component
    for where, one in every_sentence(words_of(kind, word)):
        missing = [lang for lang in languages() if not one.texts.get(lang)]
        assert not missing, f"{place(kind, word)}, {where}: add the text in {missing}"
        forms = {lang: set(one.texts[lang]) for lang in languages()}
        assert all(found == forms["en"] for found in forms.values()), f"{place(kind, word)}, {where}: forms {forms}"
        assert "other" in forms["en"] and forms["en"] <= {"zero", "one", "other"}, f"{place(kind, word)}, {where}"
        assert bool(one.count) == (len(forms["en"]) > 1), (
            f'{place(kind, word)}, {where}: forms need count = "fact", and count needs forms'
        )
        for form in forms["en"]:
            fields = {lang: set(Sentence({"en": {form: one.texts[lang][form]}}).fields()) for lang in languages()}
            assert all(found == fields["en"] for found in fields.values()), (
                f"{place(kind, word)}, {where}: the languages name different facts: {fields}"
            )


def test_what_it_names_is_there(component: Named) -> None:
    kind, word = component
    own, seen = words_of(kind, word), seen_facts(kind, word)
    known = {*seen, *parameters_of(kind, word), *own.facts}
    for where, one in every_sentence(own):
        for name in one.names():
            top = name.partition(".")[0]
            assert top in known, (
                f"{place(kind, word)}, {where}: '{name}' is no parameter of '{word}', and its example does not report "
                f'it; correct the name, or write facts = ["{name}"] at the top of the file'
            )
            if "." in name and isinstance(seen.get(top), dict):
                assert look_up(seen, name) is not None, f"{place(kind, word)}, {where}: there is no '{name}'"
        odd = {form for _, form in one.fields()} - {"", *FORMS, *SPECIAL}
        assert not odd, f"{place(kind, word)}, {where}: nothing is shown as {odd}; there are: {[*FORMS, *SPECIAL]}"
    declared = {*known, *registry.get(kind, word).model_fields}
    for name in (*own.covers, own.groups, own.target):
        assert not name or name in declared, f"{place(kind, word)}: '{name}' is no parameter and no fact of '{word}'"
    if kind == "method" and own.there:
        step, report = reported_step(word)
        changed = set(step.changed or ()) - set(report.columns_left_out)
        assert own.effects or not changed, f"{place(kind, word)} has no [effect]: what happened to a column, in short"


def test_it_declares_no_fact_in_vain(component: Named) -> None:
    kind, word = component
    own = words_of(kind, word)
    named = {name.partition(".")[0] for _, one in every_sentence(own) for name in one.names()}
    vain = set(own.facts) - named - set(own.covers)
    assert not vain, f"{place(kind, word)}: no sentence names {vain}; take them out of facts"


def test_a_value_shown_as_a_word_has_one(component: Named) -> None:
    kind, word = component
    own, declared = words_of(kind, word), registry.get(kind, word)
    for where, one in every_sentence(own):
        for name, form in one.fields():
            if form != "word":
                continue
            assert name in own.values, f"{place(kind, word)}, {where}: add [values.{name}]"
            for value, called in own.values[name].items():
                assert set(called) == set(languages()), f"{place(kind, word)}: [values.{name}.{value}] in all languages"
            field = declared.model_fields.get(name)
            options = set(_options(field.annotation)) if field else set()
            assert options <= own.values[name].keys(), f"{place(kind, word)}: [values.{name}] lacks values of {name}"


def _options(annotation: Any) -> Iterator[str]:
    if get_origin(annotation) is Literal:
        yield from (str(value) for value in get_args(annotation))
    else:
        for part in get_args(annotation):
            yield from _options(part)


def test_the_file_holds_nothing_else(component: Named) -> None:
    kind, word = component
    file = file_of(kind, word)
    if not words_of(kind, word).there or file is None:
        pytest.skip("it has no words")
    known = {"title", "effect", "mind", "sentence", "short", "outcome", "means", "values", "covers", "facts"}
    odd = tomllib.loads(file.read_text(encoding="utf-8")).keys() - known - {"groups", "target", "kept_where_zero"}
    assert not odd, f"{place(kind, word)}: nobody reads {sorted(odd)}"


def report_of_everything() -> Report:
    """A report that uses every method, criterion, measure and attack."""
    steps = [reported_step(word) for word in ours("method")]
    columns = {column.name: column for _, report in steps for column in report.columns}
    return steps[0][1].model_copy(
        update={
            "columns": tuple(columns.values()),
            "steps": tuple(step for step, _ in steps),
            "criteria": tuple(verdict_of(word) for word in ours("criterion")),
            "findings": tuple(finding_of("measure", word) for word in ours("measure")),
            "attacks": tuple(finding_of("attack", word) for word in ours("attack")),
        }
    )


def test_a_report_that_uses_everything_tells_everything() -> None:
    report = report_of_everything()
    pages = {lang: Html().render(report, lang) for lang in languages()}
    for page in pages.values():
        assert re.findall(r'<span lang="en">.*?</span>', page) == [], "a sentence that exists in English only"
        titles = re.findall(r"<(?:h3|h4|dt|strong)>.*?</(?:h3|h4|dt|strong)>", page)
        assert [title for title in titles if "<code" in title] == [], "a component without a title"
        assert page.count('<p class="recipe">') == len(ours("method"))
    assert sorted(recipe_words(pages["de"], report)) == []
    assert {"columns", "sample", "k"} <= recipe_words(pages["en"], report, symbols=set()), "they would be found"


def recipe_words(page: str, report: Report, symbols: set[str] = SYMBOLS) -> set[str]:
    """Words of the recipe on a page that are neither code nor the name of a column."""
    text = re.sub(r"<style>.*?</style>|<code\b.*?</code>", " ", page, flags=re.DOTALL)
    columns = "|".join(
        re.escape(name).replace("_", "_<wbr>") for name in {*example_schema().names, *(c.name for c in report.columns)}
    )
    text = re.sub(rf'<span class="name" translate="no">({columns})</span>', " ", text)
    text = re.sub(r"<svg.*?</svg>", " ", text, flags=re.DOTALL)  # labels of bars are names of columns
    told = set(re.findall(r"\w+", re.sub(r"<[^>]+>", " ", text)))
    words = {word for kind in KINDS for word in registry.names(kind)}
    parameters = {name for kind in KINDS for word in registry.names(kind) for name in parameters_of(kind, word)}
    return told & (words | parameters) - symbols
