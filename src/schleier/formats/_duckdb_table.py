"""A new table in a database file of DuckDB, filled as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.errors import SchleierError, WriteError, stop
from schleier.core.failures import reworded
from schleier.core.limits import is_there
from schleier.core.sql import quoted

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Column


class DuckdbTable:
    """A table that is there once ``commit`` was called; a file made for it vanishes when it was not."""

    def __init__(self, path: Path, part: str) -> None:
        self.path, self.where = path, f"{path}::{part}"
        schema, _, table = part.rpartition(".")
        self.place = f"{quoted(schema or 'main')}.{quoted(table)}"
        self.names = (schema or "main", table)
        self.new = not is_there(path)
        self.connection: Any = None
        if not self.new:
            self._open()
            self._refuse_existing()
            self._shut()

    def fill(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, columns: Sequence[Column]) -> None:
        """Create the table with these rows, in their order; nobody sees it yet."""
        import pyarrow as pa

        self._open()
        self._refuse_existing()
        self._do("BEGIN")
        if self.names[0] != "main":
            self._do(f"CREATE SCHEMA IF NOT EXISTS {quoted(self.names[0])}")
        self.connection.register("_rows_", pa.RecordBatchReader.from_batches(schema, batches))
        self._do(f"CREATE TABLE {self.place} AS FROM _rows_")
        for column in columns:
            if column.title:
                title = column.title.replace("'", "''")
                self._do(f"COMMENT ON COLUMN {self.place}.{quoted(column.name)} IS '{title}'")

    def commit(self) -> None:
        """Let the table be there."""
        self._do("COMMIT")
        self.new = False

    def close(self) -> None:
        """Let go of the database; what was not committed is gone."""
        self._shut()
        if self.new:
            for path in (self.path, self.path.with_name(self.path.name + ".wal")):
                with suppress(OSError, ValueError):  # a name that no file can have
                    path.unlink(missing_ok=True)

    def _open(self) -> None:
        import duckdb

        from schleier.engine.duckdb import OFFLINE

        with reworded(self._explain):
            self.connection = duckdb.connect(str(self.path), config=OFFLINE)

    def _shut(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _refuse_existing(self) -> None:
        seen = "SELECT count(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?"
        if self.connection.execute(seen, list(self.names)).fetchone()[0]:
            stop(WriteError, "exists", self.where, "the table already exists", "choose another name, or drop it")

    def _do(self, statement: str) -> None:
        with reworded(self._explain):
            self.connection.execute(statement)

    def _explain(self, error: Exception) -> SchleierError | None:
        from schleier.formats.duckdb_file import explain_duckdb

        return explain_duckdb(error, self.path, WriteError)
