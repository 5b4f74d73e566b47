"""An inspection in words: the verdict, the answers below it, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from schleier.flow.inspect.inspect import IDENTIFIERS, Inspection
from schleier.report.front import Answer, Box, Said
from schleier.report.inspection import parts
from schleier.report.inspection.changes import Changes, changes
from schleier.report.language import Words, name
from schleier.report.measured import Measured, measured


@dataclass(frozen=True)
class Seen:
    """Everything the page and the terminal show."""

    title: Markup
    front: Box
    alone: parts.Alone | None
    enough: parts.Enough | None
    single: list[parts.Single]
    changes: Changes | None
    """What would reduce the risk most, where there is one to speak of."""
    others: list[Measured]
    """Findings that have no section of their own."""
    next: list[Markup]


def seen(inspection: Inspection, words: Words) -> Seen:
    """An inspection in the words of a language."""
    alone, enough = parts.alone(inspection, words), parts.enough(inspection, words)
    single = parts.single(inspection, words)
    known = {
        IDENTIFIERS: inspection.having("identifier"),
        "uniqueness": alone,
        "combinations": enough,
        "single_columns": single,
    }
    told = {name for name, part in known.items() if part}
    first = {one.name: one for one in reversed(inspection.findings)}  # a recipe may ask again, with other keys
    others = [one for one in inspection.findings if one.name not in told or one is not first[one.name]]
    risky = alone is not None and alone.mark != "good"
    better = changes(inspection, alone.effect, words) if alone is not None and risky else None
    advice = _next(inspection, better, single or [], words, risky=risky)
    return Seen(
        title=name(inspection.file) if inspection.file else words("inspect.rows"),
        front=_front(inspection, alone, enough, better, advice, words),
        alone=alone,
        enough=enough,
        single=single or [],
        changes=better,
        others=[measured(finding, words) for finding in others],
        next=advice,
    )


def _front(
    inspection: Inspection,
    alone: parts.Alone | None,
    enough: parts.Enough | None,
    better: Changes | None,
    advice: Sequence[Markup],
    words: Words,
) -> Box:
    named = inspection.having("identifier")
    file = name(inspection.file) if inspection.file else words("inspect.rows")
    records = words("inspect.file.records", n=inspection.records)
    columns = words("inspect.file.columns", n=len(inspection.columns))
    facts = words("inspect.file.size", file=file, records=records, columns=columns)
    direct = words("inspect.file.named", n=len(named), columns=words.names(named))
    looked_at = [Said(facts)]
    if skipped := inspection.skipped:
        looked_at.append(Said(words("inspect.skipped", n=len(skipped), measures=words.names(skipped)), "mind"))
    answers = [
        Answer(
            words("inspect.ask.named"),
            [Said(direct, "bad") if named else Said(words("inspect.file.nobody"))],
        ),
        Answer(words("inspect.ask.what"), looked_at),
    ]
    if alone:
        answers.append(Answer(words("inspect.ask.alone"), [Said(alone.keys), *alone.said]))
    else:
        answers.append(Answer(words("inspect.ask.alone"), [Said(words("inspect.file.no_keys"), "mind")]))
    if enough:
        answers.append(Answer(words("inspect.ask.enough"), [Said(sentence) for sentence in enough.short]))
    first = 1 if better is None else len(better.said) + bool(named)  # who is named comes before all changes
    answers.append(Answer(words("inspect.ask.next"), [Said(sentence) for sentence in advice[:first]]))
    mark = "bad" if named else alone.mark if alone else "mind"
    headline = alone.headline if alone else words("inspect.verdict.unknown")
    points = sum(one.mark in ("mind", "bad") for answer in answers for one in answer.said)
    return Box(mark, headline, answers, points)


def _next(
    inspection: Inspection, better: Changes | None, single: Sequence[parts.Single], words: Words, *, risky: bool
) -> list[Markup]:
    """What helps, most important first; there is always something."""
    found = []

    def add(key: str, columns: Sequence[str]) -> None:
        if columns:
            found.append(words(f"inspect.next.{key}", n=len(columns), columns=words.names(columns)))

    add("drop", inspection.having("identifier"))
    if not inspection.having("quasi"):
        found.append(words("inspect.next.roles"))
    found += better.said if better else []
    if risky and better is None:
        found.append(words("inspect.next.many" if inspection.records > 1 else "inspect.next.only"))
    add("telling", [one.name for one in single if one.telling and one.role == "plain"])
    found.append(words("inspect.next.demand"))
    if inspection.having("quasi"):
        found.append(words("inspect.next.complete"))
    return found
