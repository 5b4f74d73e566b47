"""Divide large units into several artificial ones (Höhne T15, decomposition)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.component import secret
from schleier.core.data import tally
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.method import Method
from schleier.core.normal import logical
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._added_records import after_adding, appended, fresh_units, put, renamed, with_wide_numbers
from schleier.methods._amounts import not_amounts
from schleier.methods._condition import Condition

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

    from schleier.core.data import Dataset
    from schleier.core.run import Run


class SplitUnits(Method):
    """Divide the amounts of the records that meet ``where`` among several records, with secret shares.

    >>> SplitUnits(columns=["turnover"], where=[{"column": "turnover", "above": 1e9}], keys=["land"]).parts
    2
    """

    counts: ClassVar[frozenset[str]] = frozenset({"divided", "divided_records"})
    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Zerlegung (T15)"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    random: ClassVar[bool] = True
    traces: ClassVar[Traces] = frozenset({"division"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A2",)
    example: ClassVar[dict[str, object]] = {
        "columns": ["income", "children"],
        "where": [{"column": "income", "above": 4500}],
        "keys": ["sex"],
    }

    columns: tuple[str, ...] = Field(min_length=1)
    """The amounts that are divided. All other columns are the same in every part."""
    where: tuple[Condition, ...] = secret(min_length=1)
    """Which records are divided: all conditions must hold."""
    keys: tuple[str, ...] = Field(min_length=1)
    """The columns by which an attacker could gather the parts again; missing is a value of its own."""
    parts: int = Field(default=2, ge=2, le=100)
    """Records that each of them becomes."""
    min_others: int = Field(default=2, ge=2)
    """Records that are not divided and share the keys of a divided one: else summing up restores it."""
    public: tuple[str, ...] = ()
    """Secret parameters to publish."""
    divided: int | None = None
    """Learned: number of records that were divided."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        named = (*self.columns, *self.keys)
        if len(set(named)) < len(named):
            raise ValueError("columns and keys must differ: an attacker does not know what is divided")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns named; and all others, which each part has too."""
        said = (*self.columns, *(condition.column for condition in self.where), *self.keys)
        return tuple(dict.fromkeys((*said, *schema.names)))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The amounts, and the numbers of units."""
        return (*self.columns, *schema.having("unit"))

    def label(self, schema: Schema) -> str:
        """Its name, or its word and the amounts."""
        return self.name or f"{self.word()}:{','.join(self.columns)}"

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Only amounts can be divided, and comparisons must make sense."""
        yield from super().problems(schema)
        yield from not_amounts(schema, self.columns, "columns")
        for i, condition in enumerate(self.where):
            if condition.column in schema:
                for message in condition.problems(schema[condition.column]):
                    yield Problem("bad-comparison", f"where[{i}]", message)

    def after(self, schema: Schema) -> Schema:
        """Units have new numbers, identifiers are gone."""
        return after_adding(schema)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Count the records to divide; refuse where their parts could be gathered by their keys."""
        import narwhals as nw

        if self.divided is not None:
            return self
        met = self._met(data)
        table = data.grouped(list(self.keys), {"_large_": tally(met), "_n_": nw.len()})
        groups = list(zip(table.column("_large_").to_pylist(), table.column("_n_").to_pylist(), strict=True))
        bare = sum(int(large) for large, n in groups if large and n - large < self.min_others)
        if bare:
            message = f"{bare} records to divide share their keys with fewer than {self.min_others} other records"
            hint = "coarsen the keys first; with a combination of its own a unit is restored by summing up its parts"
            stop(InfeasibleError, "unique-combination", "keys", message, hint)
        return self.model_copy(update={"divided": sum(int(large or 0) for large, _ in groups)})

    def again(self) -> Self:
        """Count the other rows again."""
        return self.model_copy(update={"divided": None})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with parts in place of large records, which are held in memory."""
        import narwhals as nw

        if self.divided is None:
            return self.fit(data, run).apply(data, run)
        run.note(divided_records=self.divided, parts=self.parts, caution="the number of records is no longer right")
        after = self.after(data.schema)
        ready = with_wide_numbers(replace(data, schema=after))
        if not self.divided:
            return fresh_units(ready, run)
        hit = nw.when(self._met(data)).then(nw.lit(1)).otherwise(nw.lit(0))
        marked = with_wide_numbers(replace(data.mutate(_hit_=hit), schema=after), ("_hit_",)).kept()
        small, large = (marked.filter(nw.col("_hit_") == n) for n in (0, 1))
        small = replace(small, frame=small.frame.drop("_hit_"))
        first, *others = self._pieces(ready, replace(large, frame=large.frame.drop("_hit_")), run)
        return fresh_units(appended(small, first, others), run)

    def _pieces(self, data: Dataset, large: Dataset, run: Run) -> list[pa.Table]:
        """The parts; the first one keeps the row key."""
        import numpy as np

        schema, drawn = data.schema, large
        for i, name in enumerate(self.columns):
            for part in range(self.parts):
                drawn = run.draw(drawn, f"_draw_{i}_{part}_", f"part {part} {name}")
        rows = data.engine.arrays(drawn.frame.sort(schema.key))
        plain = rows.select([schema.key, *schema.names])
        amounts = {}
        for i, name in enumerate(self.columns):
            draws = np.stack([rows.column(f"_draw_{i}_{part}_").to_numpy() for part in range(self.parts)], axis=1)
            amounts[name] = self._divided(plain, schema, name, draws)
        found = []
        for part in range(self.parts):
            piece = put(plain, {name: amounts[name][:, part] for name in self.columns})
            keys = (schema.key, *schema.having("unit"))
            found.append(renamed(data, run, piece, keys if part else (), part))
        return found

    def _divided(self, rows: pa.Table, schema: Schema, name: str, draws: Any) -> Any:
        import numpy as np

        from schleier.kernels.change.parts import divided, parted

        column = schema[name]
        values = np.nan_to_num(rows.column(name).to_numpy(zero_copy_only=False).astype(np.float64))
        decimals = 0 if column.scale == "discrete" else column.decimals
        if decimals is None:
            return parted(values, draws)
        scale = 10.0**decimals
        return divided(np.floor(values * scale + 0.5), draws) / scale

    def _met(self, data: Dataset) -> nw.Expr:
        types = data.frame.collect_schema()
        return functools.reduce(operator.and_, (c.met(logical(types[c.column])) for c in self.where))
