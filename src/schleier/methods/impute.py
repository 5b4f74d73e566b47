"""Replace values by those of a model: regression or predictive mean matching (Höhne T09, Y03 to Y05)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.component import listed, secret
from schleier.core.data import tally
from schleier.core.errors import InfeasibleError, Problem, Problems
from schleier.core.method import Method
from schleier.core.normal import logical
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._condition import Condition

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run

HIT, GIVES, NEW, WEIGHT, DRAW = "_hit_", "_gives_", "_new_", "_weight_", "_draw_"
CLOSE = 0.5
"""When more of the new values than this share are close to the old ones, the report says so."""


class Impute(Method):
    """Delete values and put others in their place that a model of the other columns finds plausible.

    >>> Impute(columns=["income"], given=["age", "schooling"]).how
    'matching'
    """

    counts: ClassVar[frozenset[str]] = frozenset({"imputed"})
    reference: ClassVar[str] = "Höhne (2010), 2.1.2 and 2.2.5 Imputation (T09, Y03-Y05); Rubin (1993)"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"model"})
    effects: ClassVar[tuple[str, ...]] = ("E3",)
    approaches: ClassVar[tuple[str, ...]] = ("A3", "A4")
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "mean": "weak"}
    example: ClassVar[dict[str, object]] = {"columns": ["income", "disease"], "given": ["age", "schooling"]}

    columns: tuple[str, ...] = Field(min_length=1)
    """The columns to impute, one after the other: each is explained by ``given`` and by those before it."""
    given: tuple[str, ...] = Field(min_length=1)
    """The columns that explain them."""
    how: Literal["matching", "regression"] = "matching"
    """A true value of a record with a similar prediction, or the prediction and a random error. A category is drawn
    from its predicted chances in both."""
    replace: Literal["all", "missing"] = "all"
    """Replace values there are, or fill those that are missing."""
    where: tuple[Condition, ...] = secret(())
    """Replace only in records that meet all these conditions; they then explain nothing and give nothing."""
    donors: int = Field(default=5, ge=3)
    """Matching draws from so many records with the nearest predictions; every stratum needs at least as many."""
    imputations: int = Field(default=1, ge=1, le=20)
    """Above 1 a column becomes so many columns with a number behind their name, each imputed anew."""
    strata: tuple[str, ...] = ()
    """Columns whose combinations get models of their own; missing is a value of its own."""
    log: bool = False
    """Explain the logarithm of amounts; all must be above zero (or zero, if these are kept)."""
    keep_zeros: bool = True
    """A zero stays zero, and explains nothing: it may be one that must be."""
    close: float = secret(0.05, gt=0, lt=1)
    """A new value within this share of the old one protects nothing; the audit says how many there are."""
    public: tuple[str, ...] = ()
    """Secret parameters to publish."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        named = (*self.columns, *self.given, *self.strata)
        if len(set(named)) < len(named):
            raise ValueError("columns, given and strata must differ: a column does not explain itself")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """All columns named."""
        return tuple(dict.fromkeys((*self.columns, *self.given, *self.strata, *(c.column for c in self.where))))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Dates, free text, weights and units cannot be imputed."""
        yield from super().problems(schema)
        known = [schema[name] for name in self.columns if name in schema]
        odd = [c.name for c in known if c.scale in ("time", "text") or c.role in ("weight", "unit", "identifier")]
        if odd:
            message = f"dates, texts, weights, units and identifiers cannot be imputed: {listed(odd)}"
            yield Problem("not-imputed", "columns", message, "recode or drop them")
        for i, condition in enumerate(self.where):
            if condition.column in schema:
                for message in condition.problems(schema[condition.column]):
                    yield Problem("bad-comparison", f"where[{i}]", message)
        free = {name.lower() for name in (*schema.names, schema.key)}
        taken = [name for column in self.columns for name in self._names(column)]
        if self.imputations > 1 and (both := [name for name in taken if name.lower() in free]):
            yield Problem("name-taken", "imputations", f"there is a column {listed(both)} already", "rename it")

    def after(self, schema: Schema) -> Schema:
        """A column imputed several times becomes several columns."""
        if self.imputations == 1:
            return schema
        columns = []
        for column in schema:
            names = self._names(column.name) if column.name in self.columns else (column.name,)
            columns += [column.model_copy(update={"name": name}) for name in names]
        return schema.model_copy(update={"columns": tuple(columns)})

    def becomes(self, schema: Schema) -> dict[str, tuple[str, ...]]:
        """The columns that are imputed several times."""
        return {name: self._names(name) for name in self.columns} if self.imputations > 1 else {}

    def fit(self, data: Dataset, run: Run) -> Self:
        """Refuse strata with too few records to learn from. The models are made anew for each set of rows."""
        found = Problems()
        for column in self.columns:
            hit, gives = self._who(data, column)
            low = (
                tally(gives & (_number(column) <= 0)) if self.log and data.schema[column].numeric else tally(hit & ~hit)
            )
            table = data.grouped(list(self.strata), {"_hit_": tally(hit), "_gives_": tally(gives), "_low_": low})
            rows = table.to_pylist()
            small = sum(bool(row["_hit_"]) and (row["_gives_"] or 0) <= self.donors for row in rows)
            if small:
                message = (
                    f"{small} of {len(rows)} strata hold {self.donors} or fewer values of '{column}' to learn from"
                )
                found.add("no-donors", "strata", message, "merge strata, or lower donors")
            if any(row["_low_"] for row in rows):
                hint = "set log = false, or keep_zeros = true where only zeros are in the way"
                found.add("not-positive", "log", f"column '{column}' holds values without a logarithm", hint)
        found.raise_as(InfeasibleError)
        return self

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with imputed values, stratum by stratum."""
        import narwhals as nw

        self.fit(data, run)
        work, after, rounds = data.kept(), self.after(data.schema), range(1, self.imputations + 1)
        for n in rounds:
            before: list[str] = []
            for i, column in enumerate(self.columns):
                into = f"_imputed_{i}_{n}_"
                work = self._imputed(work, data.schema, column, tuple(before), into, run, n).kept()
                before.append(into)
        self._tell(work, data.schema, run)
        names = {f"_imputed_{i}_{n}_": self._names(c)[n - 1] for i, c in enumerate(self.columns) for n in rounds}
        frame = work.frame.drop(*self.columns).with_columns(*(nw.col(old).alias(new) for old, new in names.items()))
        return replace(data, frame=frame.select(after.key, *after.names), schema=after)

    def _imputed(
        self, work: Dataset, schema: Schema, column: str, before: tuple[str, ...], into: str, run: Run, n: int
    ) -> Dataset:
        """With one more column: an imputed version of another."""
        import narwhals as nw

        hit, gives = self._who(work, column)
        drawn = run.draw(run.draw(work, WEIGHT, f"weights {n} {column}"), DRAW, f"values {n} {column}")
        amount = schema[column].numeric
        kind: Any = nw.Float64() if amount else nw.String()
        drawn = drawn.mutate(**{HIT: hit, GIVES: gives, NEW: nw.lit(None).cast(kind)})
        # A relation is learned from true values and used on imputed ones; but true values may be what is missing.
        learn = before if self.replace == "missing" else self.columns[: len(before)]
        words = [_is_word(schema, name) for name in (*self.given, *self.columns[: len(before)])]
        task = _Task(
            column,
            (*self.given, *learn),
            (*self.given, *before),
            words,
            amount,
            self.how,
            self.donors,
            self.log,
            schema[column].scale == "discrete",
        )

        def kernel(arrays: Arrays) -> Arrays:
            return {NEW: _drawn(arrays, task)}

        wanted = list(dict.fromkeys([column, *task.learn, *task.use, HIT, GIVES, WEIGHT, DRAW]))
        found = drawn.map_groups(list(self.strata), kernel, {NEW: kind}, wanted)
        # Whole numbers in 64 bits: a prediction may be larger than anything the column holds.
        whole = amount and schema[column].scale == "discrete"
        held = nw.Int64() if whole else kind if amount else work.frame.collect_schema()[column]
        new, old = nw.col(NEW).cast(held), nw.col(column).cast(held)
        result = found.mutate(**{into: nw.when(nw.col(HIT)).then(new).otherwise(old)})
        return replace(result, frame=result.frame.drop(HIT, GIVES, NEW, WEIGHT, DRAW))

    def _who(self, data: Dataset, column: str) -> tuple[nw.Expr, nw.Expr]:
        """Which records get a new value, and from which values is learned."""
        import narwhals as nw

        value, types = nw.col(column), data.frame.collect_schema()
        held = ~value.is_null()
        if self.keep_zeros and data.schema[column].numeric:
            held = held & nw.when(value.is_null()).then(nw.lit(False)).otherwise(value != 0)
        hit, gives = (value.is_null() if self.replace == "missing" else held), held
        if self.where:
            met = functools.reduce(operator.and_, (c.met(logical(types[c.column])) for c in self.where))
            sure = nw.when(met).then(nw.lit(True)).otherwise(nw.lit(False))
            hit, gives = hit & sure, held & ~sure
        return hit, gives

    def _tell(self, work: Dataset, schema: Schema, run: Run) -> None:
        import narwhals as nw

        for i, column in enumerate(self.columns):
            hit, _ = self._who(work, column)
            old, new = nw.col(column), nw.col(f"_imputed_{i}_1_")
            near = (new - old).abs() <= old.abs() * self.close if schema[column].numeric else new == old
            seen = work.totals(hit=tally(hit), near=tally(hit & near))
            count, close = seen["hit"] or 0, seen["near"] or 0
            run.note(column=column, imputed=count)
            run.note("restricted", column=column, close_to_the_old_value=close)
            if self.replace == "all" and count and close > CLOSE * count:
                run.note(column=column, caution="most new values are close to the old ones: the model knows too much")

    def _names(self, column: str) -> tuple[str, ...]:
        if self.imputations == 1:
            return (column,)
        return tuple(f"{column}_{n}" for n in range(1, self.imputations + 1))


def _number(column: str) -> nw.Expr:
    import narwhals as nw

    return nw.col(column).cast(nw.Float64)


def _is_word(schema: Schema, name: str) -> bool:
    """Whether a column holds words rather than amounts and dates."""
    return not (schema[name].numeric or schema[name].scale == "time")


@dataclass(frozen=True)
class _Task:
    """How a column is imputed."""

    column: str
    learn: tuple[str, ...]
    """The columns a model is made of."""
    use: tuple[str, ...]
    """The columns it is applied to: the same, or imputed versions of them."""
    words: list[bool]
    amount: bool
    how: str
    donors: int
    log: bool
    whole: bool


def _drawn(arrays: Arrays, task: _Task) -> Any:
    """The new values of one stratum, for all records."""
    import numpy as np

    from schleier.kernels.change.imputation import bootstrap, classified, design, nearest_donors, regressed

    held, gives = arrays[task.column], arrays[GIVES].astype(bool)
    n = len(held)
    if not arrays[HIT].any():
        return np.full(n, np.nan) if task.amount else np.full(n, None, dtype=object)
    pairs = zip(task.learn, task.use, strict=True)
    both = design([_joined(arrays[learn], arrays[use]) for learn, use in pairs], task.words)
    x, new, weights, draws = both[:n], both[n:], bootstrap(arrays[WEIGHT]), arrays[DRAW]
    if not task.amount:
        place = classified(x, new, held, gives, weights, draws)
        return np.array([str(value) for value in held[place]], dtype=object)
    y = np.nan_to_num(held.astype(np.float64))
    model = np.log(np.where(y > 0, y, 1.0)) if task.log else y
    if task.how == "matching":
        return y[nearest_donors(x, new, model, gives, weights, draws, task.donors)]
    values = regressed(x, new, model, gives, weights, draws)
    values = np.exp(values) if task.log else np.maximum(values, 0.0) if y[gives].min() >= 0 else values
    return np.floor(values + 0.5) if task.whole else values


def _joined(learn: Any, use: Any) -> Any:
    """A column and its imputed version one below the other; dates as days, so that they explain as amounts do."""
    import numpy as np

    both = np.concatenate([learn, use])
    if both.dtype.kind != "M":
        return both
    return np.where(np.isnat(both), np.nan, both.astype("datetime64[D]").astype(np.float64))
