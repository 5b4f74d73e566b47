"""A grid in words: what was tried, what was found, and whether the method must be kept secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from schleier.lab.grid.results import GridReport, Slope, Told
from schleier.report.front import Answer, Box, Remark
from schleier.report.laboratory.pictures import balance, between, heat_map, over_threshold
from schleier.report.laboratory.series import Panel, attacker, is_told, panels, strength
from schleier.report.language import Words, code, name

MOST_PICTURES = 6
"""Pictures of one kind; what is left out stands in the table."""
MOST_NAMED = 3


@dataclass(frozen=True)
class Picture:
    """A picture with its words."""

    caption: Markup
    note: Markup | str
    svg: Markup


@dataclass(frozen=True)
class Shown:
    """Everything the page and the terminal show."""

    front: Box
    heats: list[Picture]
    thresholds: list[Picture]
    balances: list[Picture]
    head: list[Markup]
    rows: list[list[Markup]]
    """All experiments, one in a row."""
    steady: bool
    """Whether some experiments are told as others, or not told, because their claims are almost the same."""


def tell_grid(report: GridReport, words: Words) -> Shown:
    """A grid in the words of a language."""
    drawn = sorted(panels(report), key=lambda panel: panel.method != "full")
    lines = [(panel, picture) for panel in drawn if (picture := over_threshold(panel, words))][:MOST_PICTURES]
    boxes = [(panel, picture) for panel in drawn if (picture := balance(panel, words))][:MOST_PICTURES]
    axes = _axes(report)
    return Shown(
        front=_front(report, words),
        heats=[Picture(name(one), "", heat_map(report, one, words)) for one in report.releases[:MOST_PICTURES]],
        thresholds=[_picture(panel, picture, report, words) for panel, picture in lines],
        balances=[_picture(panel, picture, report, words) for panel, picture in boxes],
        head=[words(f"lab.all.{axis}") for axis in (*axes, "found", "right", "outcome")],
        rows=[_row(one, axes, words) for one in report.cells],
        steady=any(one.as_at is not None for one in report.cells),
    )


def _picture(panel: Panel, svg: Markup, report: GridReport, words: Words) -> Picture:
    return Picture(name(panel.release), attacker(panel.series[0].cells[0], report, words), svg)


def _front(report: GridReport, words: Words) -> Box:
    best = max(report.cells, key=lambda one: strength([one]))
    alarms = sum(one.outcome == "alarm" for one in report.cells)
    better = sum(one.outcome == "better" for one in report.cells)
    unclear = sum(one.outcome == "unclear" for one in report.cells)
    untold = not any(map(is_told, report.cells))
    mark = "bad" if alarms or report.obscurity else "mind" if better or unclear or untold else "good"
    ends: dict[str, Any] = {"low": words.share(best.low or 0.0), "high": words.share(best.high or 0.0)}
    verdict = "alarm" if alarms else "better" if better else "withheld" if untold else "unclear" if unclear else "guess"
    headline = words(f"lab.verdict.{verdict}", **ends)
    counts = {
        "releases": words("lab.count.releases", n=len(report.releases)),
        "techniques": words("lab.count.techniques", n=len(report.techniques)),
        "knowledge": words("lab.count.knowledge", n=len(report.knowledge) * len(report.method)),
    }
    answers = [
        Answer(words("lab.ask.what"), [Remark(words("lab.what", n=len(report.cells), **counts))]),
        Answer(words("lab.ask.found"), _found(report, best, alarms, better, unclear, words)),
        Answer(words("lab.ask.release"), [_release(report, one, words) for one in report.releases]),
        Answer(words("lab.ask.method"), _method(report, words)),
    ]
    points = sum(one.mark in ("mind", "bad") for answer in answers for one in answer.said)
    return Box(mark, headline, answers, points)


def _found(report: GridReport, best: Told, alarms: int, better: int, unclear: int, words: Words) -> list[Remark]:
    said = []
    if alarms or better:
        where: dict[str, Any] = {
            "technique": code(best.technique),
            "release": name(best.release),
            "between": between(best, words),
        }
        said.append(Remark(words("lab.found.best", **where), "bad" if alarms else "mind"))
    withheld = sum(not is_told(one) for one in report.cells)
    many = {"alarms": alarms, "better": better, "unclear": unclear, "withheld": withheld}
    return [*said, Remark(words("lab.found.counts", n=len(report.cells) - sum(many.values()), **many))]


def _release(report: GridReport, release: str, words: Words) -> Remark:
    cells = [one for one in report.cells if one.release == release]
    best = max(cells, key=lambda one: strength([one]))
    clear = any(one.outcome in ("alarm", "better") for one in cells)
    alarm = any(one.outcome == "alarm" for one in cells)
    told: dict[str, Any] = {
        "release": name(release),
        "between": between(best, words),
        "technique": code(best.technique),
    }
    known = any(map(is_told, cells))
    unclear = any(one.outcome == "unclear" for one in cells)
    mark = "bad" if alarm else "mind" if clear or unclear or not known else "good"
    how = "clear" if clear else "unclear" if unclear else "guess" if known else "withheld"
    return Remark(words(f"lab.release.{how}", **told), mark)


def _method(report: GridReport, words: Words) -> list[Remark]:
    """Security by obscurity, in a sentence (B-029)."""
    if not report.compared:
        return [Remark(words("lab.obscurity.untried"))]
    if not report.obscurity:
        return [Remark(words("lab.obscurity.none", n=report.compared), "good")]
    axes = _axes(report)
    named = [_slope(one, axes, words) for one in report.obscurity[:MOST_NAMED]]
    where = Markup("; ").join(named) + (Markup(" …") if len(report.obscurity) > MOST_NAMED else "")
    return [Remark(words("lab.obscurity.some", n=len(report.obscurity), compared=report.compared, where=where), "bad")]


def _slope(one: Slope, axes: list[str], words: Words) -> Markup:
    """Two experiments by all that tells them from others of the grid."""
    parts = [name(one.release), code(one.technique), *([Markup("{}").format(one.keys)] if one.keys else [])]
    if "knowledge" in axes:
        parts.append(Markup("{}").format(one.knowledge))
    if one.threshold is not None:
        parts.append(words("lab.from", threshold=words.value(one.threshold)))
    return Markup(", ").join(parts)


def _axes(report: GridReport) -> list[str]:
    """The columns of the table: axes with one value are left out."""
    varied = {
        "release": len(report.releases) > 1,
        "technique": True,
        "threshold": any(one.threshold is not None for one in report.cells),
        "keys": bool(report.keys),
        "knowledge": len(report.knowledge) > 1,
        "method": len(report.method) > 1,
    }
    return [axis for axis, shown in varied.items() if shown]


def _row(one: Told, axes: list[str], words: Words) -> list[Markup]:
    def told(axis: str) -> Markup:
        value = getattr(one, axis)
        if axis == "technique":
            return code(one.technique)
        if axis == "method":
            return words(f"lab.method.{one.method}")
        if axis == "threshold":
            return Markup("–") if value is None else words.value(value)
        return name(str(value)) if value else Markup("–")

    right = Markup("–")
    if one.right is not None:
        low, high = (words.number(round(100 * end)) for end in one.right)
        right = words("lab.between", low=low, high=high)
    mark = Markup("*") if one.as_at is not None else ""
    outcome = words(f"lab.outcome.{one.outcome or 'withheld'}")
    return [*map(told, axes), Markup("{}{}").format(between(one, words), mark), right, outcome]
