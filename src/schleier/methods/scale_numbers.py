"""Multiply all numbers of a unit by the same factor, which follows from a key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.pseudonym import Left
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._amounts import not_amounts
from schleier.methods._by_unit import beside, draws, units_of

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class ScaleNumbers(Method):
    """Numbers of a unit grow or shrink together, by a share between half of ``spread`` and all of it.

    >>> ScaleNumbers(columns=["turnover"], by="firm", key="office", domain="firms", spread=0.2).spread
    0.2
    """

    reference: ClassVar[str] = "Bitkom (2020), Anonymisierung und Pseudonymisierung von Daten für Projekte des ML"
    traces: ClassVar[Traces] = frozenset({"factor"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "missing": "exact", "signs": "weak"}
    linkable: ClassVar[bool] = True
    example: ClassVar[dict[str, object]] = {
        "columns": ["income"], "by": "household", "key": "env:SCHLEIER_EXAMPLE_KEY", "domain": "homes", "spread": 0.3,
    }  # fmt: skip

    columns: tuple[str, ...] = Field(min_length=1)
    """The amounts: all of a unit are multiplied by the same factor."""
    by: str
    """The column that tells whose they are. In several tables it must hold the same values."""
    key: str = Field(min_length=1)
    """The long-lived key: its name under ``[keys]``, or ``env:VARIABLE``."""
    domain: str = Field(min_length=1)
    """Where key and domain are the same, a unit has the same factor in all tables and releases."""
    spread: float = Field(gt=0, lt=1)
    """The largest share by which a number grows or shrinks; the smallest is half of it."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """Amounts and unit."""
        return (*self.columns, self.by)

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The amounts."""
        return self.columns

    def exposes(self) -> tuple[Left, ...]:
        """How the numbers of a unit relate to each other."""
        return ("interval",)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only amounts are multiplied, and their products are rounded.

        The quotient of two products that are not rounded is that of the two amounts, to the last bit. Of amounts with
        few decimals there is only one such fraction of this size: both would be known without the factor.
        """
        yield from super().problems(schema)
        yield from not_amounts(schema, self.columns, "columns")
        for name in self.columns:
            if name in schema and schema[name].scale == "continuous" and schema[name].decimals is None:
                message = f"column '{name}' declares no decimals: products that are not rounded give the amounts away"
                yield Problem("exact-products", "columns", message, "say in the schema how many decimals it has")

    def after(self, schema: Schema) -> Schema:
        """The same columns; their hierarchies may not cover the new numbers."""
        for name in self.columns:
            schema = schema.changed(name, hierarchy=None, labels={})
        return schema

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with multiplied numbers; where the unit is missing, so is the number afterwards."""
        import narwhals as nw
        import pyarrow as pa

        units = units_of(data, self.by)
        drawn = draws(units, run.key_of(self.key), self.domain, "factor")
        share = (drawn[:, 0] >> 11).astype(float) / 2**53 * self.spread
        factor = 1 + (self.spread / 2 + share / 2) * (1 - 2.0 * (drawn[:, 1] & 1).astype(float))
        frame = beside(data, {"_unit_": self.by}, pa.table({"_unit_": units, "_factor_": pa.array(factor)}))
        names, made = data.frame.collect_schema().names(), {}
        for name in self.columns:
            product = nw.col(name).cast(nw.Float64) * nw.col("_factor_")
            made[name] = product.round(0).cast(nw.Int64) if data.schema[name].scale == "discrete" else product
        return data.reframed(frame.with_columns(**made).select(*names), self.after(data.schema))
