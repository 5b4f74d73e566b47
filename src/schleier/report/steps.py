"""What was done, step by step: every method tells itself, and what nobody told is listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from schleier.core.amount import FEWER
from schleier.flow.release.documents import Report, ReportedStep
from schleier.report.component_words import ComponentWords, with_defaults, words_of
from schleier.report.language import Words, code, name
from schleier.report.untold import Untold

COVERED = ("name", "public")
"""Parameters that the page tells elsewhere."""
MANY = 40
"""Old values behind a new one that are shown."""


@dataclass(frozen=True)
class StepText:
    """A step as the page shows it."""

    title: Markup
    label: str
    word: str
    sentences: list[Markup]
    rest: list[tuple[str, Markup]] = field(default_factory=list)
    """Parameters and facts that no sentence told."""
    groups: list[tuple[Markup, Markup]] = field(default_factory=list)
    """New values with the old ones behind them."""


def tell_step(step: ReportedStep, words: Words, *, idle: bool = False) -> StepText:
    """A step in words; where its method has none, or expects another form, what it is and its parameters."""
    own = words_of("method", step.method)
    title = own.titled({}, words)
    if idle:
        title = words("step.idle", step=title)
    try:
        told = _told(step, own, words)
        return StepText(title, step.label, step.method, told[0], told[1], list(_groups(step, own, words)))
    except Untold:
        other = words("step.other", n=len(step.columns), columns=words.names(step.columns))
        sentence = None if own.there else own.sentence()
        rest = [(key, _shown(value, step, words)) for key, value in _listed(step).items()]
        return StepText(title, step.label, step.method, [sentence or other], rest)


def was_idle(step: ReportedStep, report: Report) -> bool:
    """Whether a step left everything as it was; an older report does not tell."""
    if report.unchanged is None or step.changed is None or not step.same_rows:
        return False
    released = {column.name for column in report.columns}
    return {*step.columns, *step.changed} <= released and set(step.changed) <= set(report.unchanged)


def _told(step: ReportedStep, own: ComponentWords, words: Words) -> tuple[list[Markup], list[tuple[str, Markup]]]:
    facts = step_facts(step)
    telling = own.telling(words, frozenset(step.parameters))
    told = [one for one in own.sentences if one.told(facts, words.lang)]
    if not told:
        raise Untold("there are no words for it")
    named = {fact.partition(".")[0] for one in told for fact in one.names()} | {*own.covers, own.groups}
    asked = {fact.partition(".")[0] for one in own.sentences for fact in one.names()}
    rest = {
        key: value for key, value in _listed(step).items() if key not in named and (value or key not in asked)
    }  # that nothing happened needs no telling where a sentence would have told what happened
    shown = [(key, _shown(value, step, words)) for key, value in rest.items()]
    return [one.tell(facts, telling) for one in told], shown


def step_facts(step: ReportedStep) -> dict[str, Any]:
    """What the words of a method may name: parameters with their defaults, and what the step reported."""
    facts = with_defaults("method", step.method, {**reported_facts(step), **step.parameters})
    return facts if facts.get("columns") else {**facts, "columns": list(step.columns)}


def reported_facts(step: ReportedStep) -> dict[str, Any]:
    """What a step reported, by name; what it reported several times is a list."""
    found: dict[str, list[Any]] = {}
    for facts in step.facts:
        for key, value in facts.items():
            found.setdefault(key, []).append(value)
    return {key: values if values[1:] else values[0] for key, values in found.items()}


def _listed(step: ReportedStep) -> dict[str, Any]:
    """Parameters and facts that a table may show."""
    every = {**reported_facts(step), **step.parameters}
    return {key: value for key, value in every.items() if value is not None and key not in COVERED}


def _shown(value: Any, step: ReportedStep, words: Words) -> Markup:
    """A value in the table: columns are names, other words belong to the recipe."""
    if isinstance(value, Mapping):
        pairs = [Markup("{}: {}").format(_shown(str(k), step, words), _shown(v, step, words)) for k, v in value.items()]
        return Markup(", ").join(pairs)
    if isinstance(value, list | tuple):
        return Markup(", ").join(_shown(one, step, words) for one in value)
    if value == FEWER:
        return words("mind.few")
    if isinstance(value, str):
        return name(value) if value in step.columns else code(value)
    return words.value(value)


def _groups(step: ReportedStep, own: ComponentWords, words: Words) -> Iterator[tuple[Markup, Markup]]:
    """The new values of a recoding with the old ones behind them."""
    table = step.parameters.get(own.groups)
    if not isinstance(table, Mapping):
        return
    groups: dict[str, list[str]] = {}
    for old, new in table.items():
        groups.setdefault(str(new), []).append(str(old))
    for new, behind in groups.items():
        yield name(new), words.names(behind, most=MANY)
