"""A dataset: rows in an engine, and what their columns mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from schleier.core.engine import Engine, Kernel, Source
from schleier.core.errors import DataError
from schleier.core.schema import Schema
from schleier.core.wording import worded

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.classes.compositions import Compositions
    from schleier.core.classes.request import Missing, Request
    from schleier.core.hierarchy import Hierarchy

PLANNED = 400
"""Columns of steps, one after the other, that are planned together."""
LIGHT = 10_000_000
"""Cells that are computed in less time than it takes to plan many steps."""


class Spectrum(NamedTuple):
    """``values[i]`` values of a column occur ``times[i]`` times each; a gap is one of its own."""

    times: NDArray[np.int64]
    values: NDArray[np.int64]
    gap: NDArray[np.bool_]


@dataclass(frozen=True)
class Dataset:
    """Rows (not yet computed), their schema, and the engine that moves them. Immutable.

    >>> import pyarrow as pa
    >>> from schleier.core.schema import Column
    >>> ages = pa.table({"age": [17, 44, 44]})
    >>> data = Dataset.from_frame(ages, Schema(columns=[Column(name="age", scale="discrete")]))
    >>> data.rows
    3
    """

    frame: nw.LazyFrame[Any] = field(repr=False)
    schema: Schema
    engine: Engine
    populations: Mapping[str, Dataset] = field(default_factory=dict)
    """Tables of persons to compare with ("population", "gazetteer"), their keys as they are in these rows. A column
    of role "weight" says how many persons a row stands for, one without it."""
    added: nw.LazyFrame[Any] | None = field(default=None, repr=False, compare=False)
    """Row keys (``_key_``) of records that steps added: nobody stands behind them, so they hide nobody."""

    @staticmethod
    def from_frame(frame: Any, schema: Schema, engine: Engine | None = None) -> Dataset:
        """A dataset from a pandas, Polars or Arrow table (or anything Narwhals knows)."""
        from schleier.core.frames import arrow_table
        from schleier.core.normal import normal, refuse_reserved, told_apart
        from schleier.core.registry import default_engine

        engine = engine or default_engine()
        table = arrow_table(frame, schema)
        refuse_reserved(table.column_names).raise_as(DataError)
        table = told_apart(table, schema)
        ordinal = None if schema.row_key else schema.key
        return normal(engine.read(Source(table, ordinal)), schema, engine)

    @cached_property
    def rows(self) -> int:
        """Number of rows, counted once."""
        import narwhals as nw

        return int(self.totals(n=nw.len())["n"])

    def mutate(self, /, **exprs: nw.Expr) -> Dataset:
        """The dataset with columns computed anew."""
        return self.reframed(self.frame.with_columns(*named(exprs)))

    def reframed(self, frame: nw.LazyFrame[Any], schema: Schema | None = None) -> Dataset:
        """As many rows in another frame: they are not counted again."""
        result = replace(self, frame=frame, schema=schema or self.schema)
        if "rows" in vars(self):
            vars(result)["rows"] = self.rows
        return result

    def filter(self, expr: nw.Expr) -> Dataset:
        """The rows for which ``expr`` is true."""
        return replace(self, frame=self.frame.filter(expr))

    def drop(self, *names: str) -> Dataset:
        """The dataset without some columns."""
        return self.reframed(self.frame.drop(*names), self.schema.without(names))

    def described(self, schema: Schema) -> Dataset:
        """The same rows with another schema."""
        return self.reframed(self.frame, schema)

    def kept(self) -> Dataset:
        """The same rows, computed once now."""
        return self.reframed(self.engine.keep(self.frame))

    def settled(self, steps: int) -> Dataset:
        """The same rows after so many steps, computed from time to time where planning costs more than the rows do.

        Every question to an engine plans all steps that are not yet computed, with all their columns.
        """
        width = max(len(self.schema.names), 1)
        # Where rows are spread over machines, counting them costs more than planning does.
        if steps % max(PLANNED // width, 1) or self.engine.distributed or self.rows * width > LIGHT:
            return self
        return self.kept()

    def genuine(self) -> Dataset:
        """The rows that were read: those that steps added are left out. Criteria count these."""
        if self.added is None:
            return self
        frame = self.frame.join(self.added, left_on=self.schema.key, right_on="_key_", how="anti")
        return replace(self, frame=frame, added=None)

    def totals(self, /, **exprs: nw.Expr) -> dict[str, Any]:
        """Aggregates over all rows, as plain values, in one pass."""
        table = self.engine.arrays(self.frame.select(*named(exprs)))
        values = {name: table.column(name)[0].as_py() for name in table.column_names}
        # DuckDB adds up whole numbers in 128 bits, which Arrow hands over as decimals.
        return {name: int(value) if isinstance(value, Decimal) else value for name, value in values.items()}

    def counts(self, expr: nw.Expr) -> tuple[pa.Array, NDArray[np.int64]]:
        """Distinct values of an expression in order, and the number of rows of each; missing left out."""
        import narwhals as nw

        groups = self.frame.select(_value_=expr).filter(~nw.col("_value_").is_null())
        table = self.engine.arrays(groups.group_by("_value_").agg(_n_=nw.len())).sort_by("_value_")
        return table.column("_value_").combine_chunks(), table.column("_n_").to_numpy()

    def spectrum(self, name: str) -> Spectrum:
        """How many values of a column occur once, twice, ...: counted by the engine, so that no value leaves it."""
        import narwhals as nw

        values = self.frame.select(_value_=nw.col(name)).group_by("_value_").agg(_n_=nw.len())
        gaps = values.with_columns(_gap_=nw.col("_value_").is_null())
        table = self.engine.arrays(gaps.group_by("_gap_", "_n_").agg(_values_=nw.len()))
        times, values, gap = (table.column(part).to_numpy() for part in ("_n_", "_values_", "_gap_"))
        return Spectrum(times, values, gap.astype(bool))

    def replace(self, name: str, by: nw.Expr, values: pa.Array, words: pa.Array, others: str | None = None) -> Dataset:
        """Put ``words[i]`` where ``by`` equals ``values[i]``; all else becomes ``others``, but missing stays so."""
        import narwhals as nw
        import pyarrow as pa

        names = [column for column in self.frame.collect_schema().names() if column != name]
        held, word = self.frame.with_columns(_value_=by), nw.col("_word_")
        if self.engine.distributed and (short := worded(nw.col("_value_"), values, words)) is not None:
            joined = held.with_columns(_word_=short)
        else:
            lookup = self.engine.read(Source(pa.table({"_value_": values, "_word_": words})))
            joined = held.join(lookup, on="_value_", how="left")
        if others is not None:
            word = nw.when(~nw.col("_value_").is_null()).then(word.fill_null(others))
        return self.reframed(joined.select(*names, word.alias(name)))

    def map_groups(
        self,
        by: Sequence[str],
        kernel: Kernel,
        changes: Mapping[str, nw.dtypes.DType],
        given: Sequence[str] = (),
    ) -> Dataset:
        """Columns changed group by group with array code; each group comes in row-key order."""
        frame = self.engine.map_groups(self.frame, by, kernel, changes, given, self.schema.key)
        return self.reframed(frame)

    def classes(self, request: Request) -> Classes:
        """The equivalence classes of some keys."""
        from schleier.core.classes.groups import from_groups
        from schleier.core.classes.magnitude import contributions
        from schleier.core.classes.parts import parts_of
        from schleier.core.classes.population import population_of

        keys = list(request.keys)
        parts = parts_of(self, request)
        shares = {name: contributions(self, keys, name) for name in request.magnitudes}
        classes = from_groups(parts, keys, [self._hierarchy(key) for key in keys], shares)
        histograms = {
            name: replace(
                found,
                columns=tuple(self.schema[column] for column in parts.spread[name][1]),
                hierarchy=self._hierarchy(name) if name in self.schema else None,
            )
            for name, found in classes.histograms.items()
        }
        people = {name: population_of(self, name, keys, classes.values) for name in request.populations}
        members = classes.members if request.members else None
        classes = replace(classes, histograms=histograms, populations=people, members=members)
        if request.units and request.compositions:
            classes = replace(classes, compositions=self._compositions(classes, request))
        return classes.excluding_missing() if request.missing == "exclude" else classes

    def _compositions(self, classes: Classes, request: Request) -> dict[Missing, Compositions]:
        """What units are made of, under each policy that was asked for."""
        from schleier.core.classes.compositions import count_compositions

        if classes.members is not None:
            return {missing: classes.composed(missing) for missing in request.compositions}
        left = {
            missing: classes.excluding_missing() if missing == "exclude" else classes
            for missing in request.compositions
        }
        return {missing: count_compositions(self, table, request.units or "") for missing, table in left.items()}

    def _hierarchy(self, column: str) -> Hierarchy | None:
        name = self.schema[column].hierarchy
        return self.schema.hierarchies.get(name) if name else None

    def grouped(self, keys: list[str], sums: Mapping[str, nw.Expr]) -> pa.Table:
        """Aggregates by combination of some columns."""
        import narwhals as nw

        if not keys:
            return self.engine.arrays(self.frame.select(**sums))
        # Under names of our own: DuckDB would trim one that begins with a blank, and split one at its dot.
        named = [nw.col(key).alias(f"_key_{place}_") for place, key in enumerate(keys)]
        table = self.engine.arrays(self.frame.group_by(*named).agg(**sums))
        return table.rename_columns([*keys, *table.column_names[len(keys) :]])

    def selected(self, names: Sequence[str], more: Mapping[str, nw.Expr]) -> pa.Table:
        """Some columns of all rows, and expressions under names of our own."""
        import narwhals as nw

        columns = {f"_key_{place}_": nw.col(name) for place, name in enumerate(names)}
        table = self.engine.arrays(self.frame.select(**columns, **more))
        return table.rename_columns([*names, *more])

    def to_arrow(self) -> pa.Table:
        """The columns of the schema as an Arrow table, in row-key order."""
        return self.engine.arrays(self.frame.sort(self.schema.key).select(*self.schema.names))

    def to_pandas(self) -> pd.DataFrame:
        """The columns of the schema as a pandas frame, in row-key order."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """The columns of the schema as a Polars frame, in row-key order."""
        import polars as pl

        frame = pl.from_arrow(self.to_arrow())
        if not isinstance(frame, pl.DataFrame):
            raise TypeError("expected a frame")
        return frame


def named(exprs: Mapping[str, nw.Expr]) -> list[nw.Expr]:
    """Expressions under the names of their columns: as keywords, a column "self" would be taken for the frame."""
    return [expr.alias(name) for name, expr in exprs.items()]


def tally(condition: nw.Expr) -> nw.Expr:
    """How many rows meet a condition; unknown counts as no. (Not every engine adds up truth values.)"""
    import narwhals as nw

    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).sum()
