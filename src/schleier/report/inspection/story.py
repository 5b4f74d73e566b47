"""An inspection in words: the verdict, the answers below it, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from schleier.core.pieces import piece
from schleier.core.schema import OPEN
from schleier.flow.inspect.inspect import IDENTIFIERS, Inspection
from schleier.report.front import Answer, Box, Remark
from schleier.report.inspection import sections
from schleier.report.inspection.changes import Changes, tell_changes
from schleier.report.language import Words, name
from schleier.report.measures import MeasureText, section_of, tell_measure

MOST_RETURNING = 5
"""Columns that come back, of which the page tells."""


@dataclass(frozen=True)
class Story:
    """Everything the page and the terminal show."""

    title: Markup
    front: Box
    alone: sections.Alone | None
    enough: sections.Enough | None
    single: list[sections.Single]
    changes: Changes | None
    """What would reduce the risk most, where there is one to speak of."""
    others: list[MeasureText]
    """Findings that have no section of their own."""
    next: list[Markup]


@dataclass(frozen=True)
class Heart:
    """What the box at the top is about."""

    alone: sections.Alone | None
    units: sections.Units | None
    enough: sections.Enough | None

    @property
    def mark(self) -> str:
        """The mark of the worst of it."""
        marks = [one.mark for one in (self.alone, self.units) if one is not None]
        return next((mark for mark in ("bad", "mind", "good") if mark in marks), "mind") if self.alone else "mind"

    @property
    def headline(self) -> Markup | None:
        """Who stands alone; units as a whole where they are what is worse."""
        if self.alone is None:
            return None
        unlike = self.units is not None and self.units.mark == "bad" and self.alone.mark != "bad"
        return self.units.headline if unlike and self.units is not None else self.alone.headline


def tell_inspection(inspection: Inspection, words: Words) -> Story:
    """An inspection in the words of a language."""
    alone, enough = sections.tell_alone(inspection, words), sections.tell_enough(inspection, words)
    single = sections.tell_columns(inspection, words)
    units = sections.tell_units(inspection, words)
    shown = {"twins": alone, "units": units, "combinations": enough, "columns": single}
    told = {section for section, part in shown.items() if part}
    first = {section_of(one): one for one in reversed(inspection.findings)}  # a recipe may ask again, with other keys
    named = IDENTIFIERS if inspection.having("identifier") else None
    others = [
        one
        for one in inspection.findings
        if one.name != named and not (section_of(one) in told and one is first[section_of(one)])
    ]
    risky = alone is not None and alone.mark != "good"
    better = tell_changes(inspection, alone.effect, words) if alone is not None and risky else None
    apart = units is not None and units.mark != "good"
    advice = _next(inspection, better, single or [], words, risky=risky, apart=apart)
    return Story(
        title=name(inspection.file) if inspection.file else words("inspect.rows"),
        front=_front(inspection, Heart(alone, units, enough), better, advice, words),
        alone=alone,
        enough=enough,
        single=single or [],
        changes=better,
        others=[tell_measure(finding, words) for finding in others],
        next=advice,
    )


def _front(
    inspection: Inspection,
    heart: Heart,
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
    looked_at = [Remark(facts)]
    if skipped := inspection.skipped:
        looked_at.append(Remark(words("inspect.skipped", n=len(skipped), measures=words.names(skipped)), "mind"))
    answers = [
        Answer(
            words("inspect.ask.named"),
            [Remark(direct, "bad") if named else Remark(words("inspect.file.nobody"))],
        ),
        Answer(words("inspect.ask.what"), looked_at),
    ]
    alone, units, enough = heart.alone, heart.units, heart.enough
    said = [Remark(alone.keys), *alone.said] if alone else [Remark(words("inspect.file.no_keys"), "mind")]
    said += [units.said] if units else []
    said += [*_possible(inspection, words), *_returning(inspection, words)]
    answers.append(Answer(words("inspect.ask.alone"), said))
    if enough:
        answers.append(Answer(words("inspect.ask.enough"), [Remark(sentence) for sentence in enough.short]))
    # Who is named, what nobody judged and what belongs together come before all changes.
    before = bool(named) + bool(inspection.having("undecided")) + (units is not None and units.mark != "good")
    first = before + len(better.said) if better else max(before, 1)
    answers.append(Answer(words("inspect.ask.next"), [Remark(sentence) for sentence in advice[:first]]))
    mark = "bad" if named else heart.mark
    if mark == "good" and (inspection.possible_keys is not None or inspection.returning):
        mark = "mind"  # nobody is alone as far as somebody has looked
    headline = heart.headline or words("inspect.verdict.unknown")
    points = sum(one.mark in ("mind", "bad") for answer in answers for one in answer.said)
    return Box(mark, headline, answers, points)


def _possible(inspection: Inspection, words: Words) -> Iterator[Remark]:
    """What becomes of it if columns that nobody has judged are known too."""
    if (keys := inspection.possible_keys) is not None:
        facts = {"columns": words.names(keys.columns), "more": keys.k_with, "fewer": keys.k_without}
        shares = [words.share(n / inspection.records) for n in (keys.unique_with, keys.unique_without)]
        key = "inspect.possible"
        if keys.k_with == keys.k_without:
            key += "_same" if shares[0] == shares[1] else "_same_k"
        said = words(key, n=len(keys.columns), **facts, unique=shares[0], before=shares[1])
        yield Remark(said, "mind")


def _returning(inspection: Inspection, words: Words) -> Iterator[Remark]:
    """Which columns would give back what is to be hidden."""
    for one in inspection.returning[:MOST_RETURNING]:
        columns = {"column": words.names([one.column]), "sources": words.names(one.sources)}
        shares = {"share": words.share(one.share), "blind": words.share(one.blind)}
        yield Remark(words("inspect.returning", n=len(one.sources), **columns, **shares), "mind")


def _next(
    inspection: Inspection,
    better: Changes | None,
    single: Sequence[sections.Single],
    words: Words,
    *,
    risky: bool,
    apart: bool,
) -> list[Markup]:
    """What helps, most important first; there is always something."""
    found = []

    def add(key: str, columns: Sequence[str], **more: str) -> None:
        if columns:
            found.append(words(f"inspect.next.{key}", n=len(columns), columns=words.names(columns), **more))

    add("drop", inspection.having("identifier"))
    add("decide", inspection.having("undecided"))
    add("units", inspection.having("unit") if apart else [], criterion=piece("units_alike")["criterion"])
    if not inspection.having("quasi"):
        found.append(words("inspect.next.roles"))
    found += better.said if better else []
    if risky and better is None:
        found.append(words("inspect.next.many" if inspection.records > 1 else "inspect.next.only"))
    add("telling", [one.name for one in single if one.telling and one.role in OPEN])
    found.append(words("inspect.next.demand"))
    if inspection.having("quasi"):
        found.append(words("inspect.next.complete"))
    return found
