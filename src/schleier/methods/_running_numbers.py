"""Running numbers in random order in place of names and numbers that identify."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.engine import Source

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

BUCKETS = 4096
"""Draws are ranked within so many buckets, side by side; the numbers of a bucket follow those of the one before."""
VALUE, DRAW, BUCKET, PLACE, BEFORE = "_value_", "_draw_", "_bucket_", "_place_", "_before_"
MEANING: dict[str, object] = {
    "hierarchy": None,
    "missing": (),
    "decimals": None,
    "labels": {},
    "reasons": (),
    "date": None,
}
"""What the description of a column says of its old values and not of running numbers."""


def renumbered(data: Dataset, run: Run, column: str) -> tuple[nw.LazyFrame[Any], int]:
    """The rows with 1, 2, 3 ... in place of the values of a column, and how many numbers there are.

    Equal values get the same number; missing stays missing. The old values are written down nowhere.
    """
    import narwhals as nw
    import pyarrow as pa

    drawn = _drawn(data, run, column)
    table = drawn.engine.arrays(drawn.frame.group_by(BUCKET).agg(_n_=nw.len())).sort_by(BUCKET)
    counts = table.column("_n_").to_numpy()
    before = pa.table({BUCKET: table.column(BUCKET), BEFORE: counts.cumsum() - counts})
    place = drawn.frame.with_columns(**{PLACE: nw.col(DRAW).rank("dense").over(BUCKET)})
    place = place.join(drawn.engine.read(Source(before)), on=BUCKET, how="left")
    numbers = place.select(VALUE, _number_=(nw.col(BEFORE) + nw.col(PLACE)).cast(nw.Int64))
    names = data.frame.collect_schema().names()
    joined = data.frame.join(numbers, left_on=column, right_on=VALUE, how="left")
    return joined.with_columns(nw.col("_number_").alias(column)).select(*names), int(counts.sum())


def _drawn(data: Dataset, run: Run, column: str) -> Dataset:
    """The distinct values with their draws; should two values draw the same, all draw again."""
    import narwhals as nw

    value, draw, attempt = nw.col(column), nw.col(DRAW), 1
    held = data.frame.filter(~value.is_null()).select(value.alias(VALUE)).group_by(VALUE).agg(_n_=nw.len())
    while True:
        drawn = run.draw(replace(data, frame=held), DRAW, f"order {attempt}", by=VALUE)
        drawn = drawn.mutate(**{BUCKET: (draw * BUCKETS).floor().cast(nw.Int64)}).kept()
        seen = drawn.totals(values=nw.len(), draws=draw.n_unique())
        if seen["values"] == (seen["draws"] or 0):
            return drawn
        attempt += 1
