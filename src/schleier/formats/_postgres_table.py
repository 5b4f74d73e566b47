"""A new table in PostgreSQL, filled as a whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.component import listed
from schleier.core.errors import WriteError, stop
from schleier.core.failures import reworded
from schleier.core.sql import quoted
from schleier.formats._postgres_catalog import place_of, text_literal
from schleier.formats._postgres_link import connected, explain_postgres, fetch, run_statement

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Column

LONGEST = 63
"""Bytes of a name; PostgreSQL cuts off the rest."""


class PostgresTable:
    """A table that is there once ``commit`` was called."""

    def __init__(self, path: Path, part: str) -> None:
        self.path, self.where = path, f"{path}::{part}"
        self.schema, _, self.table = part.rpartition(".")
        self._open = ExitStack()
        self._connection: Any = None
        with connected(path, self.where, WriteError) as connection:
            self._check(connection)

    def fill(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, columns: Sequence[Column]) -> None:
        """Create the table with these rows, in their order; nobody sees it yet."""
        import pyarrow as pa

        long = [name for name in (self.table, *schema.names) if len(name.encode()) > LONGEST]
        if long:
            message = f"names longer than {LONGEST} bytes would be cut off: {listed(long)}"
            stop(WriteError, "long-name", self.where, message, "rename them")
        self._connection = self._open.enter_context(connected(self.path, self.where, WriteError))
        plain = pa.schema([pa.field(field.name, _plain(field.type)) for field in schema])

        with self._reworded():
            self._check(self._connection)
            with self._connection.cursor() as cursor:
                rows = pa.RecordBatchReader.from_batches(plain, _cast(batches, plain))
                cursor.adbc_ingest(self.table, rows, mode="create", db_schema_name=self.schema)
            for column in columns:
                if column.title:
                    place = f"{quoted(self.schema)}.{quoted(self.table)}.{quoted(column.name)}"
                    run_statement(self._connection, f"COMMENT ON COLUMN {place} IS {text_literal(column.title)}")

    def commit(self) -> None:
        """Let the table be there."""
        with self._reworded():
            self._connection.commit()

    def close(self) -> None:
        """Let go of the server; what was not committed is gone."""
        self._open.close()

    def _reworded(self) -> AbstractContextManager[None]:
        return reworded(lambda error: explain_postgres(error, self.where, WriteError))

    def _check(self, connection: Any) -> None:
        """The schema is there and open to us, the table is not there."""
        if not self.schema:
            ((name,),) = fetch(connection, "SELECT CAST(current_schema() AS text)")
            self.schema = name or "public"
        ((known, allowed),) = fetch(
            connection,
            f"SELECT count(*), coalesce(bool_or(has_schema_privilege(oid, 'CREATE')), FALSE)"
            f" FROM pg_catalog.pg_namespace WHERE nspname = {text_literal(self.schema)}",
        )
        if not known:
            hint = "create it first, or write env:NAME::SCHEMA.TABLE"
            stop(WriteError, "unknown-schema", self.where, f"there is no schema '{self.schema}'", hint)
        if not allowed:
            message = f"the database user may not create tables in the schema '{self.schema}'"
            stop(WriteError, "no-permission", self.where, message, "ask for the right to it")
        place = place_of(f"{self.schema}.{self.table}")
        ((taken,),) = fetch(connection, f"SELECT to_regclass({text_literal(place)}) IS NOT NULL")
        if taken:
            stop(WriteError, "exists", self.where, "the table already exists", "choose another name, or drop it")


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type as PostgreSQL has one for it."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_integer(kind) and kind not in (pa.int16(), pa.int32(), pa.int64()):
        return pa.int64()
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    return pa.string() if types.is_large_string(kind) or types.is_string_view(kind) else kind


def _cast(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.cast(schema)
