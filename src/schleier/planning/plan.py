"""Puts a plan together: estimates, simulated surveys, merges, the fewest persons, and the curve."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

from schleier import __version__
from schleier.core.failures import public
from schleier.core.run import Run
from schleier.flow.survey import (
    Curve,
    Estimated,
    Estimator,
    EvenAnswers,
    Merged,
    Merges,
    Plan,
    PlannedQuestion,
    Simulated,
)
from schleier.planning.design import Design, Grouping, Question
from schleier.planning.estimators import Cells, even, fewest_persons, fg, independent_orwell, orwell, rate
from schleier.planning.merges import EQUAL, cheapest
from schleier.planning.reading import design_from_file
from schleier.planning.simulation import repeats_for, size_summary, uniques

POINTS = 31
"""Numbers of persons on the curve."""
CURVE_REPEATS = 200
"""Simulated surveys behind the curve."""
ENOUGH = 50
"""Simulated surveys from which on a size is drawn in the curve."""
FARTHEST = 100
"""The curve ends at so many times the persons planned, at most."""

WAYS = {"favourable": "min", "mean": "mean", "unfavourable": "max"}
"""What is told of the simulated surveys of one size."""


@public
def plan(design: Design | Path | str, key: bytes | None = None) -> Plan:
    """How identifiable the persons of a survey would be; its design may be a file.

    Without a key the same design gives the same plan.

    >>> sex = Question("sex", (Fraction(1, 2), Fraction(1, 2)))
    >>> age = Question("age", tuple(Fraction(part, 10) for part in (4, 3, 2, 1)), ordered=True)
    >>> found = plan(Design(100, Fraction(5), (sex, age)))
    >>> found.met, found.smallest_orwell, found.merges.questions[0].groups
    (False, 144, ((1, 2),))
    """
    if not isinstance(design, Design):
        design = design_from_file(design)
    run = Run(key=key or _key_of(design))
    counts, used, cells = [len(q.shares) for q in design.questions], orwell(design), Cells.of(design)
    found: dict[Estimator, int | float | None] = {
        "fg": fg(counts),
        "rt": cells.rt(design.persons) if cells else None,
        "rr": cells.rr(design.persons) if cells else None,
        "orwell": used,
    }
    simulated = _simulated(design, run, "survey")
    expected, alone = even(design.persons, design.combinations)
    least = fewest_persons(fg(counts), design.tolerated), fewest_persons(used, design.tolerated)
    return Plan(
        schleier=__version__,
        design=design.name,
        persons=design.persons,
        tolerated=float(design.tolerated),
        questions=tuple(_question(question) for question in design.questions),
        combinations=design.combinations,
        correlated=design.joint is not None,
        independent_orwell=independent_orwell(design) if design.joint else None,
        unseen=float(design.joint.unseen) if design.joint and design.joint.unseen is not None else None,
        estimates=tuple(_estimated(name, unique, design) for name, unique in found.items()),
        even=EvenAnswers(expected=expected, share=alone, unique=alone * design.persons),
        simulated=simulated,
        merges=_merges(design, run) if design.persons < least[1] else None,
        attainable=design.most >= 1,
        smallest_fg=least[0],
        smallest_orwell=least[1],
        curve=_curve(design, cells, used, least[1], simulated, run),
        experiment=design.experiment.told() if design.experiment else None,
    )


def _key_of(design: Design) -> bytes:
    """A key that follows from the design: nothing here is secret, and a plan should not change by itself."""
    return hashlib.sha256(repr((design.persons, design.questions, design.joint)).encode()).digest()


def _question(question: Question) -> PlannedQuestion:
    return PlannedQuestion(
        name=question.name,
        categories=len(question.shares),
        used=question.used,
        bits=question.bits,
        ordered=question.ordered,
        from_file=question.from_file,
    )


def _estimated(name: Estimator, unique: float | None, design: Design) -> Estimated:
    if unique is None:
        return Estimated(estimator=name, unique=None, rate=None, meets=None)
    told = rate(unique, design.persons)
    # Rounding of the coefficient must not decide.
    meets = told <= design.tolerated * (1 + Fraction(1, 10**12)) if name == "orwell" else told <= design.tolerated
    return Estimated(estimator=name, unique=float(unique), rate=float(told), meets=bool(meets))


def _simulated(design: Design, run: Run, purpose: str) -> Simulated | None:
    repeats = repeats_for(design, [design.persons])
    if not repeats:
        return None
    return size_summary(uniques(design, [design.persons], repeats, run.rng(f"plan:{purpose}"))[:, 0])


def _merges(design: Design, run: Run) -> Merges | None:
    best = cheapest(design)
    if best is None or best.lost <= EQUAL:
        return None
    after = design.merged(best.groupings)
    used, before = orwell(after), math.log2(orwell(design))
    pairs = zip(design.questions, best.groupings, strict=True)
    return Merges(
        exact=best.exact,
        questions=tuple(_merged(q, grouping) for q, grouping in pairs if max(grouping) + 1 < len(grouping)),
        lost=best.lost,
        lost_share=min(best.lost / before, 1.0),
        unique=used,
        rate=float(rate(used, design.persons)),
        simulated=_simulated(after, run, "merged"),
    )


def _merged(question: Question, grouping: Grouping) -> Merged:
    members = [tuple(i for i, group in enumerate(grouping) if group == one) for one in range(max(grouping) + 1)]
    together = [group for group in members if len(group) > 1]
    labels = tuple(tuple(question.labels[i] for i in group) for group in together) if question.labels else ()
    numbers = tuple(tuple(i + 1 for i in group) for group in together)
    return Merged(question=question.name, groups=numbers, labels=labels, left=len(members))


def _curve(design: Design, cells: Cells | None, used: float, least: int, planned: Simulated | None, run: Run) -> Curve:
    """Numbers of persons in equal ratios around those planned and those needed; simulated as far as that is quick.

    Where it passes the number ``planned`` it tells the surveys that were simulated for that: more of them, and one
    number for one thing.
    """
    last = min(max(4 * design.persons, 2 * least), FARTHEST * design.persons)
    sizes = _sizes(max(design.persons // 10, 1), max(last, 10), design.persons)
    free = fg([len(question.shares) for question in design.questions])

    def rates(found: Sequence[float]) -> tuple[float, ...]:
        return tuple(float(rate(unique, size)) for unique, size in zip(found, sizes, strict=False))

    quick = [size for size in sizes if repeats_for(design, [size] * len(sizes), CURVE_REPEATS) >= ENOUGH]
    repeats = repeats_for(design, quick, CURVE_REPEATS) if quick else 0
    drawn = uniques(design, quick, repeats, run.rng("plan:curve")) if repeats else None

    def simulated(way: Literal["favourable", "mean", "unfavourable"]) -> tuple[float, ...]:
        if drawn is None:
            return ()
        found = getattr(drawn, WAYS[way])(axis=0).tolist()
        known = {design.persons: getattr(planned, way)} if planned else {}
        return rates([known.get(size, unique) for size, unique in zip(quick, found, strict=True)])

    return Curve(
        persons=tuple(sizes),
        fg=rates([free] * len(sizes)),
        rt=rates([cells.rt(size) for size in sizes]) if cells else (),
        rr=rates([cells.rr(size) for size in sizes]) if cells else (),
        orwell=rates([used] * len(sizes)),
        repeats=repeats,
        favourable=simulated("favourable"),
        mean=simulated("mean"),
        unfavourable=simulated("unfavourable"),
    )


def _sizes(first: int, last: int, planned: int) -> list[int]:
    steps = [round(first * (last / first) ** (i / (POINTS - 1))) for i in range(POINTS)]
    return sorted({*steps, planned})
