"""Measures that have no section of their own: each in one sentence of the reader's language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from schleier.core import registry
from schleier.core.measure import Finding
from schleier.flow.release.documents import Report
from schleier.report.alike import BROKEN, refuse_endless
from schleier.report.language import Words, foreign, name


@dataclass(frozen=True)
class Measured:
    """A measure as a table shows it."""

    title: Markup
    sentence: Markup
    finding: Finding
    interval: Markup | None = None
    """The 95 % interval, in per cent where the sentence says the value so."""

    @property
    def risk(self) -> bool:
        """Whether it is about the persons, not about the analyst."""
        known = self.finding.name in registry.names("measure")
        return known and registry.get("measure", self.finding.name).kind == "risk"


def measured(finding: Finding, words: Words) -> Measured:
    """A finding in words; its own English sentence where there are none."""
    title = words(key) if (key := f"measure.{finding.name}.title") in words else name(finding.name)
    try:
        sentence = Markup(" ").join(_sentences(finding, words))
        return Measured(title, sentence, finding, _interval(finding, sentence, words))
    except BROKEN:
        return Measured(title, foreign(finding.text), finding)


def _interval(finding: Finding, sentence: Markup, words: Words) -> Markup | None:
    if finding.low is None or finding.high is None:
        return None
    ends = finding.low, finding.high
    if words.share(finding.value) in sentence:
        low, high = (words.share(end) for end in ends)
    else:
        low, high = (Markup(words.number(end, 3)) for end in ends)
    return words("measure.interval", low=low, high=high)


@dataclass(frozen=True)
class Told:
    """A number or name of a finding that a sentence may show in several ways: ``{risk}``, ``{risk:share}``."""

    value: Any
    words: Words

    def __html_format__(self, form: str) -> Markup:
        """The value in the reader's language."""
        value = self.value
        if form == "share":
            return self.words.share(value)
        if isinstance(value, str):
            return name(value)
        if isinstance(value, list):
            return self.words.names(value)
        return Markup(self.words.number(value, 3 if isinstance(value, float) else 10))


def _sentences(finding: Finding, words: Words) -> Iterator[Markup]:
    refuse_endless(finding.detail)
    detail, start = finding.detail, f"measure.{finding.name}"
    if detail.get("compared") == 0:
        yield words("measure.nothing")
        return
    values: dict[str, Any] = {key: Told(each, words) for key, each in detail.items() if _shown(each)}
    values |= {"value": Told(float(finding.value), words), "share": words.share(finding.value)}
    values["n"] = detail.get("n", detail.get("compared", 0))
    yield words(f"{start}.found", **values)
    if (f"{start}.more" in words or f"{start}.more.other" in words) and (more := words(f"{start}.more", **values)):
        yield more
    yield from weighed(detail, words)
    if by := detail.get("by"):
        worst = Markup(words.number(by["worst"], 3)) if by["groups"] else ""
        columns = words.names(by["columns"])
        key = "measure.by" if by["groups"] else "measure.by_none"
        yield words(key, number=by["groups"], columns=columns, worst=worst)
    for caution in detail.get("cautions", ()):
        yield words(f"{start}.caution.{caution}", **values)


def weighed(detail: Mapping[str, Any], words: Words) -> Iterator[Markup]:
    """The same number of persons instead of records, or of records instead of persons."""
    for key in ("weighted_share", "unweighted_share"):
        if isinstance(detail.get(key), float):
            yield words(f"measure.{key}", share=words.share(detail[key]))


def _shown(value: Any) -> bool:
    """Whether a sentence can show it: a number, a name, names."""
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return isinstance(value, str | int | float)


def corrected(report: Report, words: Words) -> Iterator[Markup]:
    """Whether analysts can correct what a step did to their estimates."""
    known: dict[bool, list[str]] = {True: [], False: []}
    for step in report.steps:
        if step.method not in registry.names("method") or step.method == "sample":
            continue  # a sample tells its weights by itself
        method = registry.get("method", step.method)
        if method.correction is not None:
            known[bool(step.parameters.get("public"))].append(step.label)
    for public, labels in known.items():
        if labels:
            yield words("correct.public" if public else "correct.secret", steps=words.names(labels))
