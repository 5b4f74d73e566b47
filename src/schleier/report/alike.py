"""How many records look alike: criteria on classes, and uniqueness before and after."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from schleier.core.criterion import Verdict
from schleier.core.measure import Finding
from schleier.report import pictures
from schleier.report.criteria import demanded, keys_of, titled
from schleier.report.language import Words, foreign, name

BROKEN = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError)
"""What goes wrong when a document has another form than expected: then its own English sentence is shown."""


@dataclass(frozen=True)
class Judged:
    """A criterion as the page shows it."""

    title: Markup
    holds: bool
    sentences: list[Markup]
    short: Markup
    rest: list[tuple[str, Markup]] = field(default_factory=list)


@dataclass(frozen=True)
class Twins:
    """Uniqueness as the page shows it."""

    before: Markup
    after: Markup
    short: Markup
    unique: int
    picture_before: Markup
    pictures_after: list[Markup]


def judged(verdict: Verdict, words: Words) -> Judged:
    """A verdict in words."""
    try:
        if verdict.criterion == "k_anonymity":
            return _k_anonymity(verdict, words)
        told, sentences, short = demanded(verdict, words)
        return Judged(told, verdict.holds, sentences, short)
    except BROKEN:
        title = name(verdict.name or verdict.criterion)
        met = words("criterion.met" if verdict.holds else "criterion.broken", criterion=title)
        rest = [(key, words.value(value)) for key, value in verdict.parameters.items() if key != "name"]
        return Judged(title, verdict.holds, [foreign(verdict.text)], met, rest)


def _k_anonymity(verdict: Verdict, words: Words) -> Judged:
    k = verdict.parameters["k"]
    title, keys = titled(words("criterion.k_anonymity.title", k=k), verdict), keys_of(verdict, words)
    sentences = [words("criterion.k_anonymity.demand", n=k, keys=keys)]
    if verdict.level is None:
        return Judged(title, verdict.holds, [*sentences, words("criterion.empty")], words("criterion.empty"))
    if verdict.estimate:
        level = words.number(math.floor(verdict.level))
        sentences.append(words("criterion.k_anonymity.persons", level=level))
        if verdict.low is not None and verdict.high is not None:
            low, high = words.number(verdict.low, 4), words.number(verdict.high, 4)
            sentences.append(words("criterion.k_anonymity.interval", low=low, high=high))
        short = words("criterion.k_anonymity.short_persons", level=level, keys=keys)
    else:
        sentences.append(words("criterion.k_anonymity.records", n=verdict.level))
        short = words("criterion.k_anonymity.short", n=verdict.level - 1, keys=keys)
    if verdict.bad_classes:
        sentences.append(words("criterion.k_anonymity.rare", n=verdict.bad_classes, records=verdict.bad_records))
        short = words("criterion.broken", criterion=title)
    policy = verdict.parameters.get("missing", "category")
    sentences.append(words(f"missing.{policy}"))
    return Judged(title, verdict.holds, sentences, short)


def alike(finding: Finding, words: Words) -> Twins | None:
    """Uniqueness in words and pictures; nothing when the finding is something else."""
    try:
        return _alike(finding, words) if finding.name == "uniqueness" else None
    except BROKEN:
        return None


def _alike(finding: Finding, words: Words) -> Twins:
    refuse_endless(finding.detail)
    before, after = finding.detail["before"], finding.detail["after"]
    keys = words.names(finding.detail["keys"])
    old = finding.detail.get("keys_before", finding.detail["keys"])  # a step may have made some of them
    texts = [
        words(
            f"alike.{when}" if part["unique"] else f"alike.{when}_none",
            n=part["unique"],
            total=part["records"],
            share=words.share(part["share"]),
            keys=words.names(names),
        )
        for when, part, names in (("before", before, old), ("after", after, finding.detail["keys"]))
    ]
    if not old:
        texts[0] = words("alike.not_measured")
    short = texts[1]
    if old == finding.detail["keys"]:
        short = _compared(before, after, keys, words)
    texts[1] = Markup(" ").join([texts[1], *_further(finding.detail, words)])
    drawn = [_risks(before, after, words), *_sizes(finding.detail.get("sizes"), words)]
    return Twins(texts[0], texts[1], short, int(after["unique"]), _hundred(before, words), drawn)


def _compared(before: Mapping[str, Any], after: Mapping[str, Any], keys: Markup, words: Words) -> Markup:
    return words(
        "alike.short" if after["unique"] else "alike.short_none",
        n=after["unique"],
        total=after["records"],
        share=words.share(after["share"]),
        before=words.share(before["share"]),
        keys=keys,
    )


def _further(detail: Mapping[str, Any], words: Words) -> Iterator[Markup]:
    """Persons, subgroups and units, where there are any."""
    share = detail["after"].get("weighted_share")
    if isinstance(share, float):
        yield words("measure.weighted_share", share=words.share(share))
    if "weights" in detail.get("cautions", ()):
        yield words("alike.no_weights")
    if by := detail.get("by"):
        columns, worst = words.names(by["columns"]), words.share(by["worst"]) if by["groups"] else ""
        yield words(
            "measure.by" if by["groups"] else "measure.by_none", number=by["groups"], columns=columns, worst=worst
        )
    if units := detail.get("units"):
        yield words("alike.units", n=units["with_unique"], units=units["units"])


def refuse_endless(value: Any) -> None:
    """Nothing can be drawn with numbers that are none."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(value)
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for part in parts:
        refuse_endless(part)


def plain(markup: Any) -> str:
    """Words without their tags, for a picture."""
    return Markup(markup).striptags()


def _hundred(part: Mapping[str, Any], words: Words) -> Markup:
    pairs = part["in_pairs"] / part["records"]
    shares = {"alarm": part["share"], "alert": pairs, "rest": 1 - part["share"] - pairs}
    labels = {
        kind: f"{plain(words(f'picture.hundred.{kind}'))}\n{plain(words.share(max(share, 0)))}"
        for kind, share in shares.items()
    }
    desc = "; ".join(label.replace("\n", ": ") for label in labels.values())
    return pictures.hundred(shares, labels, plain(words("picture.hundred.title")), desc)


def _sizes(sizes: Mapping[str, Any] | None, words: Words) -> Iterator[Markup]:
    if not sizes:
        return
    totals = {when: sum(sizes[when]) or 1 for when in ("before", "after")}
    rows = [
        _bar(words, label.replace("-", "–"), old / totals["before"], new / totals["after"])
        for label, old, new in zip(sizes["bins"], sizes["before"], sizes["after"], strict=True)
    ]
    yield _drawn("sizes", rows, words, aside=52)


def _risks(before: Mapping[str, Any], after: Mapping[str, Any], words: Words) -> Markup:
    def highest(part: Mapping[str, Any]) -> float:
        return 1 / part["smallest"] if part["smallest"] else 0.0

    rows = [_bar(words, plain(words("picture.risks.unique")), before["share"], after["share"])]
    if "average" in before:
        rows.append(_bar(words, plain(words("picture.risks.average")), before["average"], after["average"]))
    rows.append(_bar(words, plain(words("picture.risks.highest")), highest(before), highest(after)))
    return _drawn("risks", rows, words)


def _bar(words: Words, label: str, before: float, after: float) -> pictures.Bar:
    return pictures.Bar(label, after, plain(words.share(after)), before, plain(words.share(before)))


def _drawn(which: str, rows: list[pictures.Bar], words: Words, aside: int = 0) -> Markup:
    legend = plain(words("picture.before")), plain(words("picture.after"))
    told = [f"{r.label}: {legend[0]} {r.before_text}, {legend[1]} {r.after_text}" for r in rows]
    return pictures.bars(rows, plain(words(f"picture.{which}.title")), "; ".join(told), legend, aside)
