"""What the catalogue of PostgreSQL says about a table: its columns, their types, its primary key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schleier.core.errors import SchleierError, stop
from schleier.core.sql import quoted
from schleier.formats._postgres_link import fetch

# A domain counts as the type it is made of.
COLUMNS = """
WITH RECURSIVE base AS (
  SELECT oid, oid AS found FROM pg_catalog.pg_type
  UNION ALL
  SELECT base.oid, type.typbasetype FROM base JOIN pg_catalog.pg_type AS type ON type.oid = base.found
  WHERE type.typtype = 'd'
)
SELECT attname::text, type.typname::text, type.typcategory::text,
       has_column_privilege(attrelid, attnum, 'SELECT'),
       coalesce(array_position(indkey::int2[], attnum), -1)::int
FROM pg_catalog.pg_attribute
JOIN base ON base.oid = atttypid
JOIN pg_catalog.pg_type AS type ON type.oid = base.found AND type.typtype <> 'd'
LEFT JOIN pg_catalog.pg_index ON indrelid = attrelid AND indisprimary
WHERE attrelid = {table} AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
EXACT = {
    "int2": "integer",
    "int4": "integer",
    "int8": "integer",
    "bool": "boolean",
    "date": "date",
    "timestamp": "time",
    "timestamptz": "time",
}
"""Types that arrive as they are."""
CASTS = {
    "oid": ("integer", "CAST({} AS bigint)"),
    "float4": ("number", "CAST({} AS double precision)"),
    "float8": ("number", "{}"),
    "numeric": ("decimal", "CAST({} AS double precision)"),
    "inet": ("text", "abbrev({})"),
    "money": ("decimal", "CAST(CAST({} AS numeric) AS double precision)"),
}
WORDS = ("uuid", "json", "jsonb", "xml", "time", "timetz", "citext")
"""Types that travel as text, besides the categories of text, enumerations, networks, bits and spans of time."""


@dataclass(frozen=True)
class ServerColumn:
    """A column as the server holds it."""

    name: str
    type: str
    category: str
    readable: bool
    in_key: int
    """Place in the primary key, -1 when it is not part of it."""

    @property
    def kind(self) -> str:
        """What it means to us."""
        if self.type in EXACT:
            return EXACT[self.type]
        if self.type in CASTS:
            return CASTS[self.type][0]
        return "text" if self.category in "SEIVT" or self.type in WORDS else "other"

    @property
    def cell(self) -> str:
        """How it is asked for."""
        name = quoted(self.name)
        if self.type in EXACT:
            return name
        cast = CASTS[self.type][1].format(name) if self.type in CASTS else f"CAST({name} AS text)"
        return f"{cast} AS {name}"

    @property
    def order(self) -> str:
        """How it is sorted by: text byte by byte, whatever language the server speaks."""
        return f'CAST({quoted(self.name)} AS text) COLLATE "C"' if self.kind == "text" else quoted(self.name)

    @property
    def endless(self) -> str | None:
        """How to tell an infinite date, which no other program understands."""
        return f"NOT isfinite({quoted(self.name)})" if self.kind in ("date", "time") else None


def place_of(part: str) -> str:
    """A table as SQL writes it.

    >>> place_of("sales.people")
    '"sales"."people"'
    """
    schema, _, table = part.rpartition(".")
    return f"{quoted(schema)}.{quoted(table)}" if schema else quoted(table)


def text_literal(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def fields_of(connection: Any, part: str, where: str, kind: type[SchleierError]) -> list[ServerColumn]:
    """The columns of a table; stops when there is none, or none that may be read."""
    ((number,),) = fetch(connection, f"SELECT CAST(CAST(to_regclass({text_literal(place_of(part))}) AS oid) AS bigint)")
    if number is None:
        hint = "write it as SCHEMA.TABLE, in the case it was created with"
        stop(kind, "unknown-table", where, "there is no such table", hint)
    found = [ServerColumn(*row) for row in fetch(connection, COLUMNS.format(table=int(number)))]
    if not any(field.readable for field in found):
        stop(kind, "no-permission", where, "the database user may not read this table", "ask for the right to it")
    return found
