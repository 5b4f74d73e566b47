"""Pictures as SVG text: small functions without a library; whatever they are given is escaped.

A picture is 360 units wide, so that its words stay readable on a telephone; a wide page puts several side by side.
Colours are attributes (for PDF) that the classes of the page override (light and dark). Nothing is told by colour
alone: what was before is an outline, what is after is solid, and every mark has its number beside it. What marks mean
stands in a frame of its own, apart from them and under its title: a sample is no data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH = 360
LEGEND, LINE = 30, 18
"""How high a legend is, and each line it has more."""
COLOURS = {
    "ink": "#18212d",
    "soft": "#536071",
    "rule": "#d5dce5",
    "before": "#edf1f5",
    "after": "#0b62b0",
    "alarm": "#b8430c",
    "alert": "#e7a33c",
    "rest": "#c9d2dc",
    "gap": "#6d7a8b",
    "heat0": "#eef2f6",
    "heat1": "#fbeed3",
    "heat2": "#f8dca6",
    "heat3": "#f1b77c",
    "heat4": "#e58f5d",
    "mark": "#18212d",
}
EDGES = {"before": "#6d7a8b", "mark": "#ffffff"}
"""Outlines of shapes that have one."""


@dataclass(frozen=True)
class Bar:
    """A number before and after, each with its words; without ``before`` only one bar is drawn."""

    label: str
    after: float
    after_text: str
    before: float | None = None
    before_text: str = ""


@dataclass(frozen=True)
class Estimate:
    """Between which ends lies what an experiment found, against guessing where that is told."""

    label: str
    low: float
    high: float
    guess: float | None
    found_text: str
    guess_text: str


@dataclass(frozen=True)
class Legend:
    """What the marks of a picture mean, in their order, under a title."""

    title: str
    words: tuple[str, str]


def bars(rows: Sequence[Bar], title: str, desc: str, legend: Legend | None = None, aside: int = 0) -> Markup:
    """Horizontal bars; labels stand above them, or beside them in a margin of ``aside`` units."""
    top, parts = 0, list[Markup]()
    largest = max([row.after for row in rows] + [row.before or 0 for row in rows], default=0) or 1
    room = WIDTH - aside - 62
    for row in rows:
        if not aside:
            parts.append(_text(0, top + 12, row.label))
            top += 18
        both = [("after", row.after, row.after_text)]
        if row.before is not None:
            both.insert(0, ("before", row.before, row.before_text))
        if aside:
            parts.append(_text(aside - 8, top + 7 * len(both) + 3, row.label, anchor="end"))
        for kind, value, words in both:
            wide = max(room * value / largest, 1.5) if value > 0 else 0
            parts.append(_rect(aside + 0.5, top + 1.5, wide, 10, kind))
            parts.append(_text(aside + wide + 6, top + 11, words, "ink" if kind == "after" else "soft", 11))
            top += 14
        top += 8 if aside else 12
    if aside:
        parts.append(_line(aside, 0, aside, top - 4, "soft"))
    if legend:
        parts.append(_legend(legend, top + 2, [_rect(0, 0, 11, 11, "before"), _rect(0, 0, 11, 11, "after")]))
        top += 2 + LEGEND
    return _svg(top, title, desc, parts)


def hundred(shares: Mapping[str, float], legend: Mapping[str, str], told: str, title: str, desc: str) -> Markup:
    """A hundred squares, one per cent each, coloured by kind in the order given; the last kind takes the rest.

    ``told`` is the title of the legend.
    """
    kinds, rest = list(shares), 100
    counts = {}
    for kind in kinds[:-1]:
        counts[kind] = min(round(100 * max(shares[kind], 0)), rest)
        rest -= counts[kind]
    counts[kinds[-1]] = rest
    squares = [kind for kind in kinds for _ in range(counts[kind])]
    parts = [_rect(i % 10 * 15, i // 10 * 15 + 1, 12.5, 12.5, kind, round_=2) for i, kind in enumerate(squares)]
    samples = list[Markup]()
    for i, kind in enumerate(kinds):
        label, number = legend[kind].split("\n")
        samples.append(_shape("circle", 'cx="{:g}" cy="{:g}" r="5"', kind, 184, 36 + 40 * i))
        samples.append(_text(196, 41 + 40 * i, number, size=14, bold=True))
        samples.append(_text(196, 56 + 40 * i, label, "soft"))
    parts.append(_framed(172, 0.5, WIDTH - 172.5, 28 + 40 * len(kinds), told, samples))
    return _svg(152, title, desc, parts)


def estimates(
    rows: Sequence[Estimate], title: str, desc: str, ticks: Sequence[tuple[float, str]], legend: Legend
) -> Markup:
    """Intervals against the mark of blind guessing, from zero to the last tick."""
    parts, top, room = list[Markup](), 0, WIDTH - 20
    largest = ticks[-1][0] or 1

    def at(value: float) -> float:
        return 10 + room * min(value / largest, 1)

    bottom = 66 * len(rows) + 4
    for place, words in ticks:
        parts.append(_line(at(place), 20, at(place), bottom, "rule"))
        anchor, shift = ("start", -10) if place == 0 else ("end", 10) if place == largest else ("middle", 0)
        parts.append(_text(at(place) + shift, bottom + 15, words, "soft", 11, anchor))
    for row in rows:
        middle = top + 30
        parts.append(_text(0, top + 12, row.label))
        parts.append(_line(at(row.low), middle, at(row.high), middle, "alarm", 6))
        parts += [_line(at(x), middle - 5, at(x), middle + 5, "alarm", 1.5) for x in (row.low, row.high)]
        parts.append(_text(0, top + 52, row.found_text, size=11))
        if row.guess is not None:
            parts.append(_diamond(at(row.guess), middle))
            parts.append(_text(WIDTH / 2, top + 52, row.guess_text, "soft", 11))
        top += 66
    samples = [_line(-2, 5.5, 14, 5.5, "alarm", 6)]
    if any(row.guess is not None for row in rows):
        samples.append(_diamond(6, 5.5))
    parts.append(_legend(legend, bottom + 26, samples, across=False))
    return _svg(bottom + 26 + LEGEND + LINE * (len(samples) - 1), title, desc, parts)


def spread(
    points: Mapping[float, tuple[float, float]],
    mean: float | None,
    labels: tuple[str, str],
    ends: tuple[str, str],
    title: str,
    desc: str,
) -> Markup:
    """A distribution, and below it how far each quantile is from the original: share -> (value, distance).

    The line reaches from the first to the last quantile, the box from a quarter to three quarters.
    """
    low, high = min(value - gap for value, gap in points.values()), max(value + gap for value, gap in points.values())
    left, room = 62, WIDTH - 74

    def at(value: float) -> float:
        return left + (room * (min(max(value, low), high) - low) / (high - low) if high > low else room / 2)

    values = {share: at(value) for share, (value, _) in points.items()}
    parts = [_text(0, 18, labels[0]), _line(min(values.values()), 14, max(values.values()), 14, "soft", 1.5)]
    if 0.25 in values and 0.75 in values:
        parts.append(_rect(values[0.25], 5, max(values[0.75] - values[0.25], 1.5), 18, "after", round_=2))
    if 0.5 in values:
        parts.append(_line(values[0.5], 2, values[0.5], 26, "ink", 2.5))
    if mean is not None:
        parts.append(_diamond(at(mean), 14))
    parts.append(_text(0, 54, labels[1], "soft"))
    for i, share in enumerate(sorted(points)):  # in steps, so that bars of neighbours do not hide each other
        value, gap = points[share]
        y = 38 + 6 * i
        parts.append(_line(values[share], 28, values[share], y, "rule"))
        wide = max(at(value + gap) - at(value - gap), 5)
        parts.append(_rect((at(value - gap) + at(value + gap) - wide) / 2, y - 2.5, wide, 5, "gap", round_=2.5))
    bottom = 40 + 6 * len(points)
    parts.append(_line(left, bottom, left + room, bottom, "rule"))
    parts += [
        _text(left, bottom + 14, ends[0], "soft", 11),
        _text(left + room, bottom + 14, ends[1], "soft", 11, "end"),
    ]
    return _svg(bottom + 20, title, desc, parts)


def matrix(
    rows: Sequence[str],
    columns: Sequence[str],
    place: tuple[int, int],
    axes: tuple[str, str],
    legend: Legend,
    title: str,
    desc: str,
) -> Markup:
    """A table of squares that darken towards the upper right, with a mark at one place."""
    left, wide, high = 84, (WIDTH - 84) / len(columns), 36
    parts = [_text(0, 12, axes[0], "soft", 11)]
    for i, row in enumerate(rows):
        parts.append(_text(left - 10, 22 + high * i + 22, row, anchor="end"))
        for j in range(len(columns)):
            kind = f"heat{j + len(rows) - 1 - i}"
            parts.append(_rect(left + wide * j + 1, 22 + high * i + 1, wide - 2, high - 2, kind, round_=3))
    middle = left + wide * (place[1] + 0.5), 22 + high * (place[0] + 0.5)
    parts.append(_shape("circle", 'cx="{:g}" cy="{:g}" r="9"', "mark", *middle))
    bottom = 22 + high * len(rows)
    parts += [_text(left + wide * (j + 0.5), bottom + 16, words, anchor="middle") for j, words in enumerate(columns)]
    parts.append(_text(WIDTH, bottom + 34, axes[1], "soft", 11, "end"))
    ends = [_rect(0, 0, 11, 11, f"heat{heat}") for heat in (0, len(rows) + len(columns) - 2)]
    parts.append(_legend(legend, bottom + 44, ends))
    return _svg(bottom + 46 + LEGEND, title, desc, parts)


def _legend(legend: Legend, top: float, samples: Sequence[Markup], *, across: bool = True) -> Markup:
    """Samples of the marks that there are, with their words, in a frame: side by side, or one below the other."""
    x, y, parts = 96.0, top + 8, list[Markup]()
    for sample, words in zip(samples, legend.words, strict=False):
        parts.append(Markup('<g transform="translate({:g} {:g})">{}</g>').format(x, y, sample))
        parts.append(_text(x + 20, y + 10, words, "soft", 11))
        x, y = (x + 44 + 7 * len(words), y) if across else (x, y + LINE)
    return _framed(0.5, top, WIDTH - 1, LEGEND - 2 + (0 if across else LINE * (len(samples) - 1)), legend.title, parts)


def _framed(x: float, y: float, wide: float, high: float, title: str, parts: Sequence[Markup]) -> Markup:
    """A frame with a title, for what is no data."""
    frame = '<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" rx="4" fill="none" stroke="{}" class="l-rule"/>'
    edge = Markup(frame).format(x, y, wide, high, COLOURS["rule"])
    inside = Markup().join([edge, _text(x + 10, y + 18, title, "soft", 11, bold=True), *parts])
    return Markup('<g class="legend">{}</g>').format(inside)


def _svg(height: float, title: str, desc: str, parts: Sequence[Markup]) -> Markup:
    start = (
        '<svg class="picture" role="img" viewBox="0 0 {w:g} {h:g}" width="{w:g}" height="{h:g}"'
        ' font-family="sans-serif"><title>{title}</title><desc>{desc}</desc>'
    )
    return Markup(start).format(w=WIDTH, h=height, title=title, desc=desc) + Markup().join(parts) + Markup("</svg>")


def _text(
    x: float, y: float, words: str, kind: str = "ink", size: float = 12, anchor: str = "start", bold: bool = False
) -> Markup:
    style = Markup(' font-weight="600"') if bold else ""
    return Markup(
        '<text x="{:g}" y="{:g}" font-size="{:g}" text-anchor="{}" class="t-{}" fill="{}"{}>{}</text>'
    ).format(round(x, 2), y, size, anchor, kind, COLOURS[kind], style, words)


def _shape(tag: str, places: str, kind: str, *values: float) -> Markup:
    # Put together as text, and quickly, for there are hundreds of them: all parts are numbers and words of this module.
    edge = f' stroke="{EDGES[kind]}"' if kind in EDGES else ""
    where = places.format(*(round(value, 2) for value in values))
    return Markup(f'<{tag} {where} class="f-{kind}" fill="{COLOURS[kind]}"{edge}/>')


def _rect(x: float, y: float, wide: float, high: float, kind: str, round_: float = 1) -> Markup:
    return _shape("rect", f'x="{{:g}}" y="{{:g}}" width="{{:g}}" height="{{:g}}" rx="{round_}"', kind, x, y, wide, high)


def _diamond(x: float, y: float) -> Markup:
    x = round(x, 2)
    points = f"{x:g},{y - 5.5:g} {x + 5.5:g},{y:g} {x:g},{y + 5.5:g} {x - 5.5:g},{y:g}"
    return Markup('<polygon points="{}" class="f-guess" fill="#ffffff" stroke="{}" stroke-width="1.5"/>').format(
        points, COLOURS["ink"]
    )


def _line(x: float, y: float, x2: float, y2: float, kind: str, thick: float = 1) -> Markup:
    return Markup(
        '<line x1="{:g}" y1="{:g}" x2="{:g}" y2="{:g}" stroke="{}" stroke-width="{:g}" class="l-{}"/>'
    ).format(round(x, 2), y, round(x2, 2), y2, COLOURS[kind], thick, kind)
