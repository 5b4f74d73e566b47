"""The write edge: the canonical form of a release, the same on every engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.flow.release.fingerprint import fingerprint

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

BATCH = 131_072
STEP = "release"
"""Label of the draws that order the rows of a release."""


def canonical(data: Dataset) -> Dataset:
    """Declared precision applied, no negative zero, columns in the order of the schema."""
    import narwhals as nw

    types = data.frame.collect_schema()
    exprs = {}
    for column in data.schema:
        value = nw.col(column.name)
        if not types[column.name].is_float():
            continue
        if column.decimals is not None:
            value = _rounded(value, 10.0**column.decimals)
        exprs[column.name] = nw.when(value == 0.0).then(nw.lit(0.0)).otherwise(value)
    return data.mutate(**exprs) if exprs else data


def _rounded(value: nw.Expr, scale: float) -> nw.Expr:
    """Rounded as floor(x * 10^d + 0.5): the same IEEE operations on every engine.

    Beyond 2^52 a number has no decimals left to round, and Spark's floor would overflow its 64 bits.
    """
    import narwhals as nw

    scaled = value * scale
    small = scaled.abs() < 2.0**52
    rounded = (nw.when(small).then(scaled).otherwise(nw.lit(0.0)) + 0.5).floor().cast(nw.Float64) / scale
    return nw.when(small).then(rounded).otherwise(value)


def write_rows(data: Dataset, run: Run, path: Path) -> str:
    """Write a dataset as Parquet in keyed random order; rows of a unit stay together, the row key is left out.

    The order depends on all that is written, whose fingerprint is returned: two releases under one key whose rows
    came in the same order could be laid side by side.
    """
    key, units, content = data.schema.key, data.schema.having("unit"), fingerprint(data, run)
    with run.within(STEP):
        drawn = run.draw(data, "_place_", f"row order {content}")
        order = ["_place_", key]
        if units:
            drawn = run.draw(drawn, "_unit_place_", f"unit order {content}", by=units[0])
            order = ["_unit_place_", units[0], *order]
    drawn.engine.write(drawn.frame, path, order, data.schema.names)
    return content


def batches(path: Path) -> Iterator[pa.RecordBatch]:
    """The rows of a written Parquet file, in order."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, pre_buffer=False) as file:  # else all of the file would stay in memory until its end
        yield from file.iter_batches(batch_size=BATCH)


def written_schema(path: Path) -> pa.Schema:
    """Arrow schema of a written Parquet file."""
    import pyarrow.parquet as pq

    return pq.read_schema(path).remove_metadata()
