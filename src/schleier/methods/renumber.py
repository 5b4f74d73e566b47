"""Running numbers in place of numbers that identify (formal anonymisation, Höhne T16)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from schleier.core.engine import Source
from schleier.core.errors import Problem
from schleier.core.method import Method, Nature
from schleier.core.schema import Role, Schema

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

BUCKETS = 4096
"""Draws are ranked within so many buckets, side by side; the numbers of a bucket follow those of the one before."""
VALUE, DRAW, BUCKET, PLACE, BEFORE = "_value_", "_draw_", "_bucket_", "_place_", "_before_"


class Renumber(Method):
    """Replace the values of a column by 1, 2, 3 ... in random order; equal values get the same number.

    >>> Renumber(column="household").column
    'household'
    """

    reference: ClassVar[str] = "Höhne (2010), Begriffsbestimmung: formale Anonymität (T16)"
    nature: ClassVar[Nature] = ""
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    random: ClassVar[bool] = True
    keeps: ClassVar[dict[str, str]] = {"rows": "exact", "other columns": "exact", "who belongs together": "exact"}
    example: ClassVar[dict[str, object]] = {"column": "household"}

    column: str
    """The column to renumber: a unit, an identifier, or names and codes without order."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The column must hold names or numbers of somebody, not amounts."""
        yield from super().problems(schema)
        if self.column not in schema:
            return
        column = schema[self.column]
        names = column.role in ("unit", "identifier") and column.scale == "discrete"
        if column.scale not in ("nominal", "text", "place") and not names:
            message = f"column '{column.name}' is {column.scale}: its values mean more than who is who"
            yield Problem("not-a-name", "column", message, "recode it, or swap it instead")

    def after(self, schema: Schema) -> Schema:
        """Numbers without meaning; an identifier no longer identifies, but tells which records belong together."""
        role: Role = schema[self.column].role
        if role == "identifier":
            role = "plain" if schema.having("unit") else "unit"
        gone: dict[str, object] = {
            "hierarchy": None,
            "missing": (),
            "decimals": None,
            "labels": {},
            "reasons": (),
            "date": None,
        }
        return schema.changed(self.column, role=role, scale="nominal", **gone)

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the column renumbered; missing stays missing. The old values are written down nowhere."""
        import narwhals as nw
        import pyarrow as pa

        drawn = self._drawn(data, run)
        table = drawn.engine.arrays(drawn.frame.group_by(BUCKET).agg(_n_=nw.len())).sort_by(BUCKET)
        counts = table.column("_n_").to_numpy()
        before = pa.table({BUCKET: table.column(BUCKET), BEFORE: counts.cumsum() - counts})
        place = drawn.frame.with_columns(**{PLACE: nw.col(DRAW).rank("dense").over(BUCKET)})
        place = place.join(drawn.engine.read(Source(before)), on=BUCKET, how="left")
        numbers = place.select(VALUE, _number_=(nw.col(BEFORE) + nw.col(PLACE)).cast(nw.Int64))
        run.note(column=self.column, numbers=int(counts.sum()))
        joined = data.frame.join(numbers, left_on=self.column, right_on=VALUE, how="left")
        after = self.after(data.schema)
        frame = joined.with_columns(**{self.column: nw.col("_number_")}).select(after.key, *after.names)
        return replace(data, frame=frame, schema=after)

    def _drawn(self, data: Dataset, run: Run) -> Dataset:
        """The distinct values with their draws; should two values draw the same, all draw again."""
        import narwhals as nw

        value, draw, attempt = nw.col(self.column), nw.col(DRAW), 1
        held = data.frame.filter(~value.is_null()).select(value.alias(VALUE)).group_by(VALUE).agg(_n_=nw.len())
        while True:
            drawn = run.draw(replace(data, frame=held), DRAW, f"order {attempt}", by=VALUE)
            drawn = drawn.mutate(**{BUCKET: (draw * BUCKETS).floor().cast(nw.Int64)}).kept()
            seen = drawn.totals(values=nw.len(), draws=draw.n_unique())
            if seen["values"] == (seen["draws"] or 0):
                return drawn
            attempt += 1
