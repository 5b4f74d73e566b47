"""What analysts must mind: which columns and records changed, and whether estimates can be corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from schleier.core.pieces import piece
from schleier.flow.release.documents import Report, ReportedStep
from schleier.report.bars import tell_cells
from schleier.report.component_words import ComponentWords, Effect, declared_of, words_of
from schleier.report.language import Words, code, name
from schleier.report.measures import section_of
from schleier.report.sentence import Sentence
from schleier.report.shifts import tell_shifts
from schleier.report.steps import step_facts, was_idle
from schleier.report.untold import Untold


def tell_effects(report: Report, words: Words) -> dict[str, list[Markup]]:
    """Column -> what was done to it, each said once, in the order of the steps."""
    found: dict[str, list[Markup]] = {}
    same = report.unchanged or ()
    for step in report.steps:
        for column, done in _effects(step, words):
            if column not in same and done not in found.setdefault(column, []):
                found[column].append(done)
    return found


def _effects(step: ReportedStep, words: Words) -> Iterator[tuple[str, Markup]]:
    """Each column a step changed, with what it did; a column may come twice."""
    own, facts = words_of("method", step.method), step_facts(step)
    columns = _changed(step, own, facts)
    if not own.there:
        yield from ((column, words("effect.other")) for column in columns)
    for effect in own.effects:
        if effect.sentence.told(facts, words.lang):
            kept = _kept(effect, facts)
            said = _said(effect.sentence, facts, own, words) or words("effect.other")
            yield from ((column, said) for column in columns if column not in kept)


def _changed(step: ReportedStep, own: ComponentWords, facts: Mapping[str, Any]) -> Sequence[str]:
    """The columns whose values a step may have changed; old documents tell those it read."""
    if step.changed is not None:
        return step.changed
    target = facts.get(own.target)
    return [one for one in target if isinstance(one, str)] if isinstance(target, list) and target else step.columns


def _kept(effect: Effect, facts: Mapping[str, Any]) -> set[str]:
    """Columns that a search looked at and left as they are, for all records."""
    tables = [table for key in effect.kept_where_zero for table in _tables(facts.get(key))]
    changed = {column for table in tables for column, n in table.items() if n != 0}
    return {column for table in tables for column in table} - changed


def _tables(value: Any) -> list[Mapping[str, Any]]:
    """A table of columns, or several of them."""
    if isinstance(value, list | tuple):
        return [one for part in value for one in _tables(part)]
    return [value] if isinstance(value, Mapping) else []


def tell_mind(report: Report, words: Words) -> list[Markup]:
    """What to keep in mind, most important first."""
    found = []
    if left_out := report.columns_left_out:
        found.append(words("mind.left_out", n=len(left_out), columns=words.names(left_out)))
    found += _of_steps(report, words)
    if (missing := report.records_read - report.records_released) > 0 and not report.made_rows:
        share = words.share(report.records_released / report.records_read)
        found.append(words("mind.records", n=missing, share=share))
    found += tell_corrections(report, words)
    cells = [tell_cells(one, words) for one in report.findings if section_of(one) == "cells"]
    if changed := next(filter(None, cells), None):
        found.append(changed.sentences[0])
    elif not report.steps:
        found.append(words("mind.nothing"))
    elif not any(_counts_cells(word) for word in report.findings_withheld):  # of those is said that they are withheld
        found.append(words("mind.not_measured"))
    shifts = [tell_shifts(one, words) for one in report.findings if section_of(one) == "moments"]
    return [*found, *(one.sentences[0] for one in shifts if one), *_limits(report, words)]


def _counts_cells(word: str) -> bool:
    declared = declared_of("measure", word)
    return declared is not None and declared.section == "cells"


def _limits(report: Report, words: Words) -> Iterator[Markup]:
    """What comparisons do not look at, and what is not published."""
    counts = {column: count for column, count in report.not_compared.items() if column}
    if counts:
        few = words("mind.few")
        told = [
            Markup("{} ({})").format(name(c), words.number(int(n)) if n.isdigit() else few) for c, n in counts.items()
        ]
        yield words("mind.not_compared", columns=words.listed(told))
    if report.too_wide:
        yield words("mind.too_wide", measure=name(piece("coming_back")["measure"]))
    if report.findings_withheld:
        titles = [words_of("measure", word).titled({}, words) for word in report.findings_withheld]
        yield words("mind.withheld", n=len(titles), measures=words.listed(titles))


def _of_steps(report: Report, words: Words) -> Iterator[Markup]:
    """What the methods say; a sentence that names only columns is said once, with those of all steps."""
    released = [column.name for column in report.columns]
    found: dict[str, tuple[ComponentWords, Sentence, dict[str, Any]]] = {}
    others: set[str] = set()
    for step in report.steps:
        if was_idle(step, report):
            continue
        own, facts = words_of("method", step.method), step_facts(step)
        changed = {column for column, _ in _effects(step, words)} - set(report.unchanged or ())
        if not own.there:
            others |= changed
        facts["columns"] = [column for column in released if column in changed] or None
        for one in own.mind:
            if one.told(facts, words.lang):
                text = one.texts["en"]["other"]
                key = text if {name for name, _ in one.fields()} <= {"columns"} else f"{text} {facts}"
                together = found.setdefault(key, (own, one, dict(facts)))[2]
                both = {*(together["columns"] or ()), *changed}
                together["columns"] = [column for column in released if column in both] or None
    yield from filter(None, (_said(one, facts, own, words) for own, one, facts in found.values()))
    if columns := [column for column in released if column in others]:
        yield words("mind.other", n=len(columns), columns=words.names(columns))


def _said(one: Sentence, facts: Mapping[str, Any], own: ComponentWords, words: Words) -> Markup | None:
    try:
        return one.tell(facts, own.telling(words))
    except Untold:
        return None


def tell_corrections(report: Report, words: Words) -> Iterator[Markup]:
    """Whether analysts can correct what a step did to their estimates, where that depends on secret parameters."""
    known: dict[bool, list[str]] = {True: [], False: []}
    for step in report.steps:
        method = declared_of("method", step.method)
        if method is not None and method.correction is not None and method.correction.by_secrets and method.secrets():
            known[bool(step.parameters.get("public"))].append(step.label)
    for public, labels in known.items():
        if labels:
            yield words(
                "correct.public" if public else "correct.secret", steps=words.listed([code(label) for label in labels])
            )
