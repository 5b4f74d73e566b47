"""Measures and attacks on a finished table: what they find, and what of it everybody may read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schleier.core.attack import Attack
from schleier.core.measure import Case, Finding, Measure
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.core.trust.holding import Claimed, Held, claimed_in, hold, told_as
from schleier.core.trust.outsiders import for_outsiders, rows_for_outsiders
from schleier.core.trust.overheard import listening


@dataclass(frozen=True)
class Measured:
    """What a measure or an attack found, and what of it may be published."""

    exact: Finding
    public: Finding | None
    claimed: Claimed | None = field(default=None, repr=False)
    """What an attack claimed, as far as others of the same report are compared with it."""
    measure: Measure | None = field(default=None, repr=False)


def measured(
    measures: tuple[Measure, ...],
    case: Case,
    session: Run,
    what: str,
    *,
    open_file: bool,
) -> tuple[Measured, ...]:
    """Every measure, or attack, with its parts; of a file that is not open, outsiders read less."""
    found = []
    for entry in measures:
        with session.within(entry.label(case.released.schema)):
            parts = unrepeated(entry.parts(case, session), entry, measures, case.released.schema)
        for measure in parts:
            label = measure.label(case.released.schema)
            with session.within(label), session.progress(f"{what}: {measure.word()}"):
                exact, claimed = _tried(measure, case, session)
                public = measure.disclose(case, session, exact)
            if public is not None and not open_file:
                rows = rows_for_outsiders(case.released.rows, case.steps)
                public = for_outsiders(public, measure, rows)
            found.append(Measured(exact, public, claimed if public is not None else None, measure))
    return tuple(found)


def unrepeated(
    parts: Sequence[Measure], entry: Measure, named: Sequence[Measure], released: Schema
) -> Sequence[Measure]:
    """The parts of an entry without those that somebody named beside it, who may have said for how many persons."""
    if entry in parts:
        return parts
    also = [_effect(one, released) for one in named]
    return [one for one in parts if _effect(one, released) not in also]


def _effect(measure: Measure, released: Schema) -> tuple[str, dict[str, Any]]:
    """What is tried, but for its name and for how many persons."""
    given = measure.model_dump(exclude={"name", "targets"})
    keys = {"known": measure.keys(released)} if isinstance(measure, Attack) else {}
    return measure.word(), given | keys


def _tried(measure: Measure, case: Case, session: Run) -> tuple[Finding, Claimed | None]:
    """What a measure finds; of an attack also what it claimed."""
    if not isinstance(measure, Technique):
        return measure.measure(case, session), None
    with listening() as heard:
        exact = measure.measure(case, session)
    return exact, claimed_in(exact, getattr(measure, "sensitive", ""), heard)


def steady(found: Sequence[Measured]) -> tuple[Measured, ...]:
    """Attacks of one report, those that claim almost the same as an earlier one told as that one, or not at all.

    Of those that claim something else of almost the same persons it is not told what that is against the guess.
    """
    told = list(found)
    for place, how in enumerate(hold([one.claimed for one in found])):
        own, earlier = found[place].public, told[how.place].public
        measure = found[place].measure
        if how != Held(place) and own is not None and earlier is not None and isinstance(measure, Technique):
            told[place] = replace(found[place], public=told_as(own, earlier, measure.openness, how))
    return tuple(told)
