"""The trustee alone knows who is who; attackers hand in claims and get counts back, nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, InfeasibleError, Problem
from schleier.core.method import Method
from schleier.kernels.trials import Trials

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run

ALIAS = "_alias_"
"""Running number without meaning that an attacker sees in place of a row key."""
TARGET = "_target_"
"""The same for the persons an attacker looks for."""


@dataclass(frozen=True)
class Answer:
    """What the trustee tells: counts."""

    targets: int
    """Persons looked for."""
    contained: int
    """Targets that are in the release."""
    claims: int
    """Assertions "this record is that person"."""
    correct: int
    """Assertions that are right."""
    records: int
    """Records in the release."""

    @property
    def found(self) -> Trials:
        """Targets rightly found: the probability of re-identification (M-08)."""
        return Trials(self.correct, self.targets)

    @property
    def right(self) -> Trials:
        """Assertions that are right: the attacker never knows which (M-09 is the rest)."""
        return Trials(self.correct, self.claims)

    @property
    def guess(self) -> float:
        """Probability that blind guessing names the right record of a target."""
        return self.contained / self.targets / self.records if self.targets and self.records else 0.0


@dataclass(frozen=True)
class Trustee:
    """Holds the truth of one experiment.

    ``released`` and ``known`` are what the attacker gets: the release with aliases, and the targets with what is
    known about them. The row keys never leave the trustee.
    """

    released: Dataset
    known: Dataset
    _release_truth: nw.LazyFrame[Any]
    _target_truth: nw.LazyFrame[Any]

    def answer(self, claims: nw.LazyFrame[Any]) -> Answer:
        """Counts for claims: pairs of target and alias."""
        import narwhals as nw

        engine = self.released.engine
        claims = engine.keep(claims.select(TARGET, ALIAS).unique())
        truth = engine.keep(self._target_truth.join(self._release_truth, on="_truth_", how="inner"))
        right = claims.join(truth, on=[TARGET, ALIAS], how="inner")

        def count(frame: nw.LazyFrame[Any]) -> int:
            return int(engine.arrays(frame.select(n=nw.len())).column("n")[0].as_py())

        return Answer(count(self._target_truth), count(truth), count(claims), count(right), self.released.rows)


def trustee_of(case: Case, columns: tuple[str, ...], targets: int | None, run: Run, *, from_file: bool) -> Trustee:
    """Set up an experiment: who is looked for, what is known of them, under aliases.

    Without a file the targets are rows of the original, drawn at random, and their values are known exactly (the
    attacker knows that they took part). With a file the attacker holds its entries, with all its errors.
    """
    import narwhals as nw

    original, key = case.original, case.released.schema.key
    aliased = run.draw(case.released, ALIAS, "alias")
    visible = aliased.frame.select(ALIAS, *case.released.schema.names)
    release_truth = aliased.frame.select(ALIAS, nw.col(key).cast(nw.String).alias("_truth_"))
    people = case.known if from_file else original
    if people is None:
        hint = 'name the files under [data]: known = "...", truth = "..."'
        raise DataError(Problem("no-knowledge", "data", "there is no file of what an attacker knows", hint))
    chosen = _drawn(people, targets, run)
    known = harmonised(chosen, case.steps, columns, run)
    if from_file:
        if case.truth is None:
            raise DataError(Problem("no-truth", "data.truth", "there is no table of who is who"))
        truth = case.truth.rename({case.truth.collect_schema().names()[0]: "_truth_"})
        link = truth.collect_schema().names()[1]
        linked = chosen.frame.select(TARGET, nw.col(people.schema.key).cast(nw.String).alias("_entry_"))
        truth = truth.select(nw.col("_truth_").cast(nw.String), nw.col(link).cast(nw.String).alias("_entry_"))
        target_truth = linked.join(truth, on="_entry_", how="left").select(TARGET, "_truth_")
    else:
        target_truth = chosen.frame.select(TARGET, nw.col(key).cast(nw.String).alias("_truth_"))
    engine = original.engine
    released = replace(case.released, frame=engine.keep(visible))
    seen = replace(known, frame=engine.keep(known.frame.select(TARGET, *columns)))
    return Trustee(released, seen, engine.keep(release_truth), engine.keep(target_truth))


def _drawn(people: Dataset, targets: int | None, run: Run) -> Dataset:
    """The targets: those with the smallest draws, under aliases of their own."""
    drawn = run.draw(people, TARGET, "target")
    rows = people.rows
    if targets is not None and targets > rows:
        message = f"{targets} targets were asked for, but there are only {rows} rows"
        raise InfeasibleError(Problem("too-many-targets", "targets", message, "ask for fewer"))
    if targets is None or targets == rows:
        return replace(drawn, frame=people.engine.keep(drawn.frame))
    return replace(drawn, frame=people.engine.keep(drawn.frame.sort(TARGET).head(targets)))


def harmonised(known: Dataset, steps: tuple[Method, ...], columns: tuple[str, ...], run: Run) -> Dataset:
    """What an attacker makes of his knowledge: he recodes it as the published report says the release was."""
    from schleier.core.run import Run as Fresh

    silent = Fresh(key=run.key)  # the attacker's recoding leaves no notes in the report
    for step in steps:
        used = step.uses(known.schema)
        if step.mapping and used and set(used) <= set(columns):
            known = step.lenient().apply(known, silent)
    return known
