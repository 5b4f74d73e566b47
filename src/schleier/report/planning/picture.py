"""The curve of a plan: identifiable persons over the number of persons asked (figure 2 of Rauterberg)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from schleier.flow.survey import Plan
from schleier.report.language import Words, plain
from schleier.report.pictures import COLOURS, WIDTH, _line, _svg, _text

LEFT, TOP, RIGHT, BOTTOM = 40, 26, WIDTH - 12, 216
STYLES = {
    "orwell": ("after", "2.5", ""),
    "fg": ("ink", "1.5", "7 4"),
    "rt": ("soft", "1.5", "1 4"),
    "rr": ("soft", "1.5", "5 3 1 3"),
    "mean": ("alarm", "1.5", ""),
}
"""Colour, thickness and dashes of each line: none is told by its colour alone."""


def curve(plan: Plan, words: Words) -> Markup:
    """Lines for the estimators, a band for the simulated surveys, and marks for what is tolerated and planned."""
    curve = plan.curve
    at = curve.persons.index(plan.persons)
    highest = max(curve.orwell[at], curve.mean[at] if len(curve.mean) > at else 0, plan.tolerated)
    top = _round_up(min(100.0, 2 * highest))
    first, last = math.log(curve.persons[0]), math.log(curve.persons[-1])

    def x(persons: float) -> float:
        return LEFT + (RIGHT - LEFT) * (math.log(persons) - first) / (last - first or 1)

    def y(rate: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * min(rate / top, 1.0), 2)

    def points(rates: Sequence[float]) -> list[str]:
        return [f"{x(n):.2f},{y(rate):g}" for n, rate in zip(curve.persons, rates, strict=False)]

    parts = []
    for share in (0, 0.5, 1):
        parts.append(_line(LEFT, y(top * share), RIGHT, y(top * share), "rule"))
        parts.append(_text(LEFT - 6, y(top * share) + 4, plain(words.share(top * share / 100)), "soft", 11, "end"))
    for persons in _ticks(curve.persons[0], curve.persons[-1]):
        parts.append(_line(x(persons), BOTTOM, x(persons), BOTTOM + 4, "soft"))
        parts.append(_text(x(persons), BOTTOM + 16, words.number(persons), "soft", 11, "middle"))
    parts.append(_text(RIGHT, BOTTOM + 32, plain(words("plan.picture.persons")), "soft", 11, "end"))
    if curve.mean:
        band = " ".join([*points(curve.favourable), *reversed(points(curve.unfavourable))])
        shape = '<polygon points="{}" class="f-alert" fill="{}" fill-opacity="0.35"/>'
        parts.append(Markup(shape).format(band, COLOURS["alert"]))
    drawn = {name: getattr(curve, name) for name in STYLES if getattr(curve, name)}
    parts += [_path(points(rates), name) for name, rates in drawn.items()]
    parts.append(_line(LEFT, y(plan.tolerated), RIGHT, y(plan.tolerated), "alarm"))
    told = plain(words("plan.picture.tolerated", share=words.share(plan.tolerated / 100)))
    parts.append(_text(LEFT + 4, y(plan.tolerated) - 4, told, "alarm", 11))
    parts.append(_line(x(plan.persons), TOP - 6, x(plan.persons), BOTTOM, "ink"))
    side = "start" if x(plan.persons) < WIDTH / 2 else "end"
    parts.append(
        _text(x(plan.persons), TOP - 12, plain(words("plan.picture.planned", n=plan.persons)), size=11, anchor=side)
    )
    legend = _legend(list(drawn), bool(curve.mean), words)
    title, desc = plain(words("plan.picture.title")), _told(plan, words)
    return _svg(BOTTOM + 44 + 18 * math.ceil(len(legend) / 2), title, desc, [*parts, *legend])


def _told(plan: Plan, words: Words) -> str:
    """The picture for those who do not see it."""
    said = [
        f"{words.number(n)}: {plain(words.share(rate / 100))}"
        for n, rate in zip(plan.curve.persons[::5], plan.curve.orwell[::5], strict=True)
    ]
    return f"{plain(words('plan.estimator.orwell'))}: {'; '.join(said)}"


def _path(points: Sequence[str], name: str) -> Markup:
    colour, thick, dashes = STYLES[name]
    shape = '<polyline points="{}" fill="none" class="l-{}" stroke="{}" stroke-width="{}" stroke-dasharray="{}"/>'
    return Markup(shape).format(" ".join(points), colour, COLOURS[colour], thick, dashes or "none")


def _legend(names: Sequence[str], band: bool, words: Words) -> list[Markup]:
    """A sample of each line with its name, two in a row."""
    found = []
    for i, name in enumerate([*names, *(["band"] if band else [])]):
        left, top = (i % 2) * (WIDTH / 2), BOTTOM + 48 + 18 * (i // 2)
        if name == "band":
            shape = '<rect x="{:g}" y="{:g}" width="26" height="9" class="f-alert" fill="{}" fill-opacity="0.35"/>'
            sample = Markup(shape).format(left, top - 5, COLOURS["alert"])
        else:
            sample = _path([f"{left:g},{top:g}", f"{left + 26:g},{top:g}"], name)
        key = "plan.estimator" if name in ("orwell", "fg", "rt", "rr") else "plan.picture"
        found.append(sample + _text(left + 32, top + 4, plain(words(f"{key}.{name}")), size=11))
    return found


def _ticks(first: int, last: int) -> list[int]:
    """Round numbers on a scale where equal steps multiply: powers of ten, and twice and five times them if few."""
    for steps in ((1, 2, 5), (1,)):
        powers = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
        found = [step * 10**power for power in powers for step in steps if first <= step * 10**power <= last]
        if len(found) <= 7:
            break
    return found[:: math.ceil(len(found) / 7)] if found else [first]


def _round_up(value: float) -> float:
    power = 10 ** math.floor(math.log10(value))
    return min(float(next(step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9))), 100.0)
