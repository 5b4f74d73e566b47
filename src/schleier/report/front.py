"""The verdict: what a person who knows nothing of all this must read first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from schleier.core.caution import Caution
from schleier.flow.release.documents import Report, ReportedSequel
from schleier.report.attacks import Experiment, strongest
from schleier.report.criteria import CriterionText
from schleier.report.language import Words, code, name
from schleier.report.measures import section_of, tell_measure
from schleier.report.mind import tell_mind
from schleier.report.twins import Twins

MOST_CAUTIONS = 3
"""So many reservations are told at the top."""


@dataclass(frozen=True)
class Remark:
    """A sentence with its mark: good, bad, mind, or none."""

    text: Markup
    mark: str = ""


@dataclass(frozen=True)
class Answer:
    """A question with its answer."""

    question: Markup
    said: list[Remark]


@dataclass(frozen=True)
class Box:
    """The box at the top."""

    mark: str
    headline: Markup
    answers: list[Answer]
    points: int
    """Sentences that need attention."""
    further: Sequence[Markup] = ()
    """Reservations that are told further below."""


def front_box(
    report: Report,
    criteria: Sequence[CriterionText],
    unique: Sequence[Twins],
    attacks: Sequence[Experiment],
    words: Words,
) -> Box:
    """The box at the top."""
    broken = sum(not one.holds for one in criteria)
    risks = _risk(report, criteria, unique, attacks, words)
    if broken:
        many = words("front.broken", n=broken, total=len(criteria))
        mark, headline = "bad", many if len(criteria) > 1 else words("front.broken_only")
    elif criteria:
        doubtful = report.cautions or not all(one.safe for one in criteria)
        mark, headline = ("mind", words("front.cautious")) if doubtful else ("good", words("front.met"))
    else:
        mark, headline = "mind", words("front.open")
    inferred = any(one.kind == "inferred" and one.mark == "bad" for one in attacks)
    if not broken and (alarms := sum(one.mark == "bad" for one in risks)):
        # What the strongest attack on values found is one of the marked sentences.
        said = ["front.alarm"] * (alarms > inferred) + ["front.alarm_inferred"] * inferred
        mark, headline = "bad", Markup(" ").join([headline, *(words(key) for key in said)])
    first = foremost(report.cautions)
    cautions = [Remark(tell_caution(one, words), "mind") for one in first]
    further = [tell_caution(one, words) for one in report.cautions if one not in first]
    if further:
        cautions.append(Remark(words("caution.more", n=len(further))))
    answers = [
        *([Answer(words("ask.caution"), cautions)] if cautions else []),
        Answer(words("ask.what"), _what(report, words)),
        Answer(words("ask.whom"), _whom(report, words)),
        Answer(words("ask.risk"), risks),
        Answer(words("ask.mind"), [Remark(text) for text in tell_mind(report, words)]),
    ]
    points = sum(one.mark in ("mind", "bad") for answer in answers for one in answer.said) + len(further)
    return Box(mark, headline, answers, points, further)


def tell_caution(caution: Caution, words: Words) -> Markup:
    """A reservation in its sentence, with all columns it is about, and what to type to mend it."""
    columns = words.names(caution.columns, most=len(caution.columns))
    share = words.share(caution.share) if caution.share is not None else ""
    named = {"columns": columns, "sources": words.names(caution.sources), "where": caution.where}
    said = words(f"caution.{caution.code}", n=len(caution.columns), share=share, **named)
    if not caution.command:
        return said
    return Markup("{} {}").format(said, words("caution.command", command=code(caution.command)))


def tell_sequel(found: ReportedSequel, criteria: Sequence[CriterionText], words: Words) -> Markup:
    """What a release and earlier ones tell together, in a sentence or two."""
    said = words("front.after_units" if found.units else "front.after", n=found.earlier, k=found.k, level=found.level)
    if found.k < found.k_alone:
        said += " " + words("front.after_alone", alone=found.k_alone)
    if titles := [criteria[place].title for place in found.criteria]:
        said += " " + words("front.after_also", criteria=words.listed(titles))
    return said


def foremost(cautions: Sequence[Caution]) -> list[Caution]:
    """The first of each code, and no more than are read."""
    return list({one.code: one for one in reversed(cautions)}.values())[::-1][:MOST_CAUTIONS]


def _what(report: Report, words: Words) -> list[Remark]:
    said = words(
        "front.file_made" if report.made_rows else "front.file",
        file=name(report.file),
        n=len(report.columns),
        records=report.records_released,
        total=report.records_read,
    )
    purpose = words("front.purpose", purpose=report.purpose) if report.purpose else words("front.no_purpose")
    return [Remark(said), Remark(purpose, "" if report.purpose else "mind")]


def _whom(report: Report, words: Words) -> list[Remark]:
    access = Remark(words.word("access", report.access or "none"), "" if report.access else "mind")
    need = Remark(words.word("protection", report.protection or "none"), "" if report.protection else "mind")
    return [access, need]


def _risk(
    report: Report,
    criteria: Sequence[CriterionText],
    unique: Sequence[Twins],
    attacks: Sequence[Experiment],
    words: Words,
) -> list[Remark]:
    said = []
    if direct := [column.name for column in report.columns if column.role == "identifier"]:
        said.append(Remark(words("front.identifier", n=len(direct), columns=words.names(direct)), "bad"))
    said += [Remark(one.short, ("good" if one.safe else "mind") if one.holds else "bad") for one in criteria]
    if report.after is not None:
        weaker = report.after.k < report.after.k_alone
        said.append(Remark(tell_sequel(report.after, criteria, words), "mind" if weaker else "good"))
    said += [Remark(one.short, "mind" if one.unique else "good") for one in unique]
    units = [one for one in report.findings if section_of(one) == "units"]
    said += [Remark(tell_measure(one, words).sentence, "mind" if one.value else "good") for one in units]
    learned = [one for one in report.findings if section_of(one) == "classes"]
    said += [Remark(tell_measure(one, words).sentence, "mind" if one.detail.get("sure") else "good") for one in learned]
    if not unique:
        said.append(Remark(words("front.unique_not_measured"), "mind"))
    for most in (best := strongest(attacks)):
        text = Markup(" ").join(most.short)
        counted = sum(one.estimate is not None and one.kind == most.kind for one in attacks)
        if counted > 1:
            text += " " + words("front.strongest" if most.kind == "attacks" else "front.strongest_inferred", n=counted)
        said.append(Remark(text, most.mark))
    if attacks and not best:
        said.append(Remark(words("front.see_attacks", n=len(attacks)), "mind"))
    elif not attacks and not report.attacks_withheld:
        said.append(Remark(words("front.no_attack"), "mind"))
    if report.overrides:
        said.append(Remark(words("front.overrides", n=len(report.overrides)), "mind"))
    return said
