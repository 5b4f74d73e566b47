"""A grid in words: what was tried, what was found, and whether the method must be kept secret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from schleier.lab.grid.results import GridReport, Slope, Told
from schleier.report.component_words import words_of
from schleier.report.front import Answer, Box, Remark
from schleier.report.laboratory.pictures import balance, between, heat_legend, heat_map, over_threshold
from schleier.report.laboratory.series import Panel, accuracy, attacker, called, is_told, panels, strength
from schleier.report.language import Words, name

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
    legend: Picture
    """What the shades of the map mean."""
    terms: list[tuple[Markup, Markup]]
    """What the words of the grid mean: its sets of keys, its techniques, and who knows the method."""
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
    drawn = sorted(panels(report, words), key=lambda panel: panel.method != "full")
    lines = [(panel, picture) for panel in drawn if (picture := over_threshold(panel, words))][:MOST_PICTURES]
    boxes = [(panel, picture) for panel in drawn if (picture := balance(panel, words))][:MOST_PICTURES]
    heats = [(one, heat_map(report, one, words)) for one in report.releases[:MOST_PICTURES]]
    axes = _axes(report)
    return Shown(
        front=_front(report, words),
        legend=Picture(words("lab.heat.legend"), "", heat_legend(words)),
        terms=list(_terms(report, words)),
        heats=[Picture(name(one), "", heat) for one, heat in heats if heat is not None],
        thresholds=[_picture(panel, picture, report, words) for panel, picture in lines],
        balances=[_picture(panel, picture, report, words) for panel, picture in boxes],
        head=[words(f"lab.all.{axis}") for axis in (*axes, "found", "right", "outcome")],
        rows=[_row(one, axes, words) for one in report.cells],
        steady=any(one.as_at is not None for one in report.cells),
    )


def _terms(report: GridReport, words: Words) -> Iterator[tuple[Markup, Markup]]:
    for label, columns in report.keys.items():
        yield name(label), words("lab.term.keys", columns=words.names(columns))
    for label in report.techniques:
        own = words_of("attack", label)
        if own.means is not None and own.means.told({}, words.lang):
            yield called(label, words), own.means.tell({}, own.telling(words))
    for one in report.method if len(report.method) > 1 else ():
        yield words(f"lab.method.{one}"), words(f"lab.term.{one}")


def _picture(panel: Panel, svg: Markup, report: GridReport, words: Words) -> Picture:
    return Picture(name(panel.release), attacker(panel.series[0].cells[0], report, words), svg)


def _front(report: GridReport, words: Words) -> Box:
    persons = _Kind([one for one in report.cells if not one.values])
    learned = _Kind([one for one in report.cells if one.values])
    untold = not any(map(is_told, report.cells))
    both = (persons, learned)
    alarm = any(one.alarms for one in both) or report.obscurity
    doubt = any(one.better or one.unclear for one in both) or untold
    mark = "bad" if alarm else "mind" if doubt else "good"
    counts = {
        "releases": words("lab.count.releases", n=len(report.releases)),
        "techniques": words("lab.count.techniques", n=len(report.techniques)),
        "knowledge": words("lab.count.knowledge", n=len(report.knowledge) * len(report.method)),
    }
    answers = [
        Answer(words("lab.ask.what"), [Remark(words("lab.what", n=len(report.cells), **counts))]),
        Answer(words("lab.ask.found"), _found(report, persons, learned, words)),
        Answer(words("lab.ask.release"), [_release(report, one, words) for one in report.releases]),
        Answer(words("lab.ask.method"), _method(report, words)),
    ]
    points = sum(one.mark in ("mind", "bad") for answer in answers for one in answer.said)
    return Box(mark, _headline(persons, learned, words, untold=untold), answers, points)


@dataclass(frozen=True)
class _Kind:
    """Experiments that look for persons, or those that learn values of them."""

    cells: list[Told]

    def many(self, outcome: str) -> int:
        """How many came to this."""
        return sum(one.outcome == outcome for one in self.cells)

    @property
    def alarms(self) -> int:
        return self.many("alarm")

    @property
    def better(self) -> int:
        return self.many("better")

    @property
    def unclear(self) -> int:
        return self.many("unclear")

    @property
    def clear(self) -> bool:
        """Whether one came to more than guessing."""
        return bool(self.alarms or self.better)

    @property
    def best(self) -> Told:
        """The strongest: which finds most, or is right most often."""
        return max(self.cells, key=lambda one: accuracy(one) if one.values else strength([one]))


def _headline(persons: _Kind, learned: _Kind, words: Words, *, untold: bool) -> Markup:
    if persons.clear:
        ends: dict[str, Any] = {
            "low": words.share(persons.best.low or 0.0),
            "high": words.share(persons.best.high or 0.0),
        }
        return words(f"lab.verdict.{'alarm' if persons.alarms else 'better'}", **ends)
    if learned.clear:
        return words("lab.verdict.values", between=_right(learned.best, words))
    return words(f"lab.verdict.{'withheld' if untold else 'unclear' if persons.unclear + learned.unclear else 'guess'}")


def _right(one: Told, words: Words) -> Markup:
    """How many of the claims are right."""
    if one.right is None:
        return Markup("–")
    low, high = (words.number(round(100 * end)) for end in one.right)
    return words("lab.between", low=low, high=high)


def _found(report: GridReport, persons: _Kind, learned: _Kind, words: Words) -> list[Remark]:
    said = []
    for kind, key in ((persons, "best"), (learned, "values")):
        if kind.clear:
            best = kind.best
            share = _right(best, words) if best.values else between(best, words).replace(" %", "\u00a0%")
            where: dict[str, Any] = {
                "technique": called(best.technique, words),
                "release": name(best.release),
                "between": share,
            }
            said.append(Remark(words(f"lab.found.{key}", **where), "bad" if kind.alarms else "mind"))
    every = _Kind(list(report.cells))
    withheld = sum(not is_told(one) for one in report.cells)
    many = {"alarms": every.alarms, "better": every.better, "unclear": every.unclear, "withheld": withheld}
    return [*said, Remark(words("lab.found.counts", n=len(report.cells) - sum(many.values()), **many))]


def _release(report: GridReport, release: str, words: Words) -> Remark:
    cells = [one for one in report.cells if one.release == release]
    persons, learned = (_Kind([one for one in cells if one.values == values]) for values in (False, True))
    known, every = any(map(is_told, cells)), _Kind(cells)
    mark = "bad" if every.alarms else "mind" if every.clear or every.unclear or not known else "good"
    if persons.clear or not learned.clear:
        best = persons.best if persons.cells else every.best
        how = "clear" if persons.clear else "unclear" if every.unclear else "guess" if known else "withheld"
        share = between(best, words).replace(" %", "\u00a0%")
    else:
        best, how, share = learned.best, "values", _right(learned.best, words)
    told: dict[str, Any] = {"release": name(release), "between": share, "technique": called(best.technique, words)}
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
    parts = [name(one.release), called(one.technique, words), *([Markup("{}").format(one.keys)] if one.keys else [])]
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
            return called(one.technique, words)
        if axis == "method":
            return words(f"lab.method.{one.method}")
        if axis == "threshold":
            return Markup("–") if value is None else words.value(value)
        return name(str(value)) if value else Markup("–")

    mark = Markup("*") if one.as_at is not None else ""
    outcome = words(f"lab.outcome.{one.outcome or 'withheld'}")
    return [*map(told, axes), Markup("{}{}").format(between(one, words), mark), _right(one, words), outcome]
