"""PostgreSQL: a table or view, read in one snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.component import listed
from schleier.core.errors import DataError, Problems, stop
from schleier.core.format import Format
from schleier.formats._postgres_catalog import ServerColumn, fields_of, place_of
from schleier.formats._postgres_link import connected, fetch, run_statement
from schleier.formats._postgres_table import PostgresTable

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Layout, Schema

SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
"""Everything that is read belongs to one moment, and nothing can be changed."""


class Postgres(Format):
    """Tables of a PostgreSQL server: ``env:NAME::TABLE``, where the environment variable NAME holds the connection.

    A table has no order. Without a declared row key its rows are numbered in the order of its primary key;
    a table without either is refused, since nothing would tell its rows apart from run to run.

    >>> Postgres.suffixes, Postgres.parts
    ((), True)
    """

    name = "postgres"
    suffixes = ()
    reading = "batches"
    parts = True
    fills = True

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, str]] = {}

    def header(self, path: Path, layout: Layout | None = None, part: str = "") -> dict[str, str]:
        """Names of the columns and their kinds, from the catalogue; no row is read."""
        where = _where(path, part)
        with connected(path, where, DataError) as connection:
            run_statement(connection, SNAPSHOT)
            fields = fields_of(connection, part, where, DataError)
        self._seen[where] = {field.name: field.kind for field in fields}
        return dict(self._seen[where])

    def batches(self, path: Path, described: Schema | None = None, part: str = "") -> Iterator[pa.RecordBatch]:
        """The rows of one snapshot; only the described columns and the row key."""
        where = _where(path, part)
        with connected(path, where, DataError) as connection:
            run_statement(connection, SNAPSHOT)
            run_statement(connection, "SET LOCAL TIME ZONE 'UTC'")
            fields = fields_of(connection, part, where, DataError)
            self._refuse_changed(fields, where)
            wanted = _wanted(fields, described, where)
            order = _order(fields, described, where)
            promised = _counted(connection, part, wanted, where)
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT {', '.join(f.cell for f in wanted)} FROM {place_of(part)}{order}")
                with cursor.fetch_record_batch() as reader:
                    yield from _all_of(reader, promised, where)

    def target(self, path: Path, part: str) -> PostgresTable:
        """A new table to fill."""
        return PostgresTable(path, part)

    def _refuse_changed(self, fields: Sequence[ServerColumn], where: str) -> None:
        """The check saw the columns; what is read must be the same ones."""
        seen = self._seen.get(where)
        if seen is None:
            return
        held = {field.name: field.kind for field in fields}
        changed = sorted(name for name in seen.keys() | held.keys() if seen.get(name) != held.get(name))
        if changed:
            message = f"the table was changed since it was checked: {listed(changed)}"
            stop(DataError, "table-changed", where, message, "try again when nobody works on it")


def _where(path: Path, part: str) -> str:
    if not part:
        stop(DataError, "unknown-table", str(path), "which table is meant?", f"write {path}::SCHEMA.TABLE")
    return f"{path}::{part}"


def _wanted(fields: Sequence[ServerColumn], described: Schema | None, where: str) -> list[ServerColumn]:
    """The columns to ask for; those that cannot be read are named, all at once."""
    wanted = [f for f in fields if described is None or f.name in described or f.name == described.row_key]
    found = Problems()
    odd = [f.name for f in wanted if f.kind == "other"]
    if odd:
        message = f"these columns hold lists, bytes or other things that are no single value: {listed(odd)}"
        found.add("wrong-type", where, message, "leave them out, or make single values of them in a view")
    closed = [f.name for f in wanted if not f.readable]
    if closed:
        message = f"the database user may not read these columns: {listed(closed)}"
        found.add("no-permission", where, message, "ask for the right to them, or leave them out")
    found.raise_as(DataError)
    return wanted


def _order(fields: Sequence[ServerColumn], described: Schema | None, where: str) -> str:
    """The order in which rows are numbered; none is needed where a declared key tells them apart."""
    if described is not None and described.row_key is not None:
        return ""
    key = sorted((f for f in fields if f.in_key >= 0), key=lambda f: f.in_key)
    if not key:
        message = "a table without a primary key has no order, so nothing would tell its rows apart"
        stop(DataError, "no-order", where, message, "declare a row_key in [schema]")
    return f" ORDER BY {', '.join(field.order for field in key)}"


def _counted(connection: Any, part: str, wanted: Sequence[ServerColumn], where: str) -> int:
    """How many rows the snapshot holds; dates without end are refused, they would arrive as others."""
    endless = [(f.name, f.endless) for f in wanted if f.endless is not None]
    counts = "".join(f", count(*) FILTER (WHERE {test})" for _, test in endless)
    ((rows, *found),) = fetch(connection, f"SELECT count(*){counts} FROM {place_of(part)}")
    problems = Problems()
    for (column, _), count in zip(endless, found, strict=True):
        if count:
            message = f"{count} rows of column '{column}' hold an infinite date"
            problems.add("infinite-date", where, message, "make them missing, for example in a view")
    problems.raise_as(DataError)
    return int(rows)


def _all_of(reader: pa.RecordBatchReader, promised: int, where: str) -> Iterator[pa.RecordBatch]:
    """The batches; fewer or more rows than the snapshot holds are none of its own."""
    rows = 0
    for batch in reader:
        rows += batch.num_rows
        yield batch
    if rows != promised:
        message = f"{rows} rows arrived, but the table held {promised}"
        stop(DataError, "table-changed", where, message, "try again when nobody works on it")
