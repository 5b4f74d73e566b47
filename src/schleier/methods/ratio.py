"""Release shares and ratios in place of amounts (Höhne T03)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field, model_validator

from schleier.core.component import listed
from schleier.core.data import tally
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.sql import Rewrite, Typed, number, quoted
from schleier.core.traces import Traces
from schleier.methods._amounts import not_amounts

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

NEAR = 1e-9
"""Amounts that differ by less than this share of themselves are the same amount."""
MOST = 0.95
"""A column that is the total in so large a share of the records tells it."""


class Ratio(Method):
    """Replace amounts by their share of a total, and leave the total out.

    >>> Ratio(columns=["abroad"], of="turnover").decimals
    3
    """

    counts: ClassVar[frozenset[str]] = frozenset({"without_shares"})
    reference: ClassVar[str] = "Höhne (2010), 2.1.1 Beziehungs- und Verhältniszahlen (T03)"
    traces: ClassVar[Traces] = frozenset({"relation"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E2")
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"columns": ["children"], "of": "age"}

    columns: tuple[str, ...] = Field(min_length=1)
    """The amounts that become shares."""
    of: str | None = None
    """The total they are shares of, which is left out of the release; the sum of the columns when absent."""
    decimals: int = Field(default=3, ge=0, le=9)
    """Digits of a share behind the point. With many digits a share of small whole numbers tells both of them."""
    checked: bool | None = None
    """Learned: whether no other column was found to tell the total."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if len(set(self.columns)) < len(self.columns) or self.of in self.columns:
            raise ValueError("columns must differ from each other and from their total")
        if self.of is None and len(self.columns) < 2:
            raise ValueError("the share of a single column of itself is always 1: name of, or several columns")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The amounts and the total."""
        return self._all

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only amounts have shares."""
        yield from super().problems(schema)
        yield from not_amounts(schema, self._all, "columns")

    def after(self, schema: Schema) -> Schema:
        """Shares are broken numbers, and the total is gone."""
        for name in self.columns:
            schema = schema.changed(name, scale="continuous", decimals=self.decimals, hierarchy=None, labels={})
        return schema.without([self.of]) if self.of else schema

    def fit(self, data: Dataset, run: Run) -> Self:
        """Refuse when another column tells the total: total times share is the amount."""
        if self.checked is not None:
            return self
        import narwhals as nw

        total = self._total()
        others = [c.name for c in data.schema if c.numeric and c.name not in self._all]
        held = total != 0.0  # there are no other shares
        exprs = {f"_same_{i}_": tally(held & _same(nw.col(name), total)) for i, name in enumerate(others)}
        seen = data.totals(_held_=tally(held), **exprs)
        telling = [n for i, n in enumerate(others) if seen["_held_"] and seen[f"_same_{i}_"] >= MOST * seen["_held_"]]
        if telling:
            message = f"the total can be read from {listed(telling)}, so total times share gives most amounts back"
            stop(InfeasibleError, "total-with-share", "columns", message, "drop it first: release shares or totals")
        return self.model_copy(update={"checked": True})

    def again(self) -> Self:
        """Look at the other rows again."""
        return self.model_copy(update={"checked": None})

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """The same division."""
        values = {name: Typed(quoted(name), types[name]).number for name in self._all}
        total = values[self.of] if self.of else f"({' + '.join(values[name] for name in self.columns)})"
        return Rewrite({n: Typed(f"{values[n]} / nullif({total}, {number(0)})", "number") for n in self.columns})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with shares; where the total is missing or zero they are missing."""
        import narwhals as nw

        if self.checked is None:
            return self.fit(data, run).apply(data, run)
        total = self._total()
        none = data.totals(n=tally(total == 0.0))["n"] or 0
        if none:
            caution = "records have no shares: their total is zero"
            run.note(columns=list(self.columns), caution=caution, without_shares=int(none))
        safe = nw.when(total != 0.0).then(total)
        new = {f"_share_{i}_": nw.col(n).cast(nw.Float64) / safe for i, n in enumerate(self.columns)}
        frame = data.frame.with_columns(**new)
        frame = frame.with_columns(*(nw.col(f"_share_{i}_").alias(n) for i, n in enumerate(self.columns)))
        after = self.after(data.schema)
        return replace(data, frame=frame.select(after.key, *after.names), schema=after)

    @property
    def _all(self) -> tuple[str, ...]:
        return self.columns if self.of is None else (*self.columns, self.of)

    def _total(self) -> nw.Expr:
        import narwhals as nw

        if self.of is not None:
            return nw.col(self.of).cast(nw.Float64)
        return functools.reduce(operator.add, (nw.col(name).cast(nw.Float64) for name in self.columns))


def _same(value: nw.Expr, total: nw.Expr) -> nw.Expr:
    import narwhals as nw

    return (value.cast(nw.Float64) - total).abs() <= total.abs() * NEAR
