"""Brings every source into a form both engines scan: a Parquet file, with the same ordinals for both."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from schleier.core.engine import Source

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

FEW_ROWS = 50_000
"""Rows that one thread reads soon enough."""


def is_table(source: Any) -> TypeGuard[pa.Table]:
    """Whether a source lies in memory already."""
    import pyarrow as pa

    return isinstance(source, pa.Table)


def staged(source: Source, connection: duckdb.DuckDBPyConnection, work: Path) -> Path:
    """The Parquet file of a source; text files and batches are converted once, into ``work``."""
    path = work / f"staged-{os.urandom(4).hex()}.parquet"
    if not isinstance(source.at, Path):
        import pyarrow.parquet as pq

        with pq.ParquetWriter(path, source.at.schema) as writer:
            for batch in source.at:
                writer.write_batch(batch)
    elif source.layout is not None:
        from schleier.engine._ingest import csv_to_parquet

        keep = (*(column.name for column in source.columns), *source.extra)
        csv_to_parquet(connection, source.at, source.layout, source.columns, keep, path, work)
    else:
        return source.at
    return path


def in_parts(path: Path, parts: int, work: Path) -> Path:
    """The same rows in so many row groups at least, which are read at once: one group is the work of one thread."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, pre_buffer=False) as file:
        rows = file.metadata.num_rows
        if file.num_row_groups >= parts or rows < FEW_ROWS:
            return path
        parted = work / f"parted-{os.urandom(4).hex()}.parquet"
        with pq.ParquetWriter(parted, file.schema_arrow) as writer:
            for batch in file.iter_batches(-(-rows // parts)):
                writer.write_batch(batch)
    return parted


def with_ordinal(table: pa.Table, ordinal: str) -> pa.Table:
    """The table with the ordinal of each row as a further column."""
    import numpy as np

    return table.append_column(ordinal, [np.arange(len(table), dtype=np.int64)])
