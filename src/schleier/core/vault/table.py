"""The file of a vault: an SQLite database of sealed rows, held by one process at a time."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from schleier.core.atomic import cannot_write
from schleier.core.errors import DataError, EngineError, Problem, SchleierError, WriteError, stop
from schleier.core.failures import FULL, reworded
from schleier.core.system import BINARY, NO_LINK
from schleier.core.vault.place import BESIDE

MARK = 0x53766C74
"""Tells the file of a vault from other databases."""
VERSION = 1
TABLES = (
    "CREATE TABLE vault (one INTEGER PRIMARY KEY CHECK (one = 1), head TEXT NOT NULL, key BLOB NOT NULL, "
    "facts BLOB NOT NULL)",
    "CREATE TABLE boxes (number INTEGER PRIMARY KEY, public BLOB NOT NULL)",
    "CREATE TABLE rows (tag BLOB PRIMARY KEY, token BLOB NOT NULL UNIQUE, sealed BLOB NOT NULL) WITHOUT ROWID",
)
# Deleted content becomes zeros; the journal is cut to nothing at the end of each change (with an exclusive lock SQLite
# would only blot out its head); nothing is spilled into temporary files; a change
# is acknowledged when it is on the disk.
SETTINGS = (
    "trusted_schema = OFF",
    "locking_mode = EXCLUSIVE",
    "journal_mode = TRUNCATE",
    "journal_size_limit = 0",
    "secure_delete = ON",
    "synchronous = EXTRA",
    "temp_store = MEMORY",
    "cell_size_check = ON",
    "mmap_size = 0",
    "cache_size = -65536",
)
DAMAGED = "the file is no vault, or it is damaged"
DAMAGED_HINT = "take the last export; what is not a vault cannot be made one"


class Stored(NamedTuple):
    """A row as it lies in the file: nothing of it can be read."""

    tag: bytes
    token: bytes
    sealed: bytes


class Table:
    """One open file. The lock on it ends with the process."""

    def __init__(self, path: Path, link: sqlite3.Connection) -> None:
        self.path, self.link = path, link

    @staticmethod
    def new(path: Path, head: str, key: bytes, facts: bytes) -> Table:
        """A new file; one that stands is never replaced."""
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | NO_LINK | BINARY, 0o600))
        except FileExistsError:
            stop(WriteError, "vault-exists", str(path), "there is a file of this name already", "choose another name")
        except (OSError, ValueError) as error:
            wrong = error if isinstance(error, OSError) else OSError(error)
            raise cannot_write(wrong, path, "file") from None
        try:
            table = Table(path, _linked(path))
            with table.change():
                table.link.execute(f"PRAGMA application_id = {MARK}")
                table.link.execute(f"PRAGMA user_version = {VERSION}")
                for statement in TABLES:
                    table.link.execute(statement)
                table.link.execute("INSERT INTO vault VALUES (1, ?, ?, ?)", (head, key, facts))
        except BaseException:
            for file in (path, *(path.with_name(path.name + ending) for ending in BESIDE)):
                with suppress(OSError):
                    file.unlink()
            raise
        return table

    @staticmethod
    def open(path: Path) -> Table:
        """The file of a vault, locked for this process."""
        with reworded(lambda error: _explained(error, path)):
            link = _linked(path)
            try:
                marks = [link.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
                found = [sql for (sql,) in link.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
                pages, size = (link.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
                if marks != [MARK, VERSION] or sorted(found) != sorted(TABLES) or path.stat().st_size < pages * size:
                    raise sqlite3.DatabaseError(DAMAGED)
            except BaseException:
                link.close()
                raise
        return Table(path, link)

    def close(self) -> None:
        """Let go of the file."""
        with suppress(sqlite3.Error):
            self.link.execute("PRAGMA journal_mode = DELETE").fetchall()  # takes the empty journal away, still locked
        with suppress(sqlite3.Error):
            self.link.close()

    @contextmanager
    def change(self) -> Iterator[None]:
        """All that is written inside, or nothing of it."""
        with reworded(lambda error: _explained(error, self.path)):
            self.link.execute("BEGIN EXCLUSIVE")
            try:
                yield
                self.link.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk has rolled back already
                    self.link.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What fails inside is told in our words."""
        with reworded(lambda error: _explained(error, self.path)):
            yield

    def head(self) -> tuple[str, bytes, bytes]:
        """What stands before the rows: how it is locked, the closed key, what it knows of itself."""
        with self.reading():
            found = self.link.execute("SELECT head, key, facts FROM vault").fetchone()
            if found is None or tuple(map(type, found)) != (str, bytes, bytes):
                raise sqlite3.DatabaseError(DAMAGED)
        return found[0], found[1], found[2]

    def set_head(self, head: str, key: bytes, facts: bytes) -> None:
        """Another key, and what follows from it."""
        self.link.execute("UPDATE vault SET head = ?, key = ?, facts = ?", (head, key, facts))

    def set_facts(self, facts: bytes) -> None:
        """What the vault knows of itself by now."""
        self.link.execute("UPDATE vault SET facts = ?", (facts,))

    def find(self, tags: Sequence[bytes]) -> list[Stored | None]:
        """The rows of so many tags, in one question."""
        self.link.execute("CREATE TEMP TABLE IF NOT EXISTS asked (place INTEGER PRIMARY KEY, tag BLOB)")
        self.link.execute("DELETE FROM asked")
        self.link.executemany("INSERT INTO asked VALUES (?, ?)", enumerate(tags))
        found: list[Stored | None] = [None] * len(tags)
        question = "SELECT place, rows.tag, token, sealed FROM asked JOIN rows ON rows.tag = asked.tag"
        for place, *stored in self.link.execute(question):
            found[place] = Stored(*stored)
        self.link.execute("DELETE FROM asked")
        return found

    def with_token(self, token_tag: bytes) -> Stored | None:
        """The row of a token."""
        found = self.link.execute("SELECT tag, token, sealed FROM rows WHERE token = ?", (token_tag,)).fetchone()
        return Stored(*found) if found else None

    def add(self, rows: Sequence[Stored]) -> None:
        """More rows."""
        self.link.executemany("INSERT INTO rows VALUES (?, ?, ?)", sorted(rows))

    def remove(self, tags: Sequence[bytes]) -> int:
        """Take rows out; how many there were."""
        return sum(self.link.execute("DELETE FROM rows WHERE tag = ?", (tag,)).rowcount for tag in tags)

    def clear(self) -> None:
        """Take out all rows and boxes."""
        self.link.execute("DELETE FROM rows")
        self.link.execute("DELETE FROM boxes")

    def every(self) -> Iterator[Stored]:
        """All rows, in no order that means something."""
        return (Stored(*row) for row in self.link.execute("SELECT tag, token, sealed FROM rows"))

    def count(self) -> int:
        """How many rows there are."""
        return int(self.link.execute("SELECT count(*) FROM rows").fetchone()[0])

    def boxes(self) -> dict[int, bytes]:
        """What opens the boxes of the second person, together with his key."""
        return dict(self.link.execute("SELECT number, public FROM boxes"))

    def add_box(self, number: int, public: bytes) -> None:
        """One more of these."""
        self.link.execute("INSERT INTO boxes VALUES (?, ?)", (number, public))

    def is_sound(self) -> bool:
        """Whether SQLite finds nothing wrong with its own structures."""
        return [row[0] for row in self.link.execute("PRAGMA integrity_check")] == ["ok"]

    def tidy(self) -> None:
        """Write the file anew without what was deleted."""
        with self.reading():
            self.link.execute("VACUUM")

    def files(self) -> list[Path]:
        """The file and what SQLite keeps beside it."""
        every = (self.path, *(self.path.with_name(self.path.name + ending) for ending in BESIDE))
        return [file for file in every if file.exists()]


def _linked(path: Path) -> sqlite3.Connection:
    link = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=0, isolation_level=None, check_same_thread=False
    )
    try:
        for setting in SETTINGS:
            link.execute(f"PRAGMA {setting}").fetchall()
        link.execute("BEGIN EXCLUSIVE")  # takes the lock now, which then lasts
        link.execute("COMMIT")
    except BaseException:
        link.close()
        raise
    return link


def _explained(error: BaseException, path: Path) -> SchleierError | None:
    """What SQLite's failures mean; their texts are not shown."""
    if not isinstance(error, sqlite3.Error):
        return cannot_write(error, path, "file") if isinstance(error, OSError) else None
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        hint = "wait until the other command has ended, and try again"
        return EngineError(Problem("vault-locked", str(path), "another process has the vault open", hint))
    if code == sqlite3.SQLITE_FULL:
        return WriteError(Problem("disk-full", str(path), FULL.message, FULL.hint))
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        hint = "check that its folder exists and is yours to write"
        return WriteError(Problem("cannot-write", str(path), "the file cannot be written", hint))
    return DataError(Problem("damaged-vault", str(path), DAMAGED, DAMAGED_HINT))
