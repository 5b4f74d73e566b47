"""How far means, spread and quantiles moved, in standard deviations; beside the release, where it is public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """A column in the release, and how far each number is from the original: none where that would tell of a unit."""

    difference: float | None
    moves: Mapping[str, float | None]
    after: Mapping[str, float | None] = {}


class Detail(Form):
    """All columns, those that cannot be compared, and those of too few."""

    columns: Mapping[str, Moments]
    not_comparable: Sequence[str]
    withheld: Sequence[str] = ()


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
    moved = [column for column in compared if any(columns[column].moves.values())]
    same = [column for column in compared if column not in moved]
    sentences = [text for _, text in own_sentences(finding, {"compared": len(compared)}, words)]
    if same:
        sentences.append(words("shifts.same", columns=words.names(same)))
    if lost:
        sentences.append(words("shifts.lost", columns=words.names(lost)))
    if detail.withheld:
        sentences.append(words("shifts.withheld", columns=words.names(detail.withheld)))
    if len(moved) > MOST_COLUMNS:
        sentences.append(words("shifts.most", n=MOST_COLUMNS))
    order = sorted(moved, key=lambda column: -(columns[column].difference or 0.0))[:MOST_COLUMNS]
    return Shifts(sentences, [_shift(column, columns[column], words) for column in order])


def _shift(column: str, part: Moments, words: Words) -> Shift:
    told = [_told_part(part, what, words) for what in ("mean", "sd")]
    if part.moves.get("missing"):
        told.append(_told_part(part, "missing", words))
    return Shift(column, told, _picture(column, part, words))


def _told_part(part: Moments, what: str, words: Words) -> Markup:
    """A number of the release, where it is public, and how far it is from the original."""
    value, move = part.after.get(what), part.moves.get(what)
    show = words.share if what == "missing" else partial(_short, words=words)
    if move is None:
        apart = words("shifts.unsaid")
    elif not move:
        apart = words("shifts.exact")
    else:
        missing = what == "missing"
        apart = words(
            "shifts.points" if missing else "shifts.off", value=words.share(move) if missing else _short(move, words)
        )
    key = f"shifts.{what}" if value is None else f"shifts.{what}_of"
    return words(key, value="" if value is None else show(value), apart=apart)


def _picture(column: str, part: Moments, words: Words) -> Markup | None:
    """The released quantiles, each with a bar as long as its move; a standard deviation is that of the release."""
    spread, mean = part.after.get("sd"), part.after.get("mean")
    moves = {key: move for key, move in part.moves.items() if key.startswith(QUANTILE) and move is not None}
    points = {
        _share(k): (value, move * (spread or 0.0))
        for k, move in moves.items()
        if (value := part.after.get(k)) is not None
    }
    if not points or spread is None or mean is None:
        return None
    ends = min(value - gap for value, gap in points.values()), max(value + gap for value, gap in points.values())
    told = [f"{plain(words.share(share))}: {plain(_short(points[share][0], words))}" for share in sorted(points)]
    labels = plain(words("picture.shifts.after")), plain(words("picture.shifts.before"))
    axis = plain(_short(ends[0], words)), plain(_short(ends[1], words))
    title = plain(words("picture.shifts.title", column=name(column)))
    return pictures.spread(points, mean, labels, axis, title, "; ".join(told))


def _share(key: str) -> float:
    share = key.removeprefix(QUANTILE)
    if not share.replace(".", "", 1).isdecimal():
        raise Untold("a quantile of no share")
    return float(share)


def _short(value: float, words: Words) -> Markup:
    return Markup(words.number(value, 4)) if abs(value) >= 1e4 else words.value(float(f"{value:.4g}"))
