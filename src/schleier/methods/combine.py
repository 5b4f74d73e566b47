"""Release a sum or mean in place of its parts (Höhne T02, constructed variables)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Column, Schema, is_reserved
from schleier.core.sql import Rewrite, Typed, number, quoted
from schleier.core.traces import Traces
from schleier.methods._amounts import least_sure, name_in_use, not_amounts, strictest

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class Combine(Method):
    """Replace columns by their sum, their mean, or another linear combination.

    >>> Combine(columns=["home", "abroad"], into="turnover").how
    'sum'
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.1 Variablenkonstruktion (T02)"
    traces: ClassVar[Traces] = frozenset({"sum"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E2")
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    builds: ClassVar[bool] = True
    keeps: ClassVar[Keeps] = {"rows": "exact"}
    example: ClassVar[dict[str, object]] = {"columns": ["age", "children"], "into": "years"}

    columns: tuple[str, ...] = Field(min_length=2)
    """The columns to combine; they are left out of the release."""
    into: str = Field(min_length=1)
    """Name of the column that takes their place; it may be one of theirs."""
    how: Literal["sum", "mean"] = "sum"
    """The sum, or the sum divided by the number of columns."""
    weights: tuple[int | float, ...] = ()
    """What each column is multiplied by before it is added; 1 when empty."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("columns must differ")
        if self.weights and len(self.weights) != len(self.columns):
            raise ValueError("say one weight for each column")
        if any(weight == 0 or not math.isfinite(weight) for weight in self.weights):
            raise ValueError("a weight is a number other than 0: leave the column out instead")
        if is_reserved(self.into):
            raise ValueError("the name *, and names that begin and end with an underscore, are reserved")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns, and the new one."""
        return (*self.columns, self.into) if self.into in schema and self.into not in self.columns else self.columns

    def label(self, schema: Schema) -> str:
        """Its name, or its word and columns."""
        return self.name or f"{self.word()}:{','.join(self.columns)}"

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only amounts can be added, and the name must be free."""
        yield from super().problems(schema)
        yield from not_amounts(schema, self.columns, "columns")
        yield from name_in_use(schema, self.into, "into", self.columns)

    def after(self, schema: Schema) -> Schema:
        """The combination stands where the first of the columns stood."""
        decimals = [0 if (c := schema[name]).scale == "discrete" else c.decimals for name in self.columns]
        told = [n for n in decimals if n is not None]
        exact = self.how == "sum" and self._whole_weights and len(told) == len(decimals)
        scale: Literal["discrete", "continuous"] = "discrete" if exact and not any(told) else "continuous"
        new = Column(
            name=self.into,
            role=strictest(schema, self.columns),
            judged=least_sure(schema, self.columns),
            scale=scale,
            decimals=max(told) if exact and any(told) else None,
        )
        columns = [new if c.name == self.columns[0] else c for c in schema]
        kept = tuple(c for c in columns if c is new or c.name not in self.columns)
        return schema.model_copy(update={"columns": kept})

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """The same sum, added from left to right."""
        if self.after(schema)[self.into].scale == "discrete":
            said = " + ".join(f"{quoted(n)} * {int(w)}" for n, w in self._terms())
            return Rewrite({self.into: Typed(f"CAST({said} AS BIGINT)", "integer")})
        values = {name: Typed(quoted(name), types[name]).number for name in self.columns}
        said = " + ".join(f"{values[name]} * {number(weight)}" for name, weight in self._terms())
        said = f"({said}) / {number(len(self.columns))}" if self.how == "mean" else said
        return Rewrite({self.into: Typed(said, "number")})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the combination; where a part is missing it is missing."""
        import narwhals as nw

        after = self.after(data.schema)
        kind: nw.dtypes.DType = nw.Int64() if after[self.into].scale == "discrete" else nw.Float64()
        (first, weight), *others = self._terms()
        total = nw.col(first).cast(kind) * weight
        for name, times in others:
            total = total + nw.col(name).cast(kind) * times
        total = total / float(len(self.columns)) if self.how == "mean" else total
        frame = data.frame.with_columns(_combined_=total.cast(kind)).drop(*self.columns)
        frame = frame.with_columns(nw.col("_combined_").alias(self.into))
        return replace(data, frame=frame.select(after.key, *after.names), schema=after)

    @property
    def _whole_weights(self) -> bool:
        return all(weight == int(weight) for weight in self.weights)

    def _terms(self) -> list[tuple[str, int | float]]:
        weights = self.weights or (1,) * len(self.columns)
        return [(n, int(w) if w == int(w) else w) for n, w in zip(self.columns, weights, strict=True)]
