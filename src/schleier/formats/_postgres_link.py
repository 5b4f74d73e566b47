"""A connection to PostgreSQL. What it is made of, and what the server says, never reaches a message."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from schleier.core.address import VARIABLE
from schleier.core.errors import EngineError, Problem, SchleierError, stop
from schleier.core.failures import reworded

PATIENCE = 5
"""Seconds to wait for a server, unless the connection string says something else."""
STATES = {
    "42501": ("no-permission", "the database user may not do this", "ask for the right to it"),
    "42P01": ("unknown-table", "there is no such table", "write it as SCHEMA.TABLE, in the case it was created with"),
    "3F000": ("unknown-table", "there is no such schema", ""),
    "42P07": ("exists", "the table already exists", "choose another name, or drop it"),
    "42703": ("table-changed", "the table was changed while it was being read", "try again"),
    "22003": ("too-large", "a number is too large for a floating number", "leave the column out, or cast it in a view"),
    "25P03": ("connection-lost", "the server closed the connection: it had been idle for too long", "try again"),
    "53100": ("disk-full", "the server has no space left on its disk", ""),
    "57014": ("cancelled", "the server cancelled the query", "raise statement_timeout there"),
}
LOST = ("connection-lost", "the connection to the server was lost", "try again")
CONNECTING = {
    "authentication failed": ("the server refuses the user name or the password", "no-permission"),
    "no password supplied": ("the server wants a password", "no-permission"),
    "pg_hba": ("the server lets nobody in from here", "no-permission"),
    "database .* does not exist": ("the server has no such database", "no-connection"),
    "role .* does not exist": ("the server refuses the user name or the password", "no-permission"),
    "translate host name": ("there is no such server", "no-connection"),
    "refused|No such file": ("no server answers there", "no-connection"),
    "timeout": ("the server does not answer", "no-connection"),
    "too many|remaining connection slots": ("the server has no connection left", "no-connection"),
    "SSL": ("the server and the connection string do not agree on encryption", "no-connection"),
    "invalid|missing|unexpected|uri": ("it does not hold a connection string", "no-connection"),
}


def variable_named(path: Path) -> str:
    """The environment variable that an address names.

    >>> variable_named(Path("env:SHOP"))
    'SHOP'
    """
    return str(path).removeprefix(VARIABLE)


@contextmanager
def connected(path: Path, where: str, kind: type[SchleierError]) -> Iterator[Any]:
    """A connection inside a transaction; every failure comes out as an error of ours, without a word of the server."""
    connection = _connect(variable_named(path), where, kind)
    try:
        with reworded(lambda error: explain_postgres(error, where, kind)):
            yield connection
    finally:
        shut(connection)


def shut(connection: Any) -> None:
    """Close a connection and everything it was asked, whatever state it is in."""
    with suppress(Exception):
        for cursor in list(getattr(connection, "_cursors", ())):
            cursor.close()
    with suppress(Exception):
        connection.close()


def fetch(connection: Any, statement: str) -> list[tuple[Any, ...]]:
    """The rows of a small answer."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return [tuple(row) for row in cursor.fetchall()]


def run_statement(connection: Any, statement: str) -> None:
    """Let the server do something."""
    with connection.cursor() as cursor:
        cursor.execute(statement)


def explain_postgres(error: Exception, where: str, kind: type[SchleierError]) -> SchleierError | None:
    """What a failure of the server means to the user; nothing when it is none of the server."""
    import pyarrow as pa

    if not (type(error).__module__.startswith("adbc") or isinstance(error, pa.ArrowException | OSError)):
        return None
    text = str(error)
    state = getattr(error, "sqlstate", None) or _state(text)
    state = "22003" if state is None and "out of range for type" in text else state  # in the middle of the rows
    if state in STATES:
        return kind(Problem(STATES[state][0], where, *STATES[state][1:]))
    lost = "server closed|connection .*(lost|terminat|reset)|terminating connection|no connection|Broken pipe"
    if (state or "").startswith(("08", "57P")) or re.search(lost, text):
        return kind(Problem(LOST[0], where, *LOST[1:]))
    message = f"the database could not do this (SQLSTATE {state})" if state else "the database could not do this"
    return kind(Problem("database-failed", where, message, "see the log of the server"))


def _state(text: str) -> str | None:
    found = re.search(r"SQLSTATE:? ([0-9A-Z]{5})", text)
    return found[1] if found else None


def _connect(variable: str, where: str, kind: type[SchleierError]) -> Any:
    if not variable.isidentifier():  # perhaps the connection string itself: not a word of it
        hint = "keep the connection string in a variable, and write env:NAME::TABLE"
        stop(kind, "no-variable", "env:…", "what follows env: is not the name of an environment variable", hint)
    text = os.environ.get(variable, "").strip()
    if not text:
        hint = f"export {variable}=postgresql://USER:PASSWORD@HOST/DATABASE"
        stop(kind, "no-variable", where, f"the environment variable {variable} is not set", hint)
    connect, said = _driver(where).connect, ""
    try:
        connection = connect(_patient(text))
    except Exception as error:
        connection, said = None, str(error)
    if connection is None:  # outside the handler: what the library says quotes server, user and database
        reasons = (why for words, why in CONNECTING.items() if re.search(words, said))
        reason, code = next(reasons, ("the server cannot be reached", "no-connection"))
        stop(kind, code, where, f"no connection with what {variable} holds: {reason}", "check the connection string")
    return connection


def _driver(where: str) -> Any:
    try:
        return import_module("adbc_driver_postgresql.dbapi")
    except ImportError:
        hint = 'pip install "schleier[database]"'
        return stop(EngineError, "not-installed", where, "PostgreSQL needs adbc-driver-postgresql", hint)


def _patient(text: str) -> str:
    """The connection string with a limit to waiting.

    >>> _patient("postgresql://db/shop"), _patient("host=db")
    ('postgresql://db/shop?connect_timeout=5', 'host=db connect_timeout=5')
    """
    if "connect_timeout" in text:
        return text
    if not re.match("postgres(ql)?://", text):
        return f"{text} connect_timeout={PATIENCE}"
    return f"{text}{'&' if '?' in text else '?'}connect_timeout={PATIENCE}"
