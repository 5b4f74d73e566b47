"""What an inspection found, part by part: sentences, pictures and rows of tables in the language of the reader.

Which finding a part is about says the trait ``section`` of its measure; what it must hold to be shown so is a form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from markupsafe import Markup

from schleier.core.measure import ALARM
from schleier.core.measure import Section as Part
from schleier.flow.inspect.changes.effects import Effect
from schleier.flow.inspect.inspect import Inspection
from schleier.report import pictures
from schleier.report.bars import MOST_BARS, SHORT
from schleier.report.front import Remark
from schleier.report.inspection.forms import Added, AloneDetail, ColumnsDetail, EnoughDetail, Found, SizesAfter
from schleier.report.language import Words, plain
from schleier.report.measures import section_of, tell_measure
from schleier.report.twins import hundred
from schleier.report.untold import Form, Untold

MOST_ROWS = 40
"""Columns in the table."""
MOST_COMBINATIONS = 4
"""Combinations of each size in the table."""
T = TypeVar("T")
F = TypeVar("F", bound=Form)


@dataclass(frozen=True)
class Alone:
    """Who stands alone."""

    headline: Markup
    mark: str
    keys: Markup
    said: list[Remark]
    """Who is unique, and the chance to pick the right record; what makes the verdict is marked."""
    more: list[Markup]
    hundred: Markup
    sizes: Markup
    effect: Effect
    """The risk of the file as it is, to compare changes with."""


@dataclass(frozen=True)
class Units:
    """Which units are unlike all others as a whole."""

    headline: Markup
    mark: str
    said: Remark


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


def tell_alone(inspection: Inspection, words: Words) -> Alone | None:
    """Who stands alone; nothing when it was not measured."""
    return _told(inspection, "twins", AloneDetail, lambda detail: _alone(detail, words))


def tell_units(inspection: Inspection, words: Words) -> Units | None:
    """Which units are unlike all others as a whole, in the words of the measure; nothing when it was not measured."""
    finding = next((finding for finding in inspection.findings if section_of(finding) == "units"), None)
    if finding is None:
        return None
    finding = finding.model_copy(update={"detail": finding.detail | {"before": None}})  # the file is the original
    mark = "bad" if finding.value >= ALARM else "mind" if finding.value else "good"
    headline = words("inspect.verdict.units", share=words.share(finding.value))
    return Units(headline, mark, Remark(tell_measure(finding, words).sentence, mark))


def tell_enough(inspection: Inspection, words: Words) -> Enough | None:
    """Which combinations are enough; nothing when it was not measured."""
    return _told(inspection, "combinations", EnoughDetail, lambda detail: _enough(detail, words))


def tell_columns(inspection: Inspection, words: Words) -> list[Single] | None:
    """The columns by themselves, those that single out most first; nothing when it was not measured."""
    roles = {column.name: column.role for column in inspection.columns}
    return _told(inspection, "columns", ColumnsDetail, lambda detail: _single(detail, roles, words))


def _told(inspection: Inspection, part: Part, form: type[F], tell: Callable[[F], T]) -> T | None:
    """The first finding of a part in words; one of another form than expected is left to its own sentence."""
    finding = next((finding for finding in inspection.findings if section_of(finding) == part), None)
    if finding is None:
        return None
    try:
        return tell(form.of(finding.detail))
    except Untold:
        return None


def _alone(detail: AloneDetail, words: Words) -> Alone:
    part, keys = detail.after, detail.keys
    total = part.records
    effect = Effect(unique=part.unique, share=part.share, average=part.average)
    mark = "good" if effect.small else "bad" if effect.average >= ALARM else "mind"
    said = _said(effect, total, part.smallest, words)
    more = [one.text for one in said]
    if pairs := part.in_pairs:
        more.append(words("inspect.alone.pairs", n=pairs, share=words.share(pairs / total)))
    headline = _headline(effect, total, words)
    told = words("inspect.file.keys", n=len(keys), columns=words.names(keys))
    drawn = hundred(part.share, part.in_pairs / total, plain(words("inspect.picture.hundred")), words)
    return Alone(headline, mark, told, said, more, drawn, _sizes(detail.sizes, words), effect)


def _said(effect: Effect, total: int, smallest: int, words: Words) -> list[Remark]:
    if total == 1:
        return [Remark(words("inspect.alone.only"), "bad")]
    chance = Remark(words("inspect.alone.chance", share=words.share(effect.average)), "bad" if _crowded(effect) else "")
    if not effect.unique:
        return [
            Remark(words("inspect.alone.none", total=total, smallest=smallest), "good" if effect.small else ""),
            chance,
        ]
    facts = {"total": total, "share": words.share(effect.share)}
    mark = "bad" if effect.share >= ALARM else "mind"
    return [Remark(words("inspect.alone.unique", n=effect.unique, **facts), mark), chance]


def _crowded(effect: Effect) -> bool:
    """Whether few are alone, and yet the groups are so small that people are easily found."""
    return effect.share < ALARM <= effect.average


def _headline(effect: Effect, total: int, words: Words) -> Markup:
    if total == 1:
        return words("inspect.verdict.only")
    if _crowded(effect):
        return words("inspect.verdict.chance", share=words.share(effect.average))
    if not effect.unique:
        return words("inspect.verdict.nobody")
    return words("inspect.verdict.alone", n=effect.unique, total=total, share=words.share(effect.share))


def _sizes(sizes: SizesAfter, words: Words) -> Markup:
    if len(sizes.bins) != len(sizes.after):
        raise Untold("sizes of another length")
    total = sum(sizes.after) or 1
    pairs = zip(sizes.bins, sizes.after, strict=True)
    rows = [_bar(label.replace("-", "–"), count / total, words) for label, count in pairs]
    return _bars(rows, plain(words("picture.sizes.title")), aside=52)


def _enough(detail: EnoughDetail, words: Words) -> Enough:
    steps, worst, added = detail.enough, detail.worst, detail.columns
    counts = [0, *(one.records for one in steps)]
    short = [
        words("inspect.enough.columns", n=one.columns, share=words.share(one.share))
        for one, fewer in zip(steps, counts, strict=False)
        if one.records > fewer
    ] or [words("inspect.enough.none", n=detail.most)]
    more = []
    if top := max((found[0] for found in worst if found), key=lambda one: one.unique, default=None):
        facts = {"columns": words.names(top.columns), "records": top.unique, "share": words.share(top.share)}
        more.append(words("inspect.enough.worst", n=len(top.columns), **facts))
    if found := detail.smallest_found:
        more.append(words("inspect.enough.smallest", n=found, limit=words.share(detail.limit)))
    more.append(words("inspect.enough.looked_at", n=detail.looked_at))
    if detail.cut:
        more.append(words("inspect.enough.cut", n=detail.most))
    rows = [
        Combination(words.names(one.columns), one.unique, words.number(one.unique), words.share(one.share))
        for found in worst
        for one in islice((one for one in found if not _more_than_needed(one, worst)), MOST_COMBINATIONS)
    ]
    bars = [_bar(plain(words("inspect.picture.up_to", n=one.columns)), one.share, words) for one in steps]
    picture = _bars(bars, plain(words("inspect.picture.enough")), aside=108)
    order = [column for column in sorted(added, key=lambda c: -added[c].unique) if added[column].unique]
    return Enough(short, more, _most(order, added, words), rows, picture, _adding(order, added, words))


def _more_than_needed(one: Found, worst: Sequence[Sequence[Found]]) -> bool:
    """Whether fewer of the columns single out as many."""
    columns, smaller = set(one.columns), worst[: max(len(one.columns) - 1, 0)]
    return any(set(fewer.columns) < columns and fewer.unique >= one.unique for row in smaller for fewer in row)


def _most(order: Sequence[str], added: Mapping[str, Added], words: Words) -> Markup:
    if not order:
        return words("inspect.columns.none")
    first = added[order[0]]
    facts = {"column": words.names(order[:1]), "share": words.share(first.share)}
    return words("inspect.columns.most", n=first.unique, **facts)


def _adding(order: Sequence[str], added: Mapping[str, Added], words: Words) -> Markup | None:
    if not order:
        return None
    rows = [_bar(column, added[column].share, words) for column in order[:MOST_BARS]]
    aside = 108 if max(len(row.label) for row in rows) <= SHORT else 0
    return _bars(rows, plain(words("inspect.picture.columns")), aside)


def _single(detail: ColumnsDetail, roles: Mapping[str, str], words: Words) -> list[Single]:
    found = detail.columns
    if not found.keys() <= roles.keys():
        raise Untold("columns that are not in the file")
    return [
        Single(
            name=column,
            role=roles[column],
            values=words.number(found[column].values),
            effective=words.number(found[column].effective, 3),
            alone=words.share(found[column].share),
            missing=words.share(found[column].missing_share),
            telling=found[column].share >= 0.5,
        )
        for column in sorted(found, key=lambda c: -found[c].unique)
    ]


def _bar(label: str, share: float, words: Words) -> pictures.Bar:
    return pictures.Bar(label, share, plain(words.share(share)))


def _bars(rows: Sequence[pictures.Bar], title: str, aside: int = 0) -> Markup:
    desc = "; ".join(f"{row.label}: {row.after_text}" for row in rows)
    return pictures.bars(rows, title, desc, aside=aside)
