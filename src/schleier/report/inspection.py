"""An inspection in words: the verdict, the answers below it, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from schleier.core.measure import Finding
from schleier.flow.inspect import IDENTIFIERS, Inspection
from schleier.report import inspection_parts as parts
from schleier.report.front import Answer, Box, Said
from schleier.report.language import Words, name


@dataclass(frozen=True)
class Seen:
    """Everything the page and the terminal show."""

    title: Markup
    front: Box
    alone: parts.Alone | None
    enough: parts.Enough | None
    single: list[parts.Single]
    others: list[Finding]
    """Findings this report has no words of its own for."""
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
    advice = _next(inspection, enough, single or [], words)
    return Seen(
        title=name(inspection.file) if inspection.file else words("inspect.rows"),
        front=_front(inspection, alone, enough, advice, words),
        alone=alone,
        enough=enough,
        single=single or [],
        others=[finding for finding in inspection.findings if not known.get(finding.name)],
        next=advice,
    )


def _front(
    inspection: Inspection,
    alone: parts.Alone | None,
    enough: parts.Enough | None,
    advice: Sequence[Markup],
    words: Words,
) -> Box:
    named = inspection.having("identifier")
    file = name(inspection.file) if inspection.file else words("inspect.rows")
    facts = words("inspect.file.records", n=len(inspection.columns), file=file, records=inspection.records)
    direct = words("inspect.file.named", n=len(named), columns=words.names(named))
    answers = [
        Answer(
            words("inspect.ask.named"),
            [Said(direct, "bad") if named else Said(words("inspect.file.nobody"))],
        ),
        Answer(words("inspect.ask.what"), [Said(facts)]),
    ]
    if alone:
        said = [Said(alone.keys), Said(alone.short, alone.mark), Said(alone.more[0])]
        answers.append(Answer(words("inspect.ask.alone"), said))
    else:
        answers.append(Answer(words("inspect.ask.alone"), [Said(words("inspect.file.no_keys"), "mind")]))
    if enough:
        answers.append(Answer(words("inspect.ask.enough"), [Said(sentence) for sentence in enough.short]))
    answers.append(Answer(words("inspect.ask.next"), [Said(advice[0])]))
    mark = "bad" if named else alone.mark if alone else "mind"
    headline = alone.headline if alone else words("inspect.verdict.unknown")
    points = sum(one.mark in ("mind", "bad") for answer in answers for one in answer.said)
    return Box(mark, headline, answers, points)


def _next(
    inspection: Inspection, enough: parts.Enough | None, single: Sequence[parts.Single], words: Words
) -> list[Markup]:
    """What helps, most important first; there is always something."""
    found = []

    def add(key: str, columns: Sequence[str]) -> None:
        if columns:
            found.append(words(f"inspect.next.{key}", n=len(columns), columns=words.names(columns)))

    add("drop", inspection.having("identifier"))
    if not inspection.having("quasi"):
        found.append(words("inspect.next.roles"))
    coarser = {column.name for column in inspection.columns if column.hierarchy}
    most = enough.most if enough else []
    add("coarsen", [column for column in most if column in coarser])
    add("hierarchy", [column for column in most if column not in coarser])
    add("telling", [one.name for one in single if one.telling and one.role == "plain"])
    found.append(words("inspect.next.demand"))
    if inspection.having("quasi"):
        found.append(words("inspect.next.complete"))
    return found
