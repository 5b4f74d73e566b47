"""Release developments in place of sizes: index numbers with a base period (Höhne T04)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field, model_validator

from schleier.core.data import tally
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.method import Method
from schleier.core.normal import logical
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.sql import Rewrite, Typed, number, quoted
from schleier.core.traces import Traces
from schleier.methods._amounts import not_amounts
from schleier.methods._condition import Condition, Value

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class IndexNumbers(Method):
    """Replace amounts by 100 times the amount divided by that of a base period.

    >>> IndexNumbers(columns=["turnover_2001", "turnover_2002"], base="turnover_2001").decimals
    1
    """

    counts: ClassVar[frozenset[str]] = frozenset({"without_index"})
    reference: ClassVar[str] = "Höhne (2010), 2.1.1 Indexbildung (T04)"
    traces: ClassVar[Traces] = frozenset({"relation"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E2")
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"columns": ["age", "children"], "base": "age"}

    columns: tuple[str, ...] = Field(min_length=1)
    """The amounts: one column per period, or with ``period`` any number of columns over records of several periods."""
    base: Value
    """The column of the base period, which is left out of the release; with ``period`` its value there."""
    period: str | None = None
    """The column that says which period a record is about, in a panel; the role "unit" says who is followed."""
    decimals: int = Field(default=1, ge=0, le=9)
    """Digits of an index behind the point. With many digits an index of small whole numbers tells both of them."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if len(set(self.columns)) < len(self.columns) or self.period in self.columns:
            raise ValueError("columns must differ, and the period is none of them")
        if self.period is None and (self.base not in self.columns or len(self.columns) < 2):
            raise ValueError("base must be one of several columns; or name the period of the records")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The amounts, and in a panel period and unit."""
        return self.columns if self.period is None else (*self.columns, self.period, *schema.having("unit")[:1])

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only amounts have an index; a panel needs to know who is followed."""
        yield from super().problems(schema)
        yield from not_amounts(schema, self.columns, "columns")
        if self.period is not None and not schema.having("unit"):
            hint = 'give the column that names the unit in all periods the role "unit"'
            yield Problem("units-unknown", "period", "nothing says which records are about the same unit", hint)

    def after(self, schema: Schema) -> Schema:
        """Index numbers are broken numbers; the column of the base period would be 100 throughout, and is gone."""
        for name in self.columns:
            schema = schema.changed(name, scale="continuous", decimals=self.decimals, hierarchy=None, labels={})
        return schema if self.period else schema.without([str(self.base)])

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """The same division where the periods are columns."""
        if self.period is not None:
            return None
        values = {name: Typed(quoted(name), types[name]).number for name in self.columns}
        base = f"nullif({values[str(self.base)]}, {number(0)})"
        return Rewrite({n: Typed(f"{values[n]} * {number(100)} / {base}", "number") for n in self._kept()})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with index numbers; where the base is missing or zero they are missing."""
        import narwhals as nw

        wide, bases = self._based(data)
        lacking = {
            f"_lost_{i}_": tally(~nw.col(n).is_null() & (nw.col(bases[n]).is_null() | (nw.col(bases[n]) == 0)))
            for i, n in enumerate(self._kept())
        }
        lost = sum(n or 0 for n in wide.totals(**lacking).values())
        if lost:
            caution = "values have no index: their base is zero or missing"
            run.note(columns=list(self._kept()), caution=caution, without_index=int(lost))
        new = {}
        for i, n in enumerate(self._kept()):
            base = nw.col(bases[n]).cast(nw.Float64)
            new[f"_index_{i}_"] = nw.col(n).cast(nw.Float64) * 100.0 / nw.when(base != 0.0).then(base)
        frame = wide.frame.with_columns(**new)
        frame = frame.with_columns(*(nw.col(f"_index_{i}_").alias(n) for i, n in enumerate(self._kept())))
        after = self.after(data.schema)
        return replace(data, frame=frame.select(after.key, *after.names), schema=after)

    def _kept(self) -> tuple[str, ...]:
        return tuple(n for n in self.columns if self.period is not None or n != self.base)

    def _based(self, data: Dataset) -> tuple[Dataset, dict[str, str]]:
        """The records beside the amounts of their base, and the names these have."""
        import narwhals as nw

        if self.period is None:
            return data, dict.fromkeys(self.columns, str(self.base))
        unit = data.schema.having("unit")[0]
        condition = Condition(column=self.period, equals=self.base)
        met = condition.met(logical(data.frame.collect_schema()[self.period]))
        names = {name: f"_base_{i}_" for i, name in enumerate(self.columns)}
        first = {names[name]: nw.col(name).max() for name in self.columns}
        based = data.filter(met & ~nw.col(unit).is_null())
        held = based.frame.group_by(nw.col(unit).alias("_unit_")).agg(_n_=nw.len(), **first)
        lookup = replace(based, frame=held).kept()
        twice = lookup.totals(n=tally(nw.col("_n_") > 1))["n"] or 0
        if twice:
            message = f"{twice} units have several records of the base period: no index can be formed"
            stop(
                InfeasibleError, "base-twice", "base", message, "choose another period or unit, or combine the records"
            )
        joined = data.frame.join(lookup.frame.drop("_n_"), left_on=unit, right_on="_unit_", how="left")
        return replace(data, frame=joined), names
