"""Measures and attacks on a finished table: what they find, and what of it everybody may read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schleier.core.measure import Case, Finding, Measure
from schleier.core.run import Run
from schleier.core.trust.outsiders import for_outsiders, rows_for_outsiders


@dataclass(frozen=True)
class Measured:
    """What a measure or an attack found, and what of it may be published."""

    exact: Finding
    public: Finding | None


def measured(
    measures: tuple[Measure, ...],
    case: Case,
    session: Run,
    what: str,
    *,
    open_file: bool,
    hide: Callable[[Finding], Finding] = lambda exact: exact,
) -> tuple[Measured, ...]:
    """Every measure, or attack, with its parts; of a file that is not open, outsiders read less.

    ``hide`` takes away what nobody but the holder may be told, in any form.
    """
    found = []
    for entry in measures:
        with session.within(entry.label(case.released.schema)):
            parts = entry.parts(case, session)
        for measure in parts:
            label = measure.label(case.released.schema)
            with session.within(label), session.progress(f"{what}: {measure.word()}"):
                exact = measure.measure(case, session)
                public = measure.disclose(case, session, hide(exact))
            if public is not None and not open_file:
                rows = rows_for_outsiders(case.released.rows, case.steps)
                public = for_outsiders(public, measure, rows)
            found.append(Measured(exact, public))
    return tuple(found)
