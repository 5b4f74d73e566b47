"""Tries techniques on a release one after the other: those that were asked for, or all that fit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from schleier.core.attack import Attack
from schleier.core.errors import DataError, Problem, SchleierError, WriteError
from schleier.core.failures import DEBUG, defect, explain_system
from schleier.core.interrupts import received
from schleier.core.measure import Measure
from schleier.core.pieces import made, piece
from schleier.core.run import Run
from schleier.flow.attack.attempt import Judge, LeftOut, Tried
from schleier.flow.attack.gathering import Gathering
from schleier.flow.attack.scene import Scene
from schleier.flow.attack.techniques import fitted, fitting, looking_by
from schleier.flow.run.measuring import Measured, measured, steady, unrepeated

EVERY = "every_fitting_attack"
AUTO = str(piece(EVERY)["attack"])
"""Stands for all attacks that fit."""


@dataclass
class Trying:
    """What came of techniques, and which were left out."""

    tried: list[Tried] = field(default_factory=list)
    told: list[Measured | None] = field(default_factory=list, repr=False)
    """What was measured of each; nothing where nobody judged."""
    left_out: list[LeftOut] = field(default_factory=list)

    def add(self, found: tuple[Tried, Measured | None]) -> None:
        """One more that was tried."""
        self.tried.append(found[0])
        self.told.append(found[1])

    def settle(self) -> None:
        """Tell those alike in public that claim almost the same."""
        judged = iter(steady([one for one in self.told if one is not None]))
        both = zip(self.tried, self.told, strict=True)
        self.tried = [t if m is None else t.model_copy(update={"public": next(judged).public}) for t, m in both]


def try_all(scene: Scene, wanted: Sequence[Measure], by: tuple[str, ...], run: Run) -> Trying:
    """Every technique that can be tried here.

    What is wrong with those that were asked for is said at once, and stops all. One that nobody asked for by name, and
    that cannot be tried here, is left out with the reason.
    """
    done, found = Trying(), Gathering()
    for entry in wanted or [made(EVERY)]:
        automatic = entry.word() == AUTO
        fit = looking_by(_parts(entry, scene, run, done), by)
        parts = unrepeated(fit, entry, wanted, scene.case.released.schema)
        for one in fitted(parts, scene.case, automatic=automatic):
            if automatic:
                _leniently(scene, one, run, done)
            elif (told := found.part(partial(_try, scene, one, run))) is not None:
                done.add(told)
    found.settle()
    if not done.tried:
        message, hint = "no technique fits this release and this file", "name one (--technique), or more columns (--by)"
        why = dict.fromkeys(problem for one in done.left_out for problem in one.problems)
        raise DataError([Problem("no-attack-fits", "techniques", message, hint), *why])
    done.settle()
    return done


def _leniently(scene: Scene, one: Measure, run: Run, done: Trying) -> None:
    """Try a technique that nobody asked for by name; where it fails, the others are still worth trying."""
    try:
        done.add(_try(scene, one, run))
    except WriteError:  # nothing else can be written either
        raise
    except SchleierError as error:
        done.left_out.append(LeftOut(attack=one.word(), problems=error.problems))
    except Exception as error:
        if received() or os.environ.get(DEBUG):
            raise
        known = explain_system(error)
        done.left_out.append(LeftOut(attack=one.word(), problems=known.problems if known else (defect(error),)))


def _parts(entry: Measure, scene: Scene, run: Run, done: Trying) -> Sequence[Measure]:
    """What is tried in place of an entry; to choose all attacks that fit one must see the original."""
    if entry.word() == AUTO and scene.judged_by != "original":
        fit, lacking = fitting(scene.case, scene.subject.before)
        done.left_out += [LeftOut(attack=word, problems=problems) for word, problems in lacking]
        return fit
    with run.within(entry.label(scene.case.released.schema)):
        return entry.parts(scene.case, run)


def _try(scene: Scene, one: Measure, run: Run) -> tuple[Tried, Measured | None]:
    case, parameters = scene.case, one.parameters(public=True)
    if isinstance(one, Attack) and _nobody_can_judge(scene.judged_by, one):
        with run.within(one.label(case.released.schema)), run.progress(f"attacking: {one.word()}"):
            targets, claims = one.unjudged(case, run)
        return Tried(attack=one.word(), parameters=parameters, targets=targets, claims=claims), None
    open_file = scene.subject.open_file
    (told,) = measured((one,), case, run, "attacking", open_file=open_file)
    return Tried(attack=one.word(), parameters=parameters, exact=told.exact), told


def _nobody_can_judge(judge: Judge, one: Attack) -> bool:
    return judge == "nobody" or (judge == "pairs" and not one.judged_by_pairs())
