"""A plan in words: the verdict, the answers below it, and the tables; for the page and the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from schleier.flow.survey import Merged, Plan
from schleier.report.front import Answer, Box, Remark
from schleier.report.language import Words, name
from schleier.report.planning.picture import curve

CURVE_ROWS = 8
"""Numbers of persons in the table below the curve."""
BEND = 2
"""Persons for each combination above which uneven answers leave more of them alone than even ones."""


@dataclass(frozen=True)
class Shown:
    """Everything the page and the terminal show."""

    title: Markup
    front: Box
    estimates: list[list[Markup]]
    """Estimator, combinations with one person, rate, whether it is tolerated."""
    notes: list[Markup]
    """What to think of the estimates."""
    questions: list[list[Markup]]
    """Question, categories, used in the mean, bits."""
    merges: list[Remark]
    persons: list[Markup]
    picture: Markup
    curve: list[list[Markup]]
    """Persons, FG, RT, RR, ORWELL, simulated mean."""


def tell_plan(plan: Plan, words: Words) -> Shown:
    """A plan in the words of a language."""
    return Shown(
        title=name(plan.design) if plan.design else words("plan.unnamed"),
        front=_front(plan, words),
        estimates=_estimates(plan, words),
        notes=_notes(plan, words),
        questions=[
            [name(q.name), Markup(words.number(q.categories)), _rounded(q.used, words), _rounded(q.bits, words)]
            for q in plan.questions
        ],
        merges=_merges(plan, words),
        persons=_persons(plan, words),
        picture=curve(plan, words),
        curve=_curve(plan, words),
    )


def _front(plan: Plan, words: Words) -> Box:
    mark, headline = _verdict(plan, words)
    many = {"persons": plan.persons, "combinations": plan.combinations}
    going = words("plan.what.correlated" if plan.correlated else "plan.what.independent")
    answers = [
        Answer(
            words("plan.ask.what"), [Remark(words("plan.what.asked", n=len(plan.questions), **many)), Remark(going)]
        ),
        Answer(words("plan.ask.alone"), _alone(plan, words)),
        Answer(words("plan.ask.merge"), _short(plan, words)),
        Answer(words("plan.ask.persons"), [Remark(one) for one in _persons(plan, words)[:1]]),
    ]
    points = sum(one.mark in ("mind", "bad") for answer in answers for one in answer.said)
    return Box(mark, headline, answers, points)


def _verdict(plan: Plan, words: Words) -> tuple[str, Markup]:
    tolerated = words.share(plan.tolerated / 100)
    if not plan.attainable:
        return "bad", words("plan.verdict.unattainable", n=plan.persons, tolerated=tolerated)
    if not plan.met:
        most = max(plan.estimate("orwell").rate or 0.0, plan.rate(plan.simulated.mean) if plan.simulated else 0.0)
        return "bad", words("plan.verdict.broken", rate=words.share(most / 100), tolerated=tolerated)
    if 100 * (plan.unseen or 0.0) > plan.tolerated:
        return "mind", words("plan.verdict.pilot", tolerated=tolerated)
    if plan.simulated and plan.rate(plan.simulated.unfavourable) > plan.tolerated:
        return "mind", words("plan.verdict.mostly", tolerated=tolerated)
    return "good", words("plan.verdict.met", tolerated=tolerated)


def _alone(plan: Plan, words: Words) -> list[Remark]:
    told = plan.estimate("orwell")
    tolerated = words.share(plan.tolerated / 100)
    first = words("plan.alone.orwell", rate=_percent(told.rate, words), tolerated=tolerated)
    said = [Remark(first, "good" if told.meets else "bad")]
    if plan.unseen:
        mark = "mind" if 100 * plan.unseen > plan.tolerated else ""
        said.append(Remark(words("plan.alone.unseen", share=words.share(plan.unseen)), mark))
    if not plan.simulated:
        return [*said, Remark(words("plan.alone.not_simulated"), "mind")]
    found = plan.simulated
    mean, low, high = (_percent(plan.rate(count), words) for count in (found.mean, found.low, found.high))
    mark = "good" if plan.rate(found.mean) <= plan.tolerated else "bad"
    said.append(Remark(words("plan.alone.simulated", n=found.repeats, mean=mean, low=low, high=high), mark))
    extremes = {"favourable": found.favourable, "unfavourable": found.unfavourable, "persons": plan.persons}
    worst = plan.rate(found.unfavourable) > plan.tolerated
    return [*said, Remark(words("plan.alone.range", **extremes), "mind" if worst else "")]


def _estimates(plan: Plan, words: Words) -> list[list[Markup]]:
    rows = [
        [
            words(f"plan.estimator.{one.estimator}"),
            words("plan.alone.unknown") if one.unique is None else _rounded(one.unique, words),
            _percent(one.rate, words),
            Markup("–") if one.meets is None else words("value.yes" if one.meets else "value.no"),
        ]
        for one in plan.estimates
    ]
    if plan.simulated:
        for key in ("favourable", "mean", "unfavourable"):
            count = getattr(plan.simulated, key)
            meets = words("value.yes" if plan.rate(count) <= plan.tolerated else "value.no")
            label = words(f"plan.simulated.{key}")
            rows.append([label, _rounded(count, words), _percent(plan.rate(count), words), meets])
    return rows


def _notes(plan: Plan, words: Words) -> list[Markup]:
    """What the estimates are worth here."""
    told = []
    if plan.estimate("rt").unique is None:
        told.append(words("plan.alone.too_many"))
    if plan.simulated:
        safe = (plan.estimate("orwell").rate or 0.0) >= plan.rate(plan.simulated.unfavourable)
        told.append(words("plan.alone.safe" if safe else "plan.alone.unsafe"))
    if plan.independent_orwell is not None:
        told.append(words("plan.alone.dependent", unique=_rounded(plan.independent_orwell, words)))
    return [*told, *_even(plan, words), words("plan.alone.sparse"), *_experiment(plan, words)]


def _even(plan: Plan, words: Words) -> list[Markup]:
    """The arithmetic of cells; x e^-Nx bends at two persons for a combination, so that unevenness adds or takes."""
    if (found := plan.even) is None:
        return []
    told = words(
        "plan.alone.even",
        combinations=plan.combinations,
        expected=_rounded(found.expected, words),
        share=words.share(found.share),
        unique=_rounded(round(found.unique, 2), words),
    )
    return [told + " " + words("plan.alone.more" if found.expected > BEND else "plan.alone.fewer")]


def _experiment(plan: Plan, words: Words) -> list[Markup]:
    """What an experiment tells of attackers."""
    told = []
    found = plan.experiment
    if found and (one := found.tries):
        counts: dict[str, Any] = {"n": one.wanted, "tried": one.tried, "low": _rounded(one.low, words)}
        if one.tries is None or one.wrong is None or one.high is None:
            told.append(words("plan.experiment.nobody", **counts))
        else:
            counts |= {"right": one.right, "tries": _rounded(one.tries, words), "wrong": _rounded(one.wrong, words)}
            told.append(words("plan.experiment.tries", high=_rounded(one.high, words), **counts))
    if found and (same := found.differences):
        pairs: dict[str, Any] = {"n": same.columns, "pairs": same.pairs, "identical": same.identical}
        pairs |= {name: words.share(getattr(same, name)) for name in ("rate", "low", "high")}
        told.append(words("plan.experiment.differences", **pairs))
    return told


def _merges(plan: Plan, words: Words) -> list[Remark]:
    if plan.estimate("orwell").meets:
        return [Remark(words("plan.merge.none")) if plan.met else Remark(words("plan.merge.rely"), "bad")]
    if plan.merges is None:
        return [Remark(words("plan.merge.impossible"), "bad")]
    found = plan.merges
    said = [Remark(_merged(one, words)) for one in found.questions]
    bits, share = _rounded(found.lost, words), words.share(found.lost_share)
    lost = words("plan.merge.lost", rate=_percent(found.rate, words), lost=bits, share=share)
    said.append(Remark(lost + " " + words("plan.merge.exact" if found.exact else "plan.merge.stepwise")))
    if found.simulated:
        mean, worst = plan.rate(found.simulated.mean), plan.rate(found.simulated.unfavourable)
        told = words("plan.merge.simulated", mean=_percent(mean, words), unfavourable=_percent(worst, words))
        said.append(Remark(told, "bad" if mean > plan.tolerated else "mind" if worst > plan.tolerated else "good"))
    return said


def _short(plan: Plan, words: Words) -> list[Remark]:
    """The merges in one sentence."""
    found = plan.merges
    if found is None:
        return _merges(plan, words)
    names = words.names([one.question for one in found.questions], most=8)
    share, total = words.share(found.lost_share), sum(len(group) - 1 for one in found.questions for group in one.groups)
    return [Remark(words("plan.merge.short", n=total, questions=names, share=share))]


def _merged(one: Merged, words: Words) -> Markup:
    groups: Sequence[Sequence[str]] = one.labels or [_runs(group) for group in one.groups]
    told = Markup("; ").join(Markup(" + ").join(name(str(part)) for part in group) for group in groups)
    return words("plan.merge.question", n=one.left, question=name(one.question), groups=told)


def _persons(plan: Plan, words: Words) -> list[Markup]:
    tolerated = words.share(plan.tolerated / 100)
    return [
        words("plan.persons.orwell", n=plan.smallest_orwell, tolerated=tolerated),
        words("plan.persons.fg", n=plan.smallest_fg),
        words("plan.persons.others"),
    ]


def _curve(plan: Plan, words: Words) -> list[list[Markup]]:
    curve = plan.curve
    step = max((len(curve.persons) - 1) / (CURVE_ROWS - 1), 1)
    places = {round(i * step) for i in range(CURVE_ROWS) if round(i * step) < len(curve.persons)}
    lines = (curve.fg, curve.rt, curve.rr, curve.orwell, curve.mean)
    return [
        [
            Markup(words.number(curve.persons[i])),
            *(_percent(line[i], words) if i < len(line) else Markup("–") for line in lines),
        ]
        for i in sorted({*places, curve.persons.index(plan.persons)})
    ]


def _percent(rate: float | None, words: Words) -> Markup:
    return Markup("–") if rate is None else words.share(rate / 100)


def _rounded(value: float, words: Words) -> Markup:
    return Markup(words.number(value, 4))


def _runs(numbers: Sequence[int]) -> list[str]:
    """Numbers, with more than three in a row as their ends.

    >>> _runs((1, 2, 3, 5, 6, 7, 8, 10))
    ['1', '2', '3', '5–8', '10']
    """
    found: list[list[int]] = []
    for one in numbers:
        if found and one == found[-1][-1] + 1:
            found[-1].append(one)
        else:
            found.append([one])
    return [text for run in found for text in (map(str, run) if len(run) < 4 else [f"{run[0]}–{run[-1]}"])]
