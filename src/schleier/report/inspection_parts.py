"""What an inspection found, part by part: sentences, pictures and rows of tables in the language of the reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from markupsafe import Markup

from schleier.flow.changes.weighing import Effect
from schleier.flow.inspect import Inspection
from schleier.report import pictures
from schleier.report.alike import BROKEN, plain, refuse_endless
from schleier.report.attacks import ALARM
from schleier.report.language import Words
from schleier.report.use import MOST_BARS, SHORT

MOST_ROWS = 40
"""Columns in the table."""
MOST_COMBINATIONS = 4
"""Combinations of each size in the table."""
T = TypeVar("T")


@dataclass(frozen=True)
class Alone:
    """Who stands alone."""

    headline: Markup
    mark: str
    keys: Markup
    short: Markup
    more: list[Markup]
    hundred: Markup
    sizes: Markup
    effect: Effect
    """The risk of the file as it is, to compare changes with."""


@dataclass(frozen=True)
class Combination:
    """Columns that single out so many records together."""

    columns: Markup
    unique: int
    records: str
    share: Markup


@dataclass(frozen=True)
class Enough:
    """Which combinations are enough, and what each column adds."""

    short: list[Markup]
    more: list[Markup]
    added: Markup
    """What the column that adds most adds."""
    rows: list[Combination]
    picture: Markup
    columns: Markup | None


@dataclass(frozen=True)
class Single:
    """A column by itself."""

    name: str
    role: str
    values: str
    effective: str
    alone: Markup
    missing: Markup
    telling: bool
    """Whether it tells most records apart."""


def alone(inspection: Inspection, words: Words) -> Alone | None:
    """Who stands alone; nothing when it was not measured."""
    return _told(inspection, "uniqueness", lambda detail: _alone(detail, words))


def enough(inspection: Inspection, words: Words) -> Enough | None:
    """Which combinations are enough; nothing when it was not measured."""
    return _told(inspection, "combinations", lambda detail: _enough(detail, words))


def single(inspection: Inspection, words: Words) -> list[Single] | None:
    """The columns by themselves, those that single out most first; nothing when it was not measured."""
    roles = {column.name: column.role for column in inspection.columns}
    return _told(inspection, "single_columns", lambda detail: _single(detail, roles, words))


def _told(inspection: Inspection, name: str, tell: Callable[[Mapping[str, Any]], T]) -> T | None:
    """A finding in words; one of another form than expected is left to its own sentence."""
    finding = next((finding for finding in inspection.findings if finding.name == name), None)
    if finding is None:
        return None
    try:
        refuse_endless(finding.detail)
        return tell(finding.detail)
    except BROKEN:
        return None


def _alone(detail: Mapping[str, Any], words: Words) -> Alone:
    part, keys = detail["after"], detail["keys"]
    unique, total = part["unique"], part["records"]
    facts = {"total": total, "share": words.share(part["share"])}
    none = {"total": total, "smallest": part["smallest"]}
    short = words("inspect.alone.unique", n=unique, **facts) if unique else words("inspect.alone.none", **none)
    more = [words("inspect.alone.chance", share=words.share(part["average"]))]
    if pairs := part["in_pairs"]:
        more.append(words("inspect.alone.pairs", n=pairs, share=words.share(pairs / total)))
    headline = words("inspect.verdict.alone", n=unique, **facts) if unique else words("inspect.verdict.nobody")
    mark = "bad" if part["average"] >= ALARM else "mind" if unique else "good"
    told = words("inspect.file.keys", n=len(keys), columns=words.names(keys))
    effect = Effect(unique=unique, share=part["share"], average=part["average"])
    return Alone(headline, mark, told, short, more, _hundred(part, words), _sizes(detail["sizes"], words), effect)


def _hundred(part: Mapping[str, Any], words: Words) -> Markup:
    pairs = part["in_pairs"] / part["records"]
    shares = {"alarm": part["share"], "alert": pairs, "rest": max(1 - part["share"] - pairs, 0.0)}
    labels = {
        kind: f"{plain(words(f'picture.hundred.{kind}'))}\n{plain(words.share(share))}"
        for kind, share in shares.items()
    }
    desc = "; ".join(label.replace("\n", ": ") for label in labels.values())
    return pictures.hundred(shares, labels, plain(words("inspect.picture.hundred")), desc)


def _sizes(sizes: Mapping[str, Any], words: Words) -> Markup:
    total = sum(sizes["after"]) or 1
    pairs = zip(sizes["bins"], sizes["after"], strict=True)
    rows = [_bar(label.replace("-", "–"), count / total, words) for label, count in pairs]
    return _bars(rows, plain(words("picture.sizes.title")), aside=52)


def _enough(detail: Mapping[str, Any], words: Words) -> Enough:
    steps, worst, added = detail["enough"], detail["worst"], detail["columns"]
    short = [
        words("inspect.enough.columns", n=one["columns"], share=words.share(one["share"]))
        for one in steps
        if one["records"]
    ] or [words("inspect.enough.none", n=detail["most"])]
    more = []
    if top := next((found[0] for found in reversed(worst) if found), None):
        facts = {"columns": words.names(top["columns"]), "records": top["unique"], "share": words.share(top["share"])}
        more.append(words("inspect.enough.worst", n=len(top["columns"]), **facts))
    if found := detail["smallest_found"]:
        more.append(words("inspect.enough.smallest", n=found, limit=words.share(detail["limit"])))
    more.append(words("inspect.enough.looked_at", n=detail["looked_at"]))
    if detail["cut"]:
        more.append(words("inspect.enough.cut", n=detail["most"]))
    rows = [
        Combination(words.names(one["columns"]), one["unique"], words.number(one["unique"]), words.share(one["share"]))
        for found in worst
        for one in found[:MOST_COMBINATIONS]
    ]
    bars = [_bar(plain(words("inspect.picture.up_to", n=one["columns"])), one["share"], words) for one in steps]
    picture = _bars(bars, plain(words("inspect.picture.enough")), aside=108)
    order = [column for column in sorted(added, key=lambda c: -added[c]["unique"]) if added[column]["unique"]]
    return Enough(short, more, _most(order, added, words), rows, picture, _adding(order, added, words))


def _most(order: Sequence[str], added: Mapping[str, Any], words: Words) -> Markup:
    if not order:
        return words("inspect.columns.none")
    first = added[order[0]]
    facts = {"column": words.names(order[:1]), "share": words.share(first["share"])}
    return words("inspect.columns.most", n=first["unique"], **facts)


def _adding(order: Sequence[str], added: Mapping[str, Any], words: Words) -> Markup | None:
    if not order:
        return None
    rows = [_bar(column, added[column]["share"], words) for column in order[:MOST_BARS]]
    aside = 108 if max(len(row.label) for row in rows) <= SHORT else 0
    return _bars(rows, plain(words("inspect.picture.columns")), aside)


def _single(detail: Mapping[str, Any], roles: Mapping[str, str], words: Words) -> list[Single]:
    found = detail["columns"]
    return [
        Single(
            name=column,
            role=roles[column],
            values=words.number(found[column]["values"]),
            effective=words.number(found[column]["effective"], 3),
            alone=words.share(found[column]["share"]),
            missing=words.share(found[column]["missing_share"]),
            telling=found[column]["share"] >= 0.5,
        )
        for column in sorted(found, key=lambda c: -found[c]["unique"])
    ]


def _bar(label: str, share: float, words: Words) -> pictures.Bar:
    return pictures.Bar(label, share, plain(words.share(share)))


def _bars(rows: Sequence[pictures.Bar], title: str, aside: int = 0) -> Markup:
    desc = "; ".join(f"{row.label}: {row.after_text}" for row in rows)
    return pictures.bars(rows, title, desc, aside=aside)
