"""A database file of DuckDB: one of its tables, or a view."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.component import listed
from schleier.core.errors import DataError, Problem, SchleierError, stop
from schleier.core.failures import explain_failure, reworded
from schleier.core.format import Format
from schleier.core.sql import quoted
from schleier.formats._checks import check_file
from schleier.formats._duckdb_table import DuckdbTable

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from schleier.core.schema import Layout, Schema

BATCH = 131_072
CLOSED: dict[str, Any] = {"enable_external_access": False, "temp_directory": ""}
"""A view of somebody else's database must not read other files of this machine, nor leave rows on its disk."""
AS_TEXT = ("UUID", "ENUM", "TIME", "BIT")
"""Types that are handed over as text."""
TABLES = """
SELECT schema_name, table_name, FALSE FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()
UNION ALL
SELECT schema_name, view_name, TRUE FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
ORDER BY ALL
"""


class DuckdbFile(Format):
    """DuckDB's own files: ``shop.duckdb::people``, or ``shop.duckdb::sales.people``; the part may be left out
    when there is one table only.

    Rows come in the order in which they were inserted. A view promises no order: it needs a declared row key.

    >>> import tempfile, duckdb
    >>> path = Path(tempfile.mkdtemp()) / "shop.duckdb"
    >>> with duckdb.connect(str(path)) as shop:
    ...     _ = shop.execute("CREATE TABLE people AS SELECT 41 AS age, 'f' AS sex")
    >>> DuckdbFile().header(path, part="people")
    {'age': 'integer', 'sex': 'text'}
    """

    name = "duckdb_file"
    suffixes = (".duckdb", ".ddb")
    reading = "batches"
    fills = True
    parts = True

    def header(self, path: Path, layout: Layout | None = None, part: str = "") -> dict[str, str]:
        """Names of the columns and their kinds; no row is read."""
        import narwhals as nw

        from schleier.core.normal import logical

        with _opened(path) as connection:
            rows = _rows(connection, _found(connection, path, part)[0])
            return {name: logical(dtype) for name, dtype in nw.from_native(rows).collect_schema().items()}

    def batches(self, path: Path, described: Schema | None = None, part: str = "") -> Iterator[pa.RecordBatch]:
        """The rows in the order of the table; only the described columns and the row key."""
        with _opened(path) as connection:
            place, is_view = _found(connection, path, part)
            if is_view and described is not None and described.row_key is None:
                message = "a view has no order of its rows, so nothing would tell them apart"
                stop(DataError, "no-order", f"{path}::{part}", message, "declare a row_key, or name a table")
            rows = _rows(connection, place, described)
            with rows.to_arrow_reader(BATCH) as reader:
                yield from reader

    def target(self, path: Path, part: str) -> DuckdbTable:
        """A new table to fill."""
        return DuckdbTable(path, part)


@contextmanager
def _opened(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The database, read-only; what DuckDB says of it is never shown, since it may quote it."""
    import duckdb

    from schleier.engine.duckdb import OFFLINE

    check_file(path)
    with (
        reworded(lambda error: explain_duckdb(error, path, DataError)),
        closing(duckdb.connect(str(path), read_only=True, config=OFFLINE | CLOSED)) as connection,
    ):
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET preserve_insertion_order = true")
        yield connection


def explain_duckdb(error: Exception, path: Path, kind: type[SchleierError]) -> SchleierError | None:
    """What DuckDB's complaint about a database means to the user; nothing when it is not DuckDB that complains."""
    import duckdb

    if not isinstance(error, duckdb.Error | RuntimeError):
        return None
    text = str(error)
    reasons = {
        "not a valid DuckDB database": ("broken-file", "this is not a DuckDB database", ""),
        "version number": ("newer-file", "the database was written by another version of DuckDB", NEWER),
        "newer version": ("newer-file", "the database was written by another version of DuckDB", NEWER),
        "set lock on file": ("busy", "another program has the database open", "close it there first"),
        "different configuration": ("busy", "this program has the database open already", "close it first"),
        "encrypted": ("encrypted", "the database is encrypted", "decrypt a copy of it first"),
        "disabled by configuration": ("outside", "the view reads other files, which is not allowed", "store it first"),
        "Cannot open file": (
            "unreadable",
            "the database cannot be opened",
            "check its name, its folder and its rights",
        ),
        "Corrupt": ("broken-file", "the database is damaged", ""),
        "checksum": ("broken-file", "the database is damaged", ""),
    }
    for words, (code, message, hint) in reasons.items():
        if words in text:
            return kind(Problem(code, str(path), message, hint))
    return explain_failure(error)


NEWER = 'export the table as Parquet there, or "pip install --upgrade duckdb"'


def _found(connection: duckdb.DuckDBPyConnection, path: Path, part: str) -> tuple[str, bool]:
    """The table as SQL writes it, and whether it is a view."""
    known = {(schema, table): bool(view) for schema, table, view in connection.execute(TABLES).fetchall()}
    wanted = [place for place in known if part in ("", place[1], ".".join(place))]
    exact = [place for place in wanted if part == ".".join(place) or (part and place[0] == "main")]
    chosen = exact or wanted
    if len(chosen) != 1:
        names = listed([table if schema == "main" else f"{schema}.{table}" for schema, table in known]) or "none"
        message = f"there is no table '{part}'" if part else "the database has no table"
        message = f"which of its {len(wanted)} tables is meant?" if len(wanted) > 1 else message
        stop(DataError, "unknown-table", str(path), message, f"write FILE::TABLE; there are: {names}")
    ((schema, table),) = chosen
    return f"{quoted(schema)}.{quoted(table)}", known[schema, table]


def _rows(
    connection: duckdb.DuckDBPyConnection, place: str, described: Schema | None = None
) -> duckdb.DuckDBPyRelation:
    """The wanted columns of a table; what Arrow has no type for travels as text."""
    rows = connection.sql(f"FROM {place}")
    types = dict(zip(rows.columns, map(str, rows.types), strict=True))
    names = [n for n in types if described is None or n in described or n == described.row_key]
    cells = [
        f"CAST({quoted(n)} AS VARCHAR) AS {quoted(n)}"
        if types[n].startswith(AS_TEXT) and "TIMESTAMP" not in types[n]
        else quoted(n)
        for n in names
    ]
    return rows.project(", ".join(cells))
