"""The changes that would reduce the risk most, in words, as a picture and as steps of a recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from schleier.flow.inspect.changes.best import Change
from schleier.flow.inspect.changes.effects import Effect
from schleier.flow.inspect.inspect import Inspection
from schleier.report import pictures
from schleier.report.language import Words, name, plain

FEW = 5
"""A column with so few values hardly becomes coarser without telling nothing."""


@dataclass(frozen=True)
class Row:
    """One change as a table shows it."""

    what: Markup
    alone: Markup | None
    together: Markup
    kept: Markup


@dataclass(frozen=True)
class Changes:
    """The changes, the one that does most first."""

    said: list[Markup]
    """Each with what it does."""
    last: Markup
    """What all of them do together."""
    rows: list[Row]
    picture: Markup
    toml: str


def tell_changes(inspection: Inspection, before: Effect, words: Words) -> Changes | None:
    """What was measured about changes; nothing when there are none."""
    found = inspection.changes
    if not found:
        return None
    bare = {column.name for column in inspection.columns if not column.hierarchy}
    whats = [_what(change, bare, inspection.records, words) for change in found]
    last = words("inspect.change.last", n=len(found), **_fall(before, found[-1].together, words))
    rows = [
        Row(
            what,
            words.share(change.alone.share) if change.alone else None,
            words.share(change.together.share),
            words.share(change.kept),
        )
        for what, change in zip(whats, found, strict=True)
    ]
    return Changes(
        last=last,
        said=[_said(i, what, found, before, words) for i, what in enumerate(whats)],
        rows=rows,
        picture=_picture(found, before, words),
        toml="\n".join(change.toml for change in found),
    )


def _what(change: Change, bare: set[str], records: int, words: Words) -> Markup:
    """What is done, without a full stop."""
    column, by, key = name(change.columns[0]), change.by, f"inspect.change.{change.kind}"
    if change.kind == "dates":
        said = words(f"{key}.{by}", column=column)
    elif change.kind == "level":
        before, after = change.values or (0, 0)
        said = words(key, column=column, level=by, before=before, n=after)
    elif change.kind == "blank":
        share = words.share(change.blanked / records)
        said = words(key, n=change.blanked, least=by, share=share)
    elif change.follows:
        gone, given = (words.names(names) for names in ((*change.columns, *change.dropped), change.follows))
        return words("inspect.change.follows", n=1 + len(change.dropped), columns=gone, sources=given)
    elif change.kind == "drop":
        coarser = change.columns[0] in bare and change.values is not None and change.values[0] > FEW
        said = words("inspect.change.drop_bare" if coarser else key, column=column)
    else:
        said = words(key, n=by if isinstance(by, int | float) else None, column=column)
    if change.dropped:
        columns = words.names(change.dropped)
        return words("inspect.change.with", what=said, columns=columns)
    return said


def _said(place: int, what: Markup, found: Sequence[Change], before: Effect, words: Words) -> Markup:
    """What is done and what it does; from the second on together with those before."""
    earlier = found[place - 1].together if place else before
    told = _fall(before, found[place].together, words)
    if _fall(before, earlier, words) == told:
        return words("inspect.change.later", what=what)
    key = "then" if place else "begin"
    return words(f"inspect.change.{key}" if before.unique else f"inspect.change.{key}_chance", what=what, **told)


def _fall(before: Effect, after: Effect, words: Words) -> dict[str, Any]:
    return {
        "before": words.share(before.share),
        "after": words.share(after.share),
        "chance_before": words.share(before.average),
        "chance": words.share(after.average),
    }


def _picture(found: tuple[Change, ...], before: Effect, words: Words) -> Markup:
    """Unique records as the file is, and after one change after the other; the chance where nobody is unique."""

    def height(effect: Effect) -> float:
        return effect.share if before.unique else effect.average

    title = plain(words("inspect.change.picture" if before.unique else "inspect.change.picture_chance"))
    labels = [plain(words("inspect.change.as_it_is"))]
    for change in found:
        rare = change.kind == "blank"
        labels.append(f"+ {plain(words('inspect.change.rare_ones')) if rare else change.columns[0]}")
    effects = [before, *(change.together for change in found)]
    bars = [
        pictures.Bar(label, height(effect), plain(words.share(height(effect))))
        for label, effect in zip(labels, effects, strict=True)
    ]
    desc = "; ".join(f"{bar.label}: {bar.after_text}" for bar in bars)
    return pictures.bars(bars, title, desc)
