"""How far means, spread and quantiles moved: the release is shown, of the original only the distance is public."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from schleier.core.measure import Finding
from schleier.report import pictures
from schleier.report.alike import BROKEN, plain, refuse_endless
from schleier.report.language import Words, name

MOST_COLUMNS = 12
QUANTILE = "quantile "


@dataclass(frozen=True)
class Moved:
    """A column of the release, and how far it is from the original."""

    column: str
    sentences: list[Markup]
    picture: Markup | None


@dataclass(frozen=True)
class Shifted:
    """All numeric columns."""

    sentences: list[Markup]
    moved: list[Moved]


def shifts(finding: Finding, words: Words) -> Shifted | None:
    """The moments in words and pictures; nothing when the finding is something else."""
    try:
        return _shifts(finding, words) if finding.name == "moments" else None
    except BROKEN:
        return None


def _shifts(finding: Finding, words: Words) -> Shifted:
    refuse_endless(finding.detail)
    detail = finding.detail
    columns: Mapping[str, Any] = detail["columns"]
    lost = [column for column in detail["not_comparable"] if column in columns]
    compared = [column for column in columns if column not in lost]
    moved = [column for column in compared if any(columns[column]["deviation"].values())]
    same = [column for column in compared if column not in moved]
    sentences = [words("shifts.all", n=len(compared), value=Markup(words.number(finding.value, 2)))]
    if detail.get("weighted"):
        sentences.append(words("shifts.weighted"))
    if same:
        sentences.append(words("shifts.same", columns=words.names(same)))
    if lost:
        sentences.append(words("shifts.lost", columns=words.names(lost)))
    if len(moved) > MOST_COLUMNS:
        sentences.append(words("shifts.most", n=MOST_COLUMNS))
    order = sorted(moved, key=lambda column: -columns[column]["difference"])[:MOST_COLUMNS]
    return Shifted(sentences, [_moved(column, columns[column], words) for column in order])


def _moved(column: str, part: Mapping[str, Any], words: Words) -> Moved:
    after, apart = part["after"], part["deviation"]
    told = [words(f"shifts.{what}", value=_off(after[what], apart[what], words)) for what in ("mean", "sd")]
    if after["missing"] or apart["missing"]:
        told.append(words("shifts.missing", value=_off(after["missing"], apart["missing"], words, words.share)))
    return Moved(column, told, _drawn(column, after, apart, words))


def _off(value: float, apart: float, words: Words, show: Callable[[float], Markup] | None = None) -> Markup:
    show = show or partial(_short, words=words)
    key = "shifts.off" if apart else "shifts.exact"
    return words(key, value=show(value), apart=show(apart))


def _drawn(column: str, after: Mapping[str, Any], apart: Mapping[str, Any], words: Words) -> Markup | None:
    points = {
        float(key.removeprefix(QUANTILE)): (float(after[key]), float(apart[key]))
        for key in after
        if key.startswith(QUANTILE) and after[key] is not None and apart[key] is not None
    }
    if not points:
        return None
    ends = min(value - gap for value, gap in points.values()), max(value + gap for value, gap in points.values())
    told = [f"{plain(words.share(share))}: {plain(_off(*points[share], words))}" for share in sorted(points)]
    labels = plain(words("picture.shifts.after")), plain(words("picture.shifts.before"))
    axis = plain(_short(ends[0], words)), plain(_short(ends[1], words))
    title = plain(words("picture.shifts.title", column=name(column)))
    return pictures.spread(points, after["mean"], labels, axis, title, "; ".join(told))


def _short(value: float, words: Words) -> Markup:
    return Markup(words.number(value, 4)) if abs(value) >= 1e4 else words.value(float(f"{value:.4g}"))
