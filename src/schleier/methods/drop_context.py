"""Remove who lives or works together: the context of a household or owner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from schleier.core.data import tally
from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.sql import Rewrite
from schleier.core.traces import Traces

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class DropContext(Method):
    """Leave out the columns that say which records belong together, and what describes them as a group.

    >>> DropContext(columns=["household_income"]).columns
    ('household_income',)
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), 2.2.2 (household context, operator A-24)"
    traces: ClassVar[Traces] = frozenset({"omission"})
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"columns": ["region"]}

    columns: tuple[str, ...] = ()
    """Further columns about the household or owner as a whole: its size, its income, its address."""
    left: tuple[str, ...] | None = None
    """Learned: released columns that are alike in every unit and tell units apart, so that they may be rebuilt."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The units, and the columns."""
        return tuple(dict.fromkeys((*schema.having("unit"), *self.columns)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be units."""
        yield from super().problems(schema)
        if not schema.having("unit"):
            hint = 'give the column that says who belongs together the role "unit", or use drop'
            yield Problem("units-unknown", "columns", "nothing says which records belong together", hint)

    def after(self, schema: Schema) -> Schema:
        """The schema without them."""
        return schema.without(self.uses(schema))

    def fit(self, data: Dataset, run: Run) -> Self:
        """Look for columns that are the same for all records of every unit: they still tell who belongs together."""
        import narwhals as nw

        if self.left is not None:
            return self
        unit, gone = data.schema.having("unit")[0], self.uses(data.schema)
        rest = [name for name in data.schema.names if name not in gone and data.schema[name].role != "identifier"]
        counted = {f"_n_{i}_": nw.col(name).n_unique() for i, name in enumerate(rest)}
        groups = data.filter(~nw.col(unit).is_null()).frame.group_by(nw.col(unit)).agg(_n_=nw.len(), **counted)
        several = replace(data, frame=groups).filter(nw.col("_n_") > 1)
        seen = several.totals(_units_=nw.len(), **{n: tally(nw.col(n) > 1) for n in counted})
        values = data.totals(**{f"_n_{i}_": nw.col(name).n_unique() for i, name in enumerate(rest)})
        alike = [
            name
            for i, name in enumerate(rest)
            if seen["_units_"] and not seen[f"_n_{i}_"] and (values[f"_n_{i}_"] or 0) > 1
        ]
        return self.model_copy(update={"left": tuple(alike)})

    def again(self) -> Self:
        """Look at the other rows again."""
        return self.model_copy(update={"left": None})

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """Nothing to compute: ``after`` tells what is left."""
        return Rewrite()

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset without them."""
        if self.left is None:
            return self.fit(data, run).apply(data, run)
        if self.left:
            told = "these columns are the same for all records of a unit and may tell who belongs together"
            run.note(caution=told, columns=list(self.left))
        return data.drop(*self.uses(data.schema))
