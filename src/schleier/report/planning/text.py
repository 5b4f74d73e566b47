"""A plan for the terminal: the same sentences, without their tags."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from schleier.flow.survey import Plan
from schleier.report.inspection.text import MARKS
from schleier.report.language import Words, plain
from schleier.report.planning.story import tell_plan

CURVE = ("fg", "rt", "rr", "orwell")


@dataclass(frozen=True)
class Part:
    """A title with sentences and a table below it."""

    title: str
    said: list[tuple[str, str]]
    """Mark and sentence."""
    head: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Text:
    """What a terminal shows, all of it plain text."""

    headline: str
    mark: str
    parts: list[Part]


def text(plan: Plan, lang: str = "en") -> Text:
    """The words of a plan in a language."""
    words = Words.of(lang)
    seen = tell_plan(plan, words)
    what, alone, merge, _ = seen.front.answers

    def part(title: Markup, said: list[tuple[str, Markup]], head: list[Markup], rows: list[list[Markup]]) -> Part:
        marked = [(MARKS.get(mark, "·"), plain(one)) for mark, one in said]
        return Part(plain(title), marked, list(map(plain, head)), [list(map(plain, row)) for row in rows])

    def heads(group: str, *keys: str) -> list[Markup]:
        return [words(f"plan.{group}.{key}") for key in keys]

    estimates = heads("alone", "estimator", "unique", "rate", "meets")
    questions = heads("questions", "question", "categories", "used", "bits")
    numbers = [words("plan.persons.count"), *heads("short", *CURVE), words("plan.short.mean")]
    notes = [("", note) for note in seen.notes]
    return Text(
        plain(seen.front.headline),
        seen.front.mark,
        [
            part(what.question, [(one.mark, one.text) for one in what.said], questions, seen.questions),
            part(alone.question, [(s.mark, s.text) for s in alone.said] + notes, estimates, seen.estimates),
            part(merge.question, [(one.mark, one.text) for one in seen.merges], [], []),
            part(words("plan.ask.persons"), [("", one) for one in seen.persons], numbers, seen.curve),
        ],
    )
