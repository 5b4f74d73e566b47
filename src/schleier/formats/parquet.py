"""Parquet: typed, compressed, scanned by the engine in place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, Problem
from schleier.core.format import Format, Kind, Remark
from schleier.formats._checks import check_file
from schleier.formats._extras import entries
from schleier.formats._kinds import kinds_of, remarks_on

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Column, Layout


class Parquet(Format):
    """Apache Parquet files.

    >>> import tempfile, pyarrow as pa
    >>> path = Path(tempfile.mkdtemp()) / "people.parquet"
    >>> batch = pa.record_batch({"age": [30, 41]})
    >>> Parquet().write([batch], batch.schema, path)
    >>> Parquet().header(path)
    {'age': 'integer'}
    """

    name = "parquet"
    suffixes = (".parquet", ".pq")
    reading = "scan"
    writes = True

    def header(self, path: Path, layout: Layout | None = None, part: str = "") -> dict[str, Kind]:
        """Names of the columns and their kinds, from the footer of the file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        check_file(path)
        try:
            schema = pq.read_schema(path)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            problem = Problem("broken-file", str(path), "this is not a Parquet file, or it is damaged")
            # From None: the library's own message may quote bytes of the file.
            raise DataError(problem) from None
        return kinds_of(schema, path)

    def remarks(self, path: Path, layout: Layout | None = None, part: str = "") -> tuple[Remark, ...]:
        """That labels of rows are left out, and shapes of a map."""
        import pyarrow.parquet as pq

        return remarks_on(pq.read_schema(path))

    def extras(self, path: Path, part: str = "") -> tuple[str, ...]:
        """Entries of the footer that are about more than types."""
        import pyarrow.parquet as pq

        self.header(path)
        return entries(pq.read_schema(path), pq.read_metadata(path).metadata or {})

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        path: Path,
        layout: Layout | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        """Write batches to a new file, in the order they come."""
        import pyarrow.parquet as pq

        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_batch(batch)
