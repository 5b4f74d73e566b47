"""Units looked for as a whole: households, owners, persons with many records; the trustee alone knows who is who."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, Problem
from schleier.core.trust.answer import Answer
from schleier.core.trust.trustee import ALIAS, TARGET, Trustee, harmonised
from schleier.core.units import draw_units

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.engine import Engine
    from schleier.core.measure import Case
    from schleier.core.run import Run

WHOLE = "_whole_"
"""Alias of the unit of a released record."""
SOUGHT = "_sought_"
"""Alias of the unit of a known record."""
TRUTH, OWNER, COUNT = "_truth_", "_owner_", "_n_"


@dataclass(frozen=True)
class WholeAnswer(Answer):
    """Counts of units. A target may have several in the release, where its records have different numbers."""

    pairs: int = 0
    """Units of the release that are a target's."""

    @property
    def guess(self) -> float:
        """Probability that blind guessing names one of the units of a target."""
        return self.pairs / self.targets / self.records if self.targets and self.records else 0.0


@dataclass(frozen=True)
class Together:
    """What an attacker on units gets, and those who judge his claims."""

    released: Dataset
    """Records with an alias of their own and that of their unit."""
    known: Dataset
    """What is known of each target: some or all of its records, with an alias of their own and that of the target."""
    units: int
    """Units in the release."""
    contained: int
    """Targets of which it holds a unit."""
    wholes: Trustee
    """Judges pairs of units, under the names of target and alias."""
    members: Trustee
    """Judges pairs of records."""

    def answer(self, claims: nw.LazyFrame[Any]) -> Answer:
        """Counts for pairs of units."""
        told = self.wholes.answer(claims)
        return WholeAnswer(told.targets, self.contained, told.claims, told.correct, self.units, pairs=told.contained)


def together_of(
    case: Case, columns: tuple[str, ...], targets: int | None, run: Run, *, from_file: bool, few: int | None = None
) -> Together:
    """Draw units as targets, of each ``few`` records or all; a unit of the release is whose most of its records are."""
    import narwhals as nw

    original, released = case.original, case.released
    engine, names = original.engine, released.schema.names
    people = case.known if from_file else original
    if people is None or (from_file and case.truth is None):
        hint = 'name the files under [data]: known = "...", truth = "..."'
        raise DataError(Problem("no-knowledge", "data", "there is no file of what an attacker knows", hint))
    true = nw.col(released.schema.key).cast(nw.String).alias(TRUTH)
    shown = run.draw(draw_units(released, run, WHOLE, "alias of a unit"), ALIAS, "alias")
    aliased = engine.keep(shown.frame.select(ALIAS, WHOLE, true, *names))
    sought = run.draw(draw_units(people, run, SOUGHT, "sought"), TARGET, "target")
    if targets is not None:
        chosen = sought.frame.select(SOUGHT).unique().sort(SOUGHT).head(targets)
        sought = replace(sought, frame=sought.frame.join(chosen, on=SOUGHT, how="inner"))
    sought = replace(sought, frame=engine.keep(sought.frame))
    if from_file:
        truth = _linked(sought, case)
    else:
        truth = sought.frame.select(TARGET, SOUGHT, nw.col(original.schema.key).cast(nw.String).alias(TRUTH))
    owner = engine.keep(_named_by_a_record(draw_units(original, run, OWNER, "owner").frame.select(true, OWNER)))
    theirs = engine.keep(_owners(aliased.select(WHOLE, TRUTH), WHOLE, owner))
    mine = engine.keep(_owners(truth.select(SOUGHT, TRUTH), SOUGHT, owner))
    known = harmonised(sought, case.steps, columns, run)
    part = _some(known.frame.select(TARGET, SOUGHT, *columns), engine, few)
    seen, held = replace(known, frame=part), released.reframed(aliased.select(ALIAS, WHOLE, *names))
    every = sought.frame.select(SOUGHT).unique().join(mine, on=SOUGHT, how="left")
    told = every.select(nw.col(SOUGHT).alias(TARGET), nw.col(OWNER).alias(TRUTH))
    whole = theirs.select(nw.col(WHOLE).alias(ALIAS), nw.col(OWNER).alias(TRUTH))
    told, units = engine.keep(told), aliased.select(n=nw.col(WHOLE).n_unique())
    there = told.join(whole, on=TRUTH, how="inner").select(n=nw.col(TARGET).n_unique())
    return Together(
        held,
        seen,
        _first(engine, units),
        _first(engine, there),
        Trustee(held, seen, whole, told),
        Trustee(held, seen, aliased.select(ALIAS, TRUTH), engine.keep(truth.select(TARGET, TRUTH))),
    )


def _first(engine: Engine, counted: nw.LazyFrame[Any]) -> int:
    return int(engine.arrays(counted)["n"][0].as_py() or 0)


def _linked(sought: Dataset, case: Case) -> nw.LazyFrame[Any]:
    """Entries of a file with the records they are about."""
    import narwhals as nw

    assert case.truth is not None
    first, second = case.truth.collect_schema().names()[:2]
    truth = case.truth.select(nw.col(first).cast(nw.String).alias(TRUTH), nw.col(second).cast(nw.String).alias("_e_"))
    entries = sought.frame.select(TARGET, SOUGHT, nw.col(sought.schema.key).cast(nw.String).alias("_e_"))
    return entries.join(truth, on="_e_", how="left").select(TARGET, SOUGHT, TRUTH)


def _named_by_a_record(owners: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Owners under the first of their row keys: in all experiments the same, and who has one record is that record."""
    import narwhals as nw

    first = owners.group_by(OWNER).agg(_first_=nw.col(TRUTH).min())
    return owners.join(first, on=OWNER, how="inner").select(TRUTH, nw.col("_first_").alias(OWNER))


def _owners(records: nw.LazyFrame[Any], unit: str, owner: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """The unit of the original that more than half of the records of a unit are from; none where no one has so many."""
    import narwhals as nw

    sizes = records.group_by(unit).agg(_all_=nw.len())
    parts = records.join(owner, on=TRUTH, how="inner").group_by(unit, OWNER).agg(**{COUNT: nw.len()})
    most = parts.join(sizes, on=unit, how="inner").filter(nw.col(COUNT) * 2 > nw.col("_all_"))
    return most.select(unit, OWNER)


def _some(frame: nw.LazyFrame[Any], engine: Engine, few: int | None) -> nw.LazyFrame[Any]:
    """So many records of each target, drawn; all of them without a number."""
    import numpy as np
    import pyarrow as pa

    from schleier.core.engine import Source

    if few is None:
        return engine.keep(frame)
    table = engine.arrays(frame).sort_by([(SOUGHT, "ascending"), (TARGET, "ascending")])
    whose = table[SOUGHT].to_numpy()
    first = np.flatnonzero(np.append(True, whose[1:] != whose[:-1])) if len(whose) else np.zeros(0, dtype=np.int64)
    rank = np.arange(len(whose)) - np.repeat(first, np.diff(np.append(first, len(whose))))
    return engine.read(Source(table.filter(pa.array(rank < few))))
