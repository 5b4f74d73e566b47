"""How well a target column can still be predicted from the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.amount import hide_few
from schleier.core.errors import Problem
from schleier.core.measure import Better, Case, Finding, Measure
from schleier.core.pairs import MATCH, matched_by
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.kernels.statistics.trials import Trials
from schleier.utility._learners import Learner, learner_codes, learnt

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa


FOLD, SAID, TRUTH, COUNT = "_fold_", "_said_", "_truth_", "_n_"


class ClassificationAccuracy(Measure):
    """Share of held-out records whose target is predicted right, by a model trained on the rest of the release.

    >>> ClassificationAccuracy(target="disease", learner="forest").folds
    5
    """

    reference: ClassVar[str] = "Fung, Wang, Yu (2007), Anonymizing classification data for privacy preservation"
    example: ClassVar[dict[str, object]] = {"target": "disease", "folds": 3}
    kind: ClassVar[Literal["risk", "utility"]] = "utility"
    better: ClassVar[Better] = "higher"
    out_of: ClassVar[str] = "records"
    tries: ClassVar[Mapping[str, str]] = dict.fromkeys(("before", "before_low", "before_high", "baseline"), "records")

    target: str
    """The column to predict; records without a value of it are left out."""
    columns: tuple[str, ...] = ()
    """The columns to predict it from; all quasi-identifiers when empty."""
    learner: Learner = "logistic"
    """Logistic regression, a random forest, or gradient boosting of trees (the latter two need scikit-learn)."""
    folds: int = Field(default=5, ge=2, le=20)
    """Into how many parts the records are split; each is held out once."""
    most: int = Field(default=100_000, ge=1)
    """How many records are used about; a larger file is sampled."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns to predict from, and the target."""
        return (*self._keys(schema), self.target)

    def _keys(self, schema: Schema) -> tuple[str, ...]:
        return self.columns or tuple(name for name in schema.quasi if name != self.target)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The target is a column of words or codes, and not predicted from itself."""
        yield from super().problems(schema)
        if self.target in self.columns:
            message = f"column '{self.target}' would be told from itself"
            yield Problem("target-is-key", "target", message, "leave it out of columns")
        if self.target in schema and schema[self.target].scale == "continuous":
            message = f"column '{self.target}' is continuous: no record is predicted exactly"
            yield Problem("target-continuous", "target", message, "take a column of words or codes")

    def measure(self, case: Case, run: Run) -> Finding:
        """Train and test on the original and on the release, with the same split of the records."""
        before, baseline = self._tried(self._table(Case(case.original, case.original), run), run)
        after, dropped = Trials(0, 0), before.attempts
        if self.target in case.released.schema:
            after, _ = self._tried(self._table(case, run), run)
            dropped = before.attempts - after.attempts
        (low, high), ends = after.interval(), before.interval()
        detail = {"learner": self.learner, "before": before.share, "before_low": ends[0], "before_high": ends[1]}
        detail |= {"baseline": baseline, "records": after.attempts, "dropped": dropped}
        told = {"value": after.share, "low": low, "high": high, "text": "", "detail": detail}
        return self.phrase(Finding(name=self.word(), better=self.better, **told))

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """What is learned from what the release shows of the original, in steps that hold ten records."""
        told = super().disclose(case, run, exact)
        if told is None or told is exact:
            return told
        dropped = hide_few(exact.detail["dropped"], (), counted=True)
        return told.model_copy(update={"detail": told.detail | {"dropped": dropped}})

    def phrase(self, finding: Finding) -> Finding:
        """How many are predicted right, after, before, and without a model."""
        told = finding.detail
        text = f"'{self.target}' is predicted right for {finding.value:.1%} of the records"
        if finding.low is not None and finding.high is not None:
            text += f" (95 % interval {finding.low:.1%} to {finding.high:.1%})"
        if told["before"] is not None:
            text += (
                f"; from the original for {told['before']:.1%}, by the most frequent value for {told['baseline']:.1%}"
            )
        return finding.model_copy(update={"text": f"{text}."})

    def _table(self, case: Case, run: Run) -> pa.Table:
        """Counts by part, keys and target of a file, and the target of the original."""
        import narwhals as nw

        old, new = run.draw(case.original, FOLD, "fold"), case.released
        known = old.filter(~nw.col(self.target).is_null())
        if (rows := known.rows) > self.most:
            known = run.draw(known, "_part_", "part").filter(nw.col("_part_") < self.most / rows)
        part = (nw.col(FOLD) * self.folds).floor().cast(nw.Int64)
        keys = [name for name in self._keys(case.original.schema) if name in new.schema]
        left, right = matched_by(case)
        before = known.frame.select(left, **{FOLD: part, TRUTH: self._words(known.frame)})
        named = {f"_key{i}_": nw.col(name) for i, name in enumerate(keys)}
        after = new.frame.select(right, **{SAID: self._words(new.frame)}, **named)
        both = before.join(after, on=MATCH, how="inner")
        by = (FOLD, *named, SAID, TRUTH)
        table = new.engine.arrays(both.group_by(*by).agg(**{COUNT: nw.len()}))
        return table.sort_by([(name, "ascending") for name in by])

    def _words(self, frame: nw.LazyFrame[Any]) -> nw.Expr:
        """The target as text; 1 and 1.0 are the same."""
        import narwhals as nw

        numeric = frame.collect_schema()[self.target].is_numeric()
        own = nw.col(self.target)
        return (own.cast(nw.Float64) if numeric else own).cast(nw.String)

    def _tried(self, table: pa.Table, run: Run) -> tuple[Trials, float]:
        """Records whose target was predicted right, and the share of the most frequent target."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        counts = np.asarray(table[COUNT].to_numpy(), dtype=np.int64)
        truths, saids = (table[name].combine_chunks().cast(pa.string()) for name in (TRUTH, SAID))
        names = pa.concat_arrays([truths, saids]).unique().drop_null()
        truth, said = (np.asarray(pc.index_in(part, names).fill_null(-1), dtype=np.int64) for part in (truths, saids))
        columns = [name for name in table.column_names if name.startswith("_key")]
        found = [learner_codes(table[name].combine_chunks(), counts) for name in columns]
        codes = np.stack([one[0] for one in found], axis=1) if found else np.zeros((len(table), 0), dtype=np.int64)
        shape = tuple(one[1] for one in found), tuple(one[2] for one in found)
        folds, right = np.asarray(table[FOLD].to_numpy()), 0
        seeds = run.rng("learner").integers(2**31, size=self.folds)
        for fold in range(self.folds):
            held, rest = folds == fold, (folds != fold) & (said >= 0)
            if held.any():
                guess = learnt(self.learner, codes[rest], shape, said[rest], counts[rest], int(seeds[fold]))
                right += int(counts[held][guess(codes[held]) == truth[held]].sum())
        total = int(counts.sum())
        usual = np.bincount(truth, weights=counts).max(initial=0.0) if total else 0.0
        return Trials(right, total), float(usual) / max(total, 1)
