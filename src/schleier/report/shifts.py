"""How far means, spread and quantiles moved: the release is shown, of the original only the distance is public."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from schleier.core.measure import Finding
from schleier.report import pictures
from schleier.report.language import Words, name, plain
from schleier.report.measures import own_sentences
from schleier.report.untold import Form, Untold

MOST_COLUMNS = 12
QUANTILE = "quantile "


@dataclass(frozen=True)
class Shift:
    """A column of the release, and how far it is from the original."""

    column: str
    sentences: list[Markup]
    picture: Markup | None


@dataclass(frozen=True)
class Shifts:
    """All numeric columns."""

    sentences: list[Markup]
    moved: list[Shift]

    @property
    def short(self) -> Markup:
        """The sentence for the terminal."""
        return self.sentences[0]


class Moments(Form):
    """A column in the release, how far each number is from the original, and the largest distance of the mean."""

    difference: float | None
    after: Mapping[str, float | None]
    deviation: Mapping[str, float | None]


class Detail(Form):
    """All columns, and those that cannot be compared."""

    columns: Mapping[str, Moments]
    not_comparable: Sequence[str]


def tell_shifts(finding: Finding, words: Words) -> Shifts | None:
    """The moments in words and pictures; nothing when the finding has another form."""
    try:
        return _told(finding, Detail.of(finding.detail), words)
    except Untold:
        return None


def _told(finding: Finding, detail: Detail, words: Words) -> Shifts:
    columns = detail.columns
    lost = [column for column in detail.not_comparable if column in columns]
    compared = [column for column in columns if column not in lost]
    moved = [column for column in compared if any(columns[column].deviation.values())]
    same = [column for column in compared if column not in moved]
    sentences = [text for _, text in own_sentences(finding, {"compared": len(compared)}, words)]
    if same:
        sentences.append(words("shifts.same", columns=words.names(same)))
    if lost:
        sentences.append(words("shifts.lost", columns=words.names(lost)))
    if len(moved) > MOST_COLUMNS:
        sentences.append(words("shifts.most", n=MOST_COLUMNS))
    order = sorted(moved, key=lambda column: -(columns[column].difference or 0.0))[:MOST_COLUMNS]
    return Shifts(sentences, [_shift(column, columns[column], words) for column in order])


def _shift(column: str, part: Moments, words: Words) -> Shift:
    told = [words(f"shifts.{what}", value=_off(*_pair(part, what), words)) for what in ("mean", "sd")]
    missing = _pair(part, "missing")
    if any(missing):
        told.append(words("shifts.missing", value=_off(*missing, words, words.share)))
    return Shift(column, told, _picture(column, part, words))


def _pair(part: Moments, what: str) -> tuple[float, float]:
    """A number of the release and its distance from the original."""
    value, apart = part.after.get(what), part.deviation.get(what)
    if value is None or apart is None:
        raise Untold(f"no {what}")
    return value, apart


def _off(value: float, apart: float, words: Words, show: Callable[[float], Markup] | None = None) -> Markup:
    show = show or partial(_short, words=words)
    key = "shifts.off" if apart else "shifts.exact"
    return words(key, value=show(value), apart=show(apart))


def _picture(column: str, part: Moments, words: Words) -> Markup | None:
    points = {
        _share(key): _pair(part, key)
        for key, value in part.after.items()
        if key.startswith(QUANTILE) and value is not None and part.deviation.get(key) is not None
    }
    if not points:
        return None
    ends = min(value - gap for value, gap in points.values()), max(value + gap for value, gap in points.values())
    told = [f"{plain(words.share(share))}: {plain(_off(*points[share], words))}" for share in sorted(points)]
    labels = plain(words("picture.shifts.after")), plain(words("picture.shifts.before"))
    axis = plain(_short(ends[0], words)), plain(_short(ends[1], words))
    title = plain(words("picture.shifts.title", column=name(column)))
    return pictures.spread(points, _pair(part, "mean")[0], labels, axis, title, "; ".join(told))


def _share(key: str) -> float:
    share = key.removeprefix(QUANTILE)
    if not share.replace(".", "", 1).isdecimal():
        raise Untold("a quantile of no share")
    return float(share)


def _short(value: float, words: Words) -> Markup:
    return Markup(words.number(value, 4)) if abs(value) >= 1e4 else words.value(float(f"{value:.4g}"))
