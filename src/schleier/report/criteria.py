"""Criteria in plain words: what was demanded, what was reached, and what to mind; each tells itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from schleier.core.criterion import Verdict
from schleier.report.component_words import ComponentWords, with_defaults, words_of
from schleier.report.facts import verdict_facts
from schleier.report.language import Words, foreign, name
from schleier.report.sentence import tell_all
from schleier.report.untold import Untold

FAILING = "bad_classes"


@dataclass(frozen=True)
class CriterionText:
    """A criterion as the page shows it."""

    title: Markup
    holds: bool
    safe: bool
    """Whether it holds without reservation."""
    sentences: list[Markup]
    short: Markup
    """The sentence for the front."""
    rest: list[tuple[str, Markup]] = field(default_factory=list)
    """Parameters nobody put into words."""


def tell_verdict(verdict: Verdict, words: Words) -> CriterionText:
    """A verdict in words; its own English sentence where its criterion has none, or expects another form."""
    own = words_of("criterion", verdict.criterion)
    try:
        return _told(verdict, own, words)
    except Untold:
        title = name(verdict.name) if verdict.name else own.titled({}, words)
        rest = [(key, words.value(value)) for key, value in verdict.parameters.items() if key != "name"]
        return CriterionText(
            title, verdict.holds, verdict.safe, [foreign(verdict.text)], _met(verdict, title, words), rest
        )


def _told(verdict: Verdict, own: ComponentWords, words: Words) -> CriterionText:
    facts = verdict_facts(verdict, with_defaults("criterion", verdict.criterion, verdict.parameters))
    telling = own.telling(words)
    sentences = tell_all(own.sentences, facts, telling)
    if not sentences or own.title is None or not own.title.told(facts, words.lang):
        raise Untold("there are no words for it")
    title = own.title.tell(facts, telling)
    if verdict.name:
        title = Markup("{}, {}").format(title, name(verdict.name))
    sentences += _shared(verdict, own, facts, words)
    short = _met(verdict, title, words)
    if not verdict.records:
        short = words("criterion.empty")
    elif verdict.excluded:
        short = Markup("{} {}").format(short, words("criterion.excluded", n=verdict.excluded))
    elif verdict.safe:
        short = next(iter(tell_all(own.short, facts, telling)), short)
    return CriterionText(title, verdict.holds, verdict.safe, sentences, short)


def _shared(verdict: Verdict, own: ComponentWords, facts: Mapping[str, Any], words: Words) -> list[Markup]:
    """What holds for every criterion, unless it has words of its own for that."""
    told = []
    if not verdict.records:
        told.append(words("criterion.empty"))
    if verdict.bad_classes and not any(FAILING in one.names() for one in own.sentences):
        told.append(words("criterion.failing", n=verdict.bad_classes, records=verdict.bad_records))
    if verdict.excluded:
        told.append(words("criterion.excluded", n=verdict.excluded))
    if (policy := facts.get("missing")) is not None:
        if f"missing.{policy}" not in words:
            raise Untold("no such treatment of missing values")
        told.append(words(f"missing.{policy}"))
    if verdict.category_holds is not None:
        told.append(words("criterion.as_category_met" if verdict.category_holds else "criterion.as_category_broken"))
    return told


def _met(verdict: Verdict, title: Markup, words: Words) -> Markup:
    met = "criterion.met" if verdict.safe else "criterion.met_by_wildcard"
    return words(met if verdict.holds else "criterion.broken", criterion=title)
