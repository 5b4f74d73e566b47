"""Give many records the same sampling weight, and keep the weighted totals of declared margins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, model_validator

from schleier.core.component import listed
from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, Problem, Problems, stop
from schleier.core.matching import matched
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Groups, Trace, Traces
from schleier.methods._gap_patterns import refuse_infinite

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.run import Run
    from schleier.kernels.grouping.halving import Whole
    from schleier.kernels.grouping.weight_groups import Entries

UNIT, ALONE, RECORDS, NEW = "_unit_", "_alone_", "_n_", "_new_"


class CoarsenWeights(Method):
    """Records with similar weights are put into groups of at least k units, and share one weight.

    >>> CoarsenWeights(column="weight", k=10, margins=["region", "sex"]).margins
    ('region', 'sex')
    """

    reference: ClassVar[str] = (
        "De Waal and Willenborg (1997), Statistical disclosure control and sampling weights; Deville and Särndal "
        "(1992), Calibration estimators in survey sampling"
    )
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    traces: ClassVar[Traces] = frozenset({"average", "group_mean"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "missing": "exact", "total weight": "exact"}
    design: ClassVar[frozenset[str]] = frozenset({"groups"})
    example: ClassVar[dict[str, object]] = {"column": "weight", "k": 10, "margins": ["sex"]}

    column: str
    """The column of weights."""
    k: int = Field(ge=3)
    """Units that share a weight at least; records where the table has no column of role "unit"."""
    margins: tuple[str, ...] = ()
    """Columns whose categories keep the sum of their weights; without any only the sum of all weights is kept."""

    @model_validator(mode="after")
    def _columns_differ(self) -> Self:
        if len({self.column, *self.margins}) != 1 + len(self.margins):
            raise ValueError("the weight and the margins must differ")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The weight, the margins, and the unit."""
        return tuple(dict.fromkeys((self.column, *self.margins, *schema.having("unit")[:1])))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The weight."""
        return (self.column,)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The weight must be numeric, and margins must have categories."""
        yield from super().problems(schema)
        if self.column in schema and not schema[self.column].numeric:
            yield Problem("not-numeric", "column", f"column '{self.column}' holds no numbers", "name the weights")
        amounts = [name for name in self.margins if name in schema and schema[name].scale == "continuous"]
        if amounts:
            message = f"amounts have no categories whose totals could be kept: {listed(amounts)}"
            yield Problem("continuous-strata", "margins", message, "recode them to bands first")

    def after(self, schema: Schema) -> Schema:
        """A mean of whole numbers is not whole."""
        return schema.changed(self.column, scale="continuous") if self.column in schema else schema

    def trail(self, trace: Trace, schema: Schema) -> Groups | None:
        """Neighbours by weight within the margins share a mean."""
        return Groups((self.column,), self.margins) if trace == "group_mean" else None

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with shared weights: combinations of margins and weight are looked up in one join."""
        import narwhals as nw
        import numpy as np
        import pyarrow as pa

        from schleier.kernels.grouping.weight_groups import shared_weights

        refuse_infinite(data, (self.column,))
        table, entries, margins = self._entries(data)
        as_number = {self.column: nw.col(self.column).cast(nw.Float64)}
        if not len(table):
            return data.mutate(**as_number).described(self.after(data.schema))
        self._refuse_few(entries, margins)
        found = shared_weights(entries, margins, self.k)
        if found is None:
            message = f"weights that {self.k} units share cannot have the totals of all margins"
            stop(
                InfeasibleError, "margins-not-kept", "margins", message, "declare fewer margins, or coarser ones first"
            )
        weights, groups = found
        run.note(column=self.column, groups=int(groups.max()) + 1)
        cells, held = entries.cells, entries.weights
        firsts = np.flatnonzero(np.r_[True, (cells[1:] != cells[:-1]) | (held[1:] != held[:-1])])
        lookup = (
            table.take(pa.array(firsts))
            .select([*self.margins, self.column])
            .append_column(NEW, pa.array(weights[firsts]))
        )
        result = matched(data, lookup, [*self.margins, self.column]).mutate(**{self.column: nw.col(NEW)})
        return replace(result, frame=result.frame.drop(NEW), schema=self.after(data.schema))

    def _entries(self, data: Dataset) -> tuple[pa.Table, Entries, list[Whole]]:
        """Records by margins, weight and unit, those with a weight, in this order; and the codes of each margin."""
        import numpy as np
        import pyarrow as pa

        from schleier.core.classes.table import sorted_codes
        from schleier.kernels.classes.coding import merge
        from schleier.kernels.grouping.weight_groups import Entries

        table = self._table(data)
        codes = [sorted_codes(table.column(name))[1].astype(np.int64) + 1 for name in self.margins]
        place = merge(np.stack(codes, axis=1).astype(np.int32))[1] if codes else np.zeros(len(table), np.int64)
        weights = table.column(self.column).to_numpy().astype(np.float64)
        units = sorted_codes(table.column(UNIT))[1].astype(np.int64)
        order = np.lexsort((units, weights, place))
        alone, records = (table.column(name).to_numpy().astype(np.int64)[order] for name in (ALONE, RECORDS))
        entries = Entries(place[order], weights[order], units[order], alone, records)
        return table.take(pa.array(order)), entries, [code[order] for code in codes]

    def _table(self, data: Dataset) -> pa.Table:
        """Records that steps added have weights, too, but hide nobody."""
        import narwhals as nw
        import pyarrow as pa

        unit, present = data.schema.having("unit")[:1], data.filter(~nw.col(self.column).is_null())
        keys = [*self.margins, self.column]
        tables = []
        for added in (False, True) if data.added is not None else (False,):
            part = present if added else present.genuine()
            if added and data.added is not None:
                frame = present.frame.join(data.added, left_on=data.schema.key, right_on="_key_", how="semi")
                part = replace(present, frame=frame)
            whose = [UNIT] if unit and not added else []
            named = part.mutate(**{UNIT: nw.col(unit[0])}) if whose else part
            found = named.grouped([*keys, *whose], {RECORDS: nw.len()})
            hiding = found.column(RECORDS) if not unit and not added else pa.array([0] * len(found), pa.int64())
            found = found if whose else found.append_column(UNIT, pa.nulls(len(found)))
            tables.append(found.append_column(ALONE, hiding).select([*keys, UNIT, ALONE, RECORDS]))
        return pa.concat_tables(tables, promote_options="permissive")

    def _refuse_few(self, entries: Entries, margins: list[Whole]) -> None:
        """A total of fewer than k units would tell their weights, so it cannot be kept."""
        from schleier.kernels.grouping.weight_groups import units_of

        found = Problems()
        if units_of(entries).sum() < self.k:
            message = f"groups of {self.k} need {self.k} units at least, and there are fewer"
            found.add("few-records", "k", message, "take a smaller k, or more records")
        for name, codes in zip(self.margins, margins, strict=True):
            few = int((units_of(entries, codes) < self.k).sum())
            if few:
                message = (
                    f"{few} categories of '{name}' have fewer than {self.k} units, whose total would tell their weights"
                )
                found.add("small-margin", "margins", message, "coarsen the column first, or leave it out")
        found.raise_as(InfeasibleError)
