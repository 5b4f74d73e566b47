"""Where the service keeps its tables: a file of SQLite, or a PostgreSQL server; the same few verbs for both."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from schleier.core.errors import EngineError, WriteError, stop

MANY = 5_000
BUSY = 30.0
LOCK = 0x5C41E1E5


class Store(Protocol):
    """Tables in which one transaction at a time writes."""

    def begin(self) -> None:
        """Wait for all others, then keep them waiting."""

    def commit(self) -> None:
        """Keep what was written; afterwards it survives everything."""

    def rollback(self) -> None:
        """Forget what was written."""

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of a question; ``?`` stands for a value."""

    def among(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Rows of a question that ends with the column one of the values must stand in."""

    def do(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """The same statement for each row of values."""

    def forget(self) -> None:
        """Wipe from the disk what was deleted, as far as it is in our hands."""

    def close(self) -> None:
        """Let go of it."""


class Lite:
    """A file that only its owner can read, written through to the disk before anybody is answered."""

    def __init__(self, file: Path, tables: Sequence[str]) -> None:
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
            self._link = sqlite3.connect(file, timeout=BUSY, isolation_level=None, check_same_thread=False)
            for line in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY"):
                self._link.execute(f"PRAGMA {line}")
            for table in tables:
                self._link.execute(table)
        except (OSError, sqlite3.Error):
            hint = "check that the folder is yours to write and holds a store of this service"
            stop(EngineError, "store-not-open", "store", "the store cannot be opened", hint)

    def begin(self) -> None:
        """Begin as the only writer."""
        self._link.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Write through to the disk."""
        try:
            self._link.execute("COMMIT")
        except sqlite3.OperationalError:
            hint = "free some space; nothing was acknowledged"
            stop(WriteError, "store-not-written", "store", "the store cannot be written", hint)

    def rollback(self) -> None:
        """Forget."""
        if self._link.in_transaction:
            self._link.execute("ROLLBACK")

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows."""
        return self._link.execute(sql, values).fetchall()

    def among(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """All rows, asked in parts."""
        parts = [values[start : start + MANY] for start in range(0, len(values), MANY)]
        return [row for part in parts for row in self.ask(f"{sql} IN ({','.join('?' * len(part))})", *part)]

    def do(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Each row."""
        self._link.executemany(sql, rows)

    def forget(self) -> None:
        """Deleted rows are overwritten; the journal is emptied."""
        self._link.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file."""
        self._link.close()


class Postgres:
    """A schema of a PostgreSQL server; its address is shown nowhere."""

    def __init__(self, address: str, schema: str, tables: Sequence[str]) -> None:
        try:
            import psycopg
        except ModuleNotFoundError:
            hint = "pip install schleier[serve]"
            stop(EngineError, "missing-extra", "store", "PostgreSQL needs psycopg, which is not installed", hint)
        self._failed = psycopg.Error
        try:
            self._link = psycopg.connect(address, autocommit=True, connect_timeout=10)
            self._link.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"'.encode())
            self._link.execute(f'SET search_path TO "{schema}"; SET synchronous_commit TO on'.encode())
            self._link.execute(b"SELECT pg_advisory_lock(%d)" % LOCK)
            for table in tables:
                self._link.execute(table.replace("BLOB", "BYTEA").replace("INTEGER", "BIGINT").encode())
            self._link.execute(b"SELECT pg_advisory_unlock(%d)" % LOCK)
        except psycopg.Error:
            hint = "check address, account and rights; the server's log says more"
            stop(EngineError, "store-not-open", "store", "the server of the store refuses", hint)

    def begin(self) -> None:
        """Begin, when nobody else writes."""
        self._link.execute(b"BEGIN")
        self._link.execute(b"SELECT pg_advisory_xact_lock(%d)" % LOCK)

    def commit(self) -> None:
        """Wait until the server has it on its disk."""
        self._link.execute(b"COMMIT")

    def rollback(self) -> None:
        """Forget."""
        if not self._link.closed:
            self._link.execute(b"ROLLBACK")

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows."""
        return self._link.execute(sql.replace("?", "%s").encode(), values).fetchall()

    def among(self, sql: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        """All rows."""
        return self._link.execute(f"{sql} = ANY(%s)".encode(), (list(values),)).fetchall() if values else []

    def do(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Each row."""
        if found := list(rows):
            with self._link.cursor() as cursor:
                cursor.executemany(sql.replace("?", "%s").encode(), found)

    def forget(self) -> None:
        """Deleted rows are left to the server's own cleaning."""

    def close(self) -> None:
        """End the connection."""
        self._link.close()


def store_at(address: str, name: str, tables: Sequence[str]) -> Store:
    """The tables of a name: in a file of a folder, or in a schema of a server."""
    if address.startswith(("postgresql://", "postgres://")):
        return Postgres(address, name, tables)
    return Lite(Path(address) / f"{name}.db", tables)
