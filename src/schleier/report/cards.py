"""The card of each thing that a notebook shows: names, words and counts, never a value of a protected column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import Any

from markupsafe import Markup

from schleier.core.component import SHOWN, Component
from schleier.core.criterion import Verdict
from schleier.core.measure import Finding
from schleier.core.registry import Kind
from schleier.core.schema import Column, Schema
from schleier.flow.attack.attempt import Attempt
from schleier.flow.inspect.inspect import Inspection
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.documents import Report
from schleier.flow.release.release import Release
from schleier.flow.survey import Plan
from schleier.report.attacks import tell_attack
from schleier.report.attempt import tell_attempt
from schleier.report.card import Card, Cell, Grid, reader, render_card
from schleier.report.component_words import declared_of, with_defaults, words_of
from schleier.report.criteria import tell_verdict
from schleier.report.front import Answer, Box, Remark
from schleier.report.html import tell_front
from schleier.report.inspection.story import tell_inspection
from schleier.report.inspection.text import first_table
from schleier.report.judges import tell_judge
from schleier.report.language import Words, code, name
from schleier.report.measures import tell_measure
from schleier.report.planning.story import tell_plan
from schleier.report.sections import findings_of, tell_section
from schleier.report.steps import tell_step, was_idle


def show(thing: Any) -> str:
    """The card of a thing as HTML, in the language of the reader."""
    words = reader(getattr(thing, "language", None))
    return render_card(card(thing, words), words)


@singledispatch
def card(thing: Any, words: Words) -> Card:
    """What the card of a thing shows; each kind of thing has its own below."""
    raise TypeError(f"there is no card for {type(thing).__name__}")


def _fronted(kicker: Markup, title: Markup | str, front: Box, **more: Any) -> Card:
    """A card that begins with the box at the top of a page."""
    return Card(kicker=kicker, title=title, mark=front.mark, headline=front.headline, answers=front.answers, **more)


@card.register
def _schema(schema: Schema, words: Words) -> Card:
    head = [words(f"card.schema.{key}") for key in ("column", "role", "scale", "judged", "more")]
    rows = [
        [
            _named(column.name, column.title),
            _role(column.role, words),
            words(f"scale.{column.scale}"),
            _judge(column, words),
            words.listed(list(_more(column, schema, words))),
        ]
        for column in schema
    ]
    said = [Remark(words("card.schema.row_key", column=name(schema.row_key)))] if schema.row_key else []
    return Card(
        kicker=words("card.schema.kicker"),
        title=words("card.schema.title", n=len(schema.columns)),
        said=[*said, *_unjudged(schema, words)],
        grids=[Grid(head, rows)],
    )


def _named(column: str, title: str) -> Markup:
    return Markup("{}<br>{}").format(name(column), title) if title else name(column)


def _role(role: str, words: Words) -> Markup:
    return Markup("{} ({})").format(words(f"draft.role.{role}"), code(role))


def _judge(column: Column, words: Words) -> Markup | str:
    return "" if column.role == "undecided" else tell_judge(column, words) or ""


def _more(column: Column, schema: Schema, words: Words) -> Iterator[Markup]:
    """What else is known of a column, counted: labels and codes are values."""
    if column.hierarchy in schema.hierarchies:
        yield words("card.schema.hierarchy", n=schema.hierarchies[column.hierarchy].depth)
    if column.labels:
        yield words("card.schema.labels", n=len(column.labels))
    if column.missing:
        yield words("card.schema.missing", n=len(column.missing))
    if column.decimals is not None:
        yield words("columns.decimals", n=column.decimals)


def _unjudged(schema: Schema, words: Words) -> Iterator[Remark]:
    for key, names in (("undecided", schema.undecided), ("guessed", schema.guessed)):
        if names:
            yield Remark(words(f"card.schema.{key}", n=len(names), columns=words.names(names)), "mind")


@card.register
def _recipe(recipe: Recipe, words: Words) -> Card:
    schema = recipe.schema
    roles = dict.fromkeys(column.role for column in schema)
    who = [Remark(Markup("{}: {}").format(_role(role, words), words.names(schema.having(role)))) for role in roles]
    gone = [one for one in schema.names if one not in recipe.after()]
    left = words("card.recipe.left_out", n=len(gone), columns=words.names(gone)) if gone else words("card.recipe.all")
    head = [words(f"card.recipe.{key}") for key in ("what", "columns", "numbers")]
    parts: list[tuple[str, Kind, Sequence[Component]]] = [
        ("steps", "method", recipe.steps),
        ("criteria", "criterion", recipe.criteria),
        ("measures", "measure", recipe.measures),
        ("attacks", "attack", recipe.attacks),
    ]
    grids = [
        Grid(head, [_entry(kind, one, schema, words) for one in entries], words(f"card.recipe.{part}", n=len(entries)))
        for part, kind, entries in parts
    ]
    without = [Remark(words("card.recipe.no_criteria"), "mind")] if not recipe.criteria else []
    return Card(
        kicker=words("card.recipe.kicker"),
        title=recipe.release.title or recipe.data.file or words("card.recipe.unnamed"),
        said=[*without, *_unjudged(schema, words)],
        answers=[
            Answer(words("card.recipe.who"), who),
            Answer(words("card.recipe.released"), [Remark(left)]),
        ],
        grids=grids,
        notes=[words("card.recipe.next")],
    )


def _entry(kind: Kind, one: Component, schema: Schema, words: Words) -> list[Markup | str]:
    """A component with its columns and numbers; texts and lists may be values of the file, so they are not shown."""
    title = words_of(kind, one.word()).titled(with_defaults(kind, one.word(), one.parameters(public=True)), words)
    word = code(one.word())
    told = [(key, value) for key, value in one.__repr_args__() if key not in SHOWN]
    numbers = [Markup("{} = {}").format(code(key), words.value(value)) for key, value in told]
    columns = [column for column in one.uses(schema) if column in schema]
    called = title if title == word else Markup("{} ({})").format(title, word)
    return [called, words.names(columns), Markup(", ").join(numbers)]


@card.register
def _verdict(verdict: Verdict, words: Words) -> Card:
    told = tell_verdict(verdict, words)
    return Card(
        kicker=words("card.verdict.kicker"),
        mark=_mark(verdict),
        headline=Markup("{}: {}").format(told.title, words("badge.met" if told.holds else "badge.broken")),
        said=[Remark(sentence) for sentence in told.sentences],
    )


def _mark(verdict: Verdict) -> str:
    return ("good" if verdict.safe else "mind") if verdict.holds else "bad"


@card.register
def _finding(finding: Finding, words: Words) -> Card:
    title, sentences = _found(finding, words)
    return Card(
        kicker=words("card.finding.kicker"),
        title=title,
        said=[Remark(sentence) for sentence in sentences],
        notes=[words(f"card.finding.{finding.better}")],
    )


def _found(finding: Finding, words: Words) -> tuple[Markup, list[Markup]]:
    """What a measure or an attack found, under its title."""
    if declared_of("attack", finding.name) is not None:
        told = tell_attack(finding, 1, words)
        return words_of("attack", finding.name).titled({}, words), [*told.short, *told.more]
    measured = tell_measure(finding, words)
    section = tell_section(finding, words)
    sentence = section.short if section else measured.sentence
    return measured.title, [sentence, *([measured.interval] if measured.interval and not section else [])]


@card.register
def _report(report: Report, words: Words) -> Card:
    verdicts = [(one, tell_verdict(one, words)) for one in report.criteria]
    steps = [tell_step(step, words, idle=was_idle(step, report)) for step in report.steps]
    found = [_found(one, words) for one in (*findings_of(report), *report.attacks)]
    told: list[tuple[str, list[list[Cell]]]] = [
        ("steps", [[one.title, Markup(" ").join(one.sentences)] for one in steps]),
        ("criteria", [[Remark(own.title, _mark(one)), Markup(" ").join(own.sentences)] for one, own in verdicts]),
        ("found", [[title, Markup(" ").join(sentences)] for title, sentences in found]),
        ("overrides", [[code(one.where), one.reason] for one in report.overrides]),
    ]
    return _fronted(
        words("page.title"),
        report.title or name(report.file),
        tell_front(report, words),
        grids=[Grid((), rows, words(f"card.report.{key}")) for key, rows in told],
        notes=[words("card.report.whole")],
    )


@card.register
def _release(release: Release, words: Words) -> Card:
    place = "card.release.at" if release.path else "card.release.held"
    folder = code(str(release.path)) if release.path else ""
    return _fronted(
        words("card.release.kicker"),
        release.report.title or name(release.report.file),
        tell_front(release.report, words),
        notes=[words(place, folder=folder), words("card.release.next")],
    )


@card.register
def _inspection(inspection: Inspection, words: Words) -> Card:
    told = tell_inspection(inspection, words)
    head, rows = first_table(told, words)
    return _fronted(
        words("inspect.title"),
        told.title,
        told.front,
        grids=[Grid(head, rows)],
        code=told.changes.toml if told.changes else "",
        code_caption=words("inspect.change.recipe"),
        notes=[Markup("{}: {}").format(one.title, one.sentence) for one in told.others],
    )


@card.register
def _plan(plan: Plan, words: Words) -> Card:
    told = tell_plan(plan, words)
    estimates = [words(f"plan.alone.{key}") for key in ("estimator", "unique", "rate", "meets")]
    questions = [words(f"plan.questions.{key}") for key in ("question", "categories", "used", "bits")]
    return _fronted(
        words("plan.title"),
        told.title,
        told.front,
        grids=[
            Grid(estimates, told.estimates, words("plan.alone.caption")),
            Grid(questions, told.questions, words("plan.questions.heading")),
        ],
        notes=told.notes,
    )


@card.register
def _attempt(attempt: Attempt, words: Words) -> Card:
    told = tell_attempt(attempt, words)
    rows: list[list[Cell]] = [[Remark(one.title, one.mark), Markup(" ").join(one.said)] for one in told.techniques]
    return Card(
        kicker=words("card.attempt.kicker"),
        title=told.title,
        said=[Remark(sentence) for sentence in told.scene],
        grids=[Grid((), rows, words("card.attempt.tried"))],
        notes=told.notes,
    )
