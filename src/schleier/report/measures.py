"""Measures in plain words: each tells itself; what several of them report alike is told here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from schleier.core.measure import Finding
from schleier.report.component_words import declared_of, words_of
from schleier.report.facts import finding_facts
from schleier.report.language import Words, foreign
from schleier.report.sentence import Sentence
from schleier.report.untold import Form, Untold, finite


@dataclass(frozen=True)
class MeasureText:
    """A measure as a table shows it."""

    title: Markup
    sentence: Markup
    finding: Finding
    interval: Markup | None = None
    """The 95 % interval, in per cent where the sentence says the value so."""

    @property
    def risk(self) -> bool:
        """Whether it is about the persons, not about the analyst."""
        declared = declared_of("measure", self.finding.name)
        return declared is not None and declared.kind == "risk"


def section_of(finding: Finding) -> str:
    """The part of the page that shows such findings with a picture; empty for all others."""
    declared = declared_of("measure", finding.name)
    return "" if declared is None else declared.section


def tell_measure(finding: Finding, words: Words) -> MeasureText:
    """A finding in words; its own English sentence where its measure has none, or expects another form."""
    title = words_of("measure", finding.name).titled({}, words)
    try:
        told = own_sentences(finding, {}, words)
        cautions = [text for one, text in told if one is not None and "cautions" in one.asks()]
        found = [text for _, text in told if text not in cautions]  # what is shared refers to the number, so it follows
        sentence = Markup(" ").join([*found, *shared_sentences(finding.detail, words), *cautions])
        interval = _interval(finding, [one for one, _ in told], words)
    except Untold:
        return MeasureText(title, foreign(finding.text), finding)
    return MeasureText(title, sentence, finding, interval)


def own_sentences(finding: Finding, more: Mapping[str, Any], words: Words) -> list[tuple[Sentence | None, Markup]]:
    """What the words of a measure tell of a finding, ``more`` being facts that a section adds; at least one."""
    if finding.detail.get("compared") == 0:
        return [(None, words("measure.nothing"))]
    own = words_of("measure", finding.name)
    facts, telling = {**finding_facts(finding), **more}, own.telling(words)
    told = [(one, one.tell(facts, telling)) for one in own.sentences if one.told(facts, words.lang)]
    if not told:
        raise Untold("there are no words for it")
    return [*told]


def _interval(finding: Finding, told: Sequence[Sentence | None], words: Words) -> Markup | None:
    if finding.low is None or finding.high is None:
        return None
    low, high = finite(finding.low), finite(finding.high)
    shares = {("share", "share"), ("value", "share")}
    if any(one is not None and shares & one.fields() for one in told):
        return words("measure.interval", low=words.share(low), high=words.share(high))
    return words("measure.interval", low=Markup(words.number(low, 3)), high=Markup(words.number(high, 3)))


class Subgroups(Form):
    """The worst of several subgroups, as measures report it."""

    columns: Sequence[str]
    groups: int
    worst: float | None = None


def shared_sentences(
    detail: Mapping[str, Any], words: Words, show: Callable[[float], Markup] | None = None
) -> Iterator[Markup]:
    """The same number of persons instead of records or the other way round, and in the worst of some subgroups."""
    if detail.get("compared") == 0:
        return
    for key in ("weighted_share", "unweighted_share"):
        if isinstance(detail.get(key), float):
            yield words(f"measure.{key}", share=words.share(finite(detail[key])))
    if detail.get("by"):
        by = Subgroups.of(detail["by"])
        columns = words.names(by.columns)
        if by.groups and by.worst is not None:
            worst = show(by.worst) if show else Markup(words.number(by.worst, 3))
            yield words("measure.by", number=by.groups, columns=columns, worst=worst)
        else:
            yield words("measure.by_none", columns=columns)
