"""The trustee alone knows who is who; attackers hand in claims and get counts back, nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schleier.core.data import tally
from schleier.core.errors import DataError, InfeasibleError, Problem
from schleier.core.method import Method
from schleier.core.trust.answer import Answer, Inferred
from schleier.core.trust.left_out import compared, is_right, turns
from schleier.core.trust.overheard import ENTRY, note_claims, note_values
from schleier.kernels.statistics.trials import Gain

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run

ALIAS = "_alias_"
"""Running number without meaning that an attacker sees in place of a row key."""
TARGET = "_target_"
"""The same for the persons an attacker looks for."""
CLAIM = "_claim_"
"""The value an attacker asserts of a target."""
SET = "_set_"
"""The number of the claim set that a claim belongs to, where there are several."""
GROUP = "_group_"
"""What targets and records have in common that an attacker cannot tell apart."""
VALUE = "_value_"
"""The true value of a target."""


@dataclass(frozen=True)
class Trustee:
    """Holds the truth of one experiment.

    ``released`` and ``known`` are what the attacker gets: the release with aliases, and the targets with what is
    known about them. The row keys never leave the trustee.
    """

    released: Dataset
    known: Dataset
    _release_truth: nw.LazyFrame[Any] = field(repr=False)
    _target_truth: nw.LazyFrame[Any] = field(repr=False)
    _values: nw.LazyFrame[Any] | None = field(default=None, repr=False)

    def answer(self, claims: nw.LazyFrame[Any]) -> Answer:
        """Counts for claims: pairs of target and alias."""
        note_claims(claims.select(TARGET, ALIAS), self._target_truth, self._release_truth, self.released.engine)
        return self._answer(self._counted(self._together(claims, (TARGET, ALIAS))))

    def members(self, claims: nw.LazyFrame[Any]) -> Answer:
        """Counts for claims that a target is in the release, whichever record it is."""
        return self._answer(self._counted(self._together(claims, (TARGET,))))

    def answer_twice(self, claims: nw.LazyFrame[Any]) -> tuple[Answer, Answer]:
        """What ``answer`` and ``members`` tell of the same claims, counted together."""
        import narwhals as nw

        note_claims(claims.select(TARGET, ALIAS), self._target_truth, self._release_truth, self.released.engine)
        claimed, true = nw.col("_claimed_"), nw.col("_true_")
        pairs = self._together(claims, (TARGET, ALIAS)).group_by(TARGET)
        people = pairs.agg(claimed.max(), true.sum(), _pairs_=claimed.sum(), _right_=tally((claimed > 0) & (true > 0)))
        told = self._counted(people, pairs=nw.col("_pairs_").sum(), right=nw.col("_right_").sum())
        inside = self._answer(told)
        return replace(inside, claims=told["pairs"], correct=told["right"]), inside

    def _together(self, claims: nw.LazyFrame[Any], what: tuple[str, ...]) -> nw.LazyFrame[Any]:
        """Claims and truth one below the other, and what they have in common: one pass, however often it is claimed."""
        import narwhals as nw

        both = nw.concat(
            [
                claims.select(*what, _claimed_=nw.lit(1), _true_=nw.lit(0)),
                self._contained().select(*what, _claimed_=nw.lit(0), _true_=nw.lit(1)),
            ]
        )
        return both.group_by(*what).agg(nw.col("_claimed_").max(), nw.col("_true_").sum())

    def _counted(self, groups: nw.LazyFrame[Any], **more: nw.Expr) -> dict[str, int]:
        """Claims and truth of groups added up."""
        import narwhals as nw

        claimed, true = nw.col("_claimed_"), nw.col("_true_")
        counts = {"contained": true.sum(), "claims": claimed.sum(), "correct": tally((claimed > 0) & (true > 0))}
        found = self.released.engine.arrays(groups.select(**counts, **more)).to_pylist()[0]
        return {name: int(value or 0) for name, value in found.items()}

    def _answer(self, told: Mapping[str, int]) -> Answer:
        counts = {name: told[name] for name in ("contained", "claims", "correct")}
        return Answer(targets=self._targets, records=self.released.rows, **counts)

    def answers(self, claims: nw.LazyFrame[Any]) -> dict[int, tuple[int, int]]:
        """For each of several sets of claims (set, target, alias): how many claims it has, and how many are right."""
        import narwhals as nw

        each = claims.select(SET, TARGET, ALIAS).unique()
        true = self._contained().select(TARGET, ALIAS, _true_=nw.lit(1))
        judged = each.join(true, on=[TARGET, ALIAS], how="left").group_by(SET)
        found = self.released.engine.arrays(judged.agg(_n_=nw.len(), _right_=nw.col("_true_").sum())).to_pylist()
        return {int(row[SET]): (int(row["_n_"]), int(row["_right_"] or 0)) for row in found}

    def alike(self, targets: nw.LazyFrame[Any], records: nw.LazyFrame[Any]) -> int:
        """How many targets are in one group with their own record; both sides come with their groups."""
        own = self._contained().join(targets.select(TARGET, GROUP), on=TARGET, how="inner")
        return self._count(own.join(records.select(ALIAS, GROUP), on=[ALIAS, GROUP], how="inner"))

    def judge(
        self, claims: nw.LazyFrame[Any], guess: str | float | None, rare: Collection[str], within: float | None
    ) -> Inferred:
        """Counts for claimed values: one for each target of whom something is claimed.

        ``guess`` is what is claimed of everybody without looking. Text is right when it is equal, a number when it is
        off by at most the share ``within`` of the true one.
        """
        import narwhals as nw

        if self._values is None:
            raise ValueError("the trustee was not told which column is to be learned")

        def right(claimed: nw.Expr) -> nw.Expr:
            return is_right(claimed, within)

        claimed = self._values.join(claims.select(TARGET, CLAIM), on=TARGET, how="left")
        made = ~nw.col(CLAIM).is_null()
        lucky = right(nw.lit(guess)) if guess is not None else nw.col(VALUE).is_null()  # never
        counts = {
            "targets": nw.len(),
            "claims": tally(made),
            "differing": tally(made if guess is None else made & (nw.col(CLAIM) != nw.lit(guess))),
            "correct": tally(made & right(nw.col(CLAIM))),
            "guessed": tally(made & lucky),
            "gained": tally(made & right(nw.col(CLAIM)) & ~lucky),
            "lucky": tally(lucky),
        }
        known = claimed.filter(~nw.col(VALUE).is_null())
        note_values(known.select(TARGET, CLAIM), self._target_truth, guess, self.released.engine)
        # By value where values are text: how it went for the rare ones is asked for.
        groups = known.select(**counts) if within is not None else known.group_by(VALUE).agg(**counts)
        rows = self.released.engine.arrays(groups).to_pylist()
        rare_rows = [row for row in rows if row.get(VALUE) in rare]

        def total(name: str, of: list[dict[str, Any]]) -> int:
            return sum(int(row[name] or 0) for row in of)

        return Inferred(
            without=self._count(self._values) - total("targets", rows),
            contained=self._count(known.select(TARGET).join(self._contained(), on=TARGET, how="inner")),
            **{name: total(name, rows) for name in ("targets", "claims", "correct", "guessed", "gained", "differing")},
            rare=total("targets", rare_rows),
            rare_correct=total("correct", rare_rows),
            rare_guessed=total("lucky", rare_rows),
        )

    def compare(
        self, some: nw.LazyFrame[Any], claims: nw.LazyFrame[Any], others: nw.LazyFrame[Any], guess: Any, within: Any
    ) -> Gain:
        """Counts for two sets of claimed values about ``some`` targets; where the second has none, the guess counts.

        Only targets of whom the first claims something are looked at.
        """
        if self._values is None:
            raise ValueError("the trustee was not told which column is to be learned")
        known = self._values.join(some.select(TARGET), on=TARGET, how="inner")
        return compared(known, claims, others, guess, within, self.released.engine)

    def turns(self, case: Case, asked: int, run: Run) -> Iterator[tuple[nw.LazyFrame[Any], Dataset]]:
        """In turn some of the targets, and the release as it would be without them."""
        there = self._target_truth.join(self._release_truth, on="_truth_", how="inner")
        return turns(case, there, asked, run)

    def _contained(self) -> nw.LazyFrame[Any]:
        """Every target that is in the release with its alias there."""
        return self._pairs

    @cached_property
    def _pairs(self) -> nw.LazyFrame[Any]:
        both = self._target_truth.join(self._release_truth, on="_truth_", how="inner")
        return self.released.engine.keep(both.select(TARGET, ALIAS))

    @cached_property
    def _targets(self) -> int:
        """Persons looked for."""
        return self._count(self._target_truth)

    def _count(self, frame: nw.LazyFrame[Any]) -> int:
        import narwhals as nw

        return int(self.released.engine.arrays(frame.select(n=nw.len())).column("n")[0].as_py())


def trustee_of(
    case: Case,
    columns: tuple[str, ...],
    targets: int | None,
    run: Run,
    *,
    from_file: bool,
    sensitive: str | None = None,
    numbers: bool = False,
) -> Trustee:
    """Set up an experiment: who is looked for, what is known of them, under aliases.

    Without a file the targets are rows of the original, drawn at random, and their values are known exactly (the
    attacker knows that they took part). With a file the attacker holds its entries, with all its errors. The true
    values of a ``sensitive`` column stay with the trustee, as text or as ``numbers``, recoded as the release is.
    """
    import narwhals as nw

    original, key = case.original, case.released.schema.key
    engine, names = original.engine, case.released.schema.names
    true = nw.col(key).cast(nw.String).alias("_truth_")
    # Of the whole release only who is who is kept: it may be large, and the same draw gives the same alias again.
    drawn = run.draw(case.released, ALIAS, "alias").frame
    aliased = engine.keep(drawn.select(ALIAS, true))
    people = case.known if from_file else original
    if people is None:
        hint = 'name the files under [data]: known = "...", truth = "..."'
        raise DataError(Problem("no-knowledge", "data", "there is no file of what an attacker knows", hint))
    known = harmonised(draw_targets(people, targets, run, keep=False), case.steps, columns, run)
    entry = nw.col(people.schema.key).cast(nw.String).alias(ENTRY)
    looked_for = engine.keep(known.frame.select(TARGET, entry, *columns))
    linked = looked_for.select(TARGET, ENTRY)
    if from_file:
        if case.truth is None:
            raise DataError(Problem("no-truth", "data.truth", "there is no table of who is who"))
        truth = case.truth.rename({case.truth.collect_schema().names()[0]: "_truth_"})
        link = truth.collect_schema().names()[1]
        truth = truth.select(nw.col("_truth_").cast(nw.String), nw.col(link).cast(nw.String).alias(ENTRY))
        target_truth = linked.join(truth, on=ENTRY, how="left").select(TARGET, "_truth_", ENTRY)
    else:
        target_truth = linked.rename({ENTRY: "_truth_"})
    values = None
    if sensitive is not None:
        known_too = harmonised(original, case.steps, (sensitive,), run).frame.select(
            true,
            nw.col(sensitive).cast(nw.Float64 if numbers else nw.String).alias(VALUE),
        )
        values = target_truth.join(known_too, on="_truth_", how="inner").select(TARGET, VALUE)
    released = case.released.reframed(drawn.select(ALIAS, *names))
    seen = known.reframed(looked_for.select(TARGET, *columns))
    kept = None if values is None else engine.keep(values)
    return Trustee(released, seen, aliased, target_truth, kept)


def draw_targets(people: Dataset, targets: int | None, run: Run, *, keep: bool = True) -> Dataset:
    """The targets: those with the smallest draws, under aliases of their own.

    Without ``keep`` everybody's are drawn anew at every use.
    """
    rows = people.rows
    refuse_too_many(targets, rows)
    if targets is None or targets == rows:
        aliased = people.reframed(run.draw(people, TARGET, "target").frame)
        return aliased.kept() if keep else aliased
    key = people.schema.key
    narrow = run.draw(replace(people, frame=people.frame.select(key)), TARGET, "target").frame
    chosen = narrow.sort(TARGET).head(targets)
    found = replace(people, frame=people.engine.keep(people.frame.join(chosen, on=key, how="inner")))
    vars(found)["rows"] = targets
    return found


def refuse_too_many(targets: int | None, rows: int) -> None:
    """There cannot be more targets than persons."""
    if targets is not None and targets > rows:
        message = f"{targets} targets were asked for, but there are only {rows} rows"
        raise InfeasibleError(Problem("too-many-targets", "targets", message, "ask for fewer"))


def harmonised(known: Dataset, steps: tuple[Method, ...], columns: tuple[str, ...], run: Run) -> Dataset:
    """What an attacker makes of his knowledge: he recodes it as the published report says the release was."""
    from schleier.core.run import Run as Fresh

    silent = Fresh(key=run.key)  # the attacker's recoding leaves no notes in the report
    for place, step in enumerate(steps):
        used = set(step.uses(known.schema))
        # A rule recodes each value by itself: columns he does not know may go through it, and are left out later.
        if step.declares("rule") and used & set(columns) and used <= set(known.schema.names):
            known = step.lenient().apply(known, silent).settled(place + 1)
    return known


def knowable(case: Case, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some columns of the release that whoever knows the original has: others were made by steps.

    What rules make of his knowledge he makes too (see ``harmonised``); a number that stands for it tells no more.
    """
    schema = case.original.schema
    for step in case.steps if any(name not in schema for name in columns) else ():
        used = set(step.uses(schema))
        if step.declares("rule") and used & set(columns) and used <= set(schema.names):
            schema = step.after(schema)
    return tuple(name for name in columns if name in schema)
