"""Pictures of a grid: a heat map, hit rates over the threshold, and hit rate against what is found.

Every number is an interval in steps, and is drawn as one. A letter tells lines apart, not a colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from schleier.lab.grid.results import GridReport, Told
from schleier.report.laboratory.series import Panel, Series, attacker, is_told, strength, technique
from schleier.report.language import Words, plain
from schleier.report.pictures import COLOURS, WIDTH, _line, _rect, _svg, _text

LEFT, TOP, RIGHT, BOTTOM = 40, 24, WIDTH - 20, 200
HEATS = (0.0, 0.09, 0.3, 0.6)
"""Where the next heat begins: something, above the limit of alarm, much, most."""
BOX = '<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" rx="2" fill="{}" fill-opacity="0.18" class="f-after"/>'
CHARACTER = 6.5
"""About how wide one is in a small text."""
LINES = ("", "7 4", "2 3", "8 3 2 3", "12 4", "1 5", "4 4", "10 3 2 3")


def heat_map(report: GridReport, release: str, words: Words) -> Markup | None:
    """For a release the strongest experiment of each technique that finds persons (rows) by each attacker (columns)."""
    cells = [one for one in report.cells if one.release == release and not one.values]
    if not cells:
        return None
    rows = list(dict.fromkeys(technique(one, words) for one in cells))
    columns = list(dict.fromkeys((one.knowledge, one.method) for one in cells))
    wide, parts, said = WIDTH / len(columns), list[Markup](), list[str]()
    for i, row in enumerate(rows):
        top = 46 * i
        parts.append(_text(0, top + 12, row))
        for j, column in enumerate(columns):
            here = [one for one in cells if technique(one, words) == row and (one.knowledge, one.method) == column]
            best = max(here, key=lambda one: strength([one])) if here else None
            told = between(best if best is not None and is_told(best) else None, words)
            parts.append(_rect(wide * j + 1, top + 18, wide - 2, 22, f"heat{heat(best)}", round_=3))
            if wide >= 52:
                parts.append(_text(wide * (j + 0.5), top + 33, told, size=11, anchor="middle"))
            said.append(f"{row}, {', '.join(column)}: {told}")
    bottom = 46 * len(rows)
    for j in range(len(columns)):
        parts.append(_text(wide * (j + 0.5), bottom + 10, str(j + 1), "soft", 11, "middle", bold=True))
    labels = [
        attacker(next(one for one in cells if (one.knowledge, one.method) == column), report, words)
        for column in columns
    ]
    named = [f"{j + 1}  {label}" for j, label in enumerate(labels) if label]
    parts += [_text(0, bottom + 30 + 16 * j, label, "soft", 11) for j, label in enumerate(named)]
    return _svg(bottom + 22 + 16 * len(named), f"{plain(words('lab.heat.picture'))}: {release}", "; ".join(said), parts)


def heat_legend(words: Words) -> Markup:
    """What the shades of the map mean, the grey one too."""
    limits = [plain(words.share(limit)) for limit in (*HEATS[1:], 1.0)]
    said = [plain(words("lab.heat.grey")), plain(words("lab.heat.below", share=limits[0]))]
    said += [plain(words("lab.heat.up_to", low=low, high=high)) for low, high in pairwise(limits)]
    parts = list[Markup]()
    for i, text in enumerate(said):
        parts += [_rect(0, 18 * i, 22, 13, f"heat{i}", round_=3), _text(30, 18 * i + 11, text, "soft", 11)]
    return _svg(18 * len(said), plain(words("lab.heat.legend")), "; ".join(said), parts)


def over_threshold(panel: Panel, words: Words) -> Markup | None:
    """The share of claims that is right, over the threshold from which on they are made; nothing to draw: nothing."""
    lines = [one for one in panel.series if any(cell.threshold is not None and cell.right for cell in one.cells)]
    if not lines:
        return None
    at = sorted({cell.threshold for one in lines for cell in one.cells if cell.threshold is not None})
    first, last = at[0], at[-1]

    def x(threshold: float | None) -> float:
        share = 0.5 if first == last else ((threshold or 0.0) - first) / (last - first)
        return LEFT + 14 + (RIGHT - LEFT - 28) * share

    parts = _frame(words("lab.threshold.right"), words("lab.threshold.at"), words)
    named = [(x(threshold), plain(words.value(threshold))) for threshold in at]
    parts += [_text(where, BOTTOM + 15, text, "soft", 11, "middle") for where, text in _apart(named)]
    for i, one in enumerate(lines):
        shown = [cell for cell in one.cells if cell.threshold is not None and cell.right]
        shift = 5 * (i - (len(lines) - 1) / 2)
        # The edges of the band, and nothing between them: a line in the middle would look like an estimate.
        for end in (0, 1):
            parts.append(_path([(x(cell.threshold) + shift, _y((cell.right or (0.0, 0.0))[end])) for cell in shown], i))
        for cell in shown:
            low, high = cell.right or (0.0, 0.0)
            where = x(cell.threshold) + shift
            parts.append(_line(where, _y(low), where, _y(high), "after", 3))
        top = _y((shown[-1].right or (0.0, 0.0))[1])
        parts.append(_letter(x(shown[-1].threshold) + shift + 9, top + 13 + 12 * i, one.letter))
    return _with_names(lines, parts, BOTTOM + 40, words("lab.threshold.picture"), panel)


def balance(panel: Panel, words: Words) -> Markup | None:
    """The share of claims that is right against the share of targets that is found: a box from end to end each."""
    lines = [one for one in panel.series if any(cell.right and cell.low is not None for cell in one.cells)]
    if not lines:
        return None
    parts = _frame(words("lab.threshold.right"), words("lab.balance.found"), words)
    for share in (0.0, 0.5, 1.0):
        parts.append(_text(_x(share), BOTTOM + 15, plain(words.share(share)), "soft", 11, "middle"))
    for i, one in enumerate(lines):
        points = []
        for cell in one.cells:
            if cell.right and cell.low is not None and cell.high is not None:
                low, high = cell.right
                box = _x(cell.low), _y(high), max(_x(cell.high) - _x(cell.low), 2), max(_y(low) - _y(high), 2)
                parts.append(Markup(BOX).format(*(round(number, 2) for number in box), COLOURS["after"]))
                points.append((_x((cell.low + cell.high) / 2), _y((low + high) / 2)))
        parts.append(_path(points, i))
        parts += [_letter(left + 9 * i, top + 4, one.letter) for left, top in points]  # lines may share a point
    return _with_names(lines, parts, BOTTOM + 40, words("lab.balance.picture"), panel)


def between(one: Told | None, words: Words) -> str:
    """What was found, from one end to the other."""
    if one is None or one.low is None or one.high is None:
        return "–"
    return plain(words("lab.between", low=words.number(round(100 * one.low)), high=words.number(round(100 * one.high))))


def heat(one: Told | None) -> int:
    """How hot a cell of the map is: by what may have been found at most, for the low end of many is zero."""
    return 0 if one is None or not one.high or not is_told(one) else sum(one.high >= limit for limit in HEATS)


def _apart(named: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Of texts along a line, from left to right, those that do not run into each other; both ends stay."""
    kept, last = named[:1], named[-1]
    for one in named[1:]:
        beside = (kept[-1], last) if one is not last else ()
        if all(abs(one[0] - other[0]) >= CHARACTER * (len(one[1]) + len(other[1]) + 2) / 2 for other in beside):
            kept = [*kept, one]
    return list(kept)


def _x(share: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * share, 2)


def _y(share: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * share, 2)


def _frame(upwards: Markup, across: Markup, words: Words) -> list[Markup]:
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(_line(LEFT, _y(share), RIGHT, _y(share), "rule"))
        parts.append(_text(LEFT - 6, _y(share) + 4, plain(words.share(share)), "soft", 11, "end"))
    parts.append(_text(0, 11, plain(upwards), "soft", 11))
    parts.append(_text(RIGHT, BOTTOM + 31, plain(across), "soft", 11, "end"))
    return parts


def _path(points: Sequence[tuple[float, float]], i: int) -> Markup:
    shape = '<polyline points="{}" fill="none" class="l-ink" stroke="{}" stroke-width="1.2" stroke-dasharray="{}"/>'
    return Markup(shape).format(" ".join(f"{x:g},{y:g}" for x, y in points), COLOURS["ink"], LINES[i] or "none")


def _letter(x: float, y: float, letter: str) -> Markup:
    return _text(x, y, letter, size=12, anchor="middle", bold=True)


def _with_names(lines: Sequence[Series], parts: list[Markup], top: float, title: Markup, panel: Panel) -> Markup:
    said = []
    for i, one in enumerate(lines):
        parts.append(_letter(8, top + 12 + 17 * i, one.letter))
        parts.append(_path([(18, top + 8 + 17 * i), (44, top + 8 + 17 * i)], i))
        parts.append(_text(52, top + 12 + 17 * i, one.label, "soft", 11))
        ends = [f"{cell.right[0]:.0%}–{cell.right[1]:.0%}" for cell in one.cells if cell.right]
        said.append(f"{one.letter} {one.label}: {', '.join(ends)}")
    return _svg(top + 18 + 17 * len(lines), f"{plain(title)}: {panel.release}", "; ".join(said), parts)
