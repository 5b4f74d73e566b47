"""The pieces a transformation is written with in SQL: one dialect (DuckDB's), translated for others at the end.

Only what means the same in DuckDB, PostgreSQL and Spark is used: numbers are compared and computed as DOUBLE or
BIGINT, never as a decimal of the engine's own choice, and text is compared byte by byte.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.data import Dataset
    from schleier.core.schema import Column

SQL_TYPES = {"integer": "BIGINT", "number": "DOUBLE", "text": "VARCHAR", "date": "DATE", "time": "TIMESTAMP"}
NOTHING = "CAST(NULL AS VARCHAR)"
SMALL = 2.0**52
"""From here on a floating number has no digits behind the point."""


@dataclass(frozen=True)
class Typed:
    """An SQL expression and what it holds: integer, number, text, date, time, zoned (time with a zone), boolean.

    >>> Typed('"age"', "integer").number
    'CAST("age" AS DOUBLE)'
    """

    text: str
    kind: str

    @property
    def number(self) -> str:
        """The expression as a floating number."""
        return self.text if self.kind == "number" else f"CAST({self.text} AS DOUBLE)"


@dataclass(frozen=True)
class Lookup:
    """Rows to join: distinct keys, each found by equality with an expression over the columns."""

    keys: Mapping[str, str]
    """Name of each column of the lookup, and the expression it must equal."""
    rows: Sequence[Sequence[str]] = field(repr=False)
    """The rows, as SQL literals."""


@dataclass(frozen=True)
class Rewrite:
    """What one step does: columns computed anew, rows that stay, a table to look up ("_found_" tells a match)."""

    columns: Mapping[str, Typed] = field(default_factory=dict)
    where: str = ""
    lookup: Lookup | None = None


FOUND = '"_found_"'
"""Not missing where the lookup has a row for this one."""


def lookup_of(table: pa.Table, values: Mapping[str, Typed]) -> Lookup | None:
    """The rows of a table, found by the expressions for its columns; missing equals missing, as in ``matched``."""
    keys, parts = dict[str, str](), list[list[str | None]]()
    for i, name in enumerate(values):
        value, column = values[name], table.column(name)
        held = column.drop_null()
        if column.null_count:
            keys[f"_gap_{i}_"] = f"({value.text} IS NULL)"
            parts.append([str(cell is None).upper() for cell in column.to_pylist()])
        if len(held):
            filler = literal(held[0].as_py(), value.kind)
            keys[f"_key_{i}_"] = f"coalesce({value.text}, {filler})" if column.null_count else value.text
            parts.append([filler if cell is None else literal(cell, value.kind) for cell in column.to_pylist()])
    rows = [[cell for cell in row if cell is not None] for row in zip(*parts, strict=True)]
    return Lookup(keys, rows) if all(len(row) == len(parts) for row in rows) else None


def quoted(text: str) -> str:
    """A name in SQL.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + text.replace('"', '""') + '"'


def word(text: str) -> str:
    """A text in SQL.

    >>> word("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def number(value: float) -> str:
    """A floating number in SQL, exactly; plain 0.1 would be a decimal.

    >>> number(0.1), number(5)
    ("CAST('0.1' AS DOUBLE)", "CAST('5.0' AS DOUBLE)")
    """
    return f"CAST({word(repr(float(value)))} AS DOUBLE)"


def literal(value: Any, kind: str) -> str | None:
    """A value as a column of a kind holds it; nothing when such a column cannot hold it.

    >>> literal(7, "integer"), literal("2001-12-31", "date"), literal("x", "integer")
    ('7', "CAST('2001-12-31' AS DATE)", None)
    """
    import datetime

    match kind, value:
        case ("integer", bool()) | ("number", bool() | str()):
            return None
        case "integer", int():
            return str(value)
        case "integer" | "number", int() | float():
            return number(value) if math.isfinite(value) else None
        case "text", str():
            return word(value)
        case "boolean", bool():
            return str(value).upper()
        case "date" | "time", str() | datetime.date():
            text = value if isinstance(value, str) else value.isoformat(*([" "] if kind == "time" else []))
            return f"CAST({word(text)} AS {SQL_TYPES[kind]})"
    return None


def is_in(value: str, literals: Iterable[str]) -> str:
    """Whether an expression is one of some literals."""
    return f"{value} IN ({', '.join(literals)})"


def choice(arms: Iterable[tuple[str, str]], otherwise: str) -> str:
    """The first of some results whose condition holds.

    >>> choice([("x < 1", "'a'")], "'b'")
    "CASE WHEN x < 1 THEN 'a' ELSE 'b' END"
    """
    told = " ".join(f"WHEN {condition} THEN {result}" for condition, result in arms)
    return f"CASE {told} ELSE {otherwise} END" if told else otherwise


def whole(value: str) -> str:
    """The largest whole number that is not above, still as a floating number (Spark's floor is none)."""
    return f"CAST(floor({value}) AS DOUBLE)"


def normal(column: Column, kind: str) -> str:
    """A column of the original as ``core.normal`` brings it into form: typed, declared codes and NaN missing."""
    value = quoted(column.name)
    if kind in SQL_TYPES:
        value = f"CAST({value} AS {SQL_TYPES[kind]})"
    codes = [str(code) if kind == "text" else code for code in column.missing]
    gone = [found for code in codes if kind in ("text", "integer", "number") and (found := literal(code, kind))]
    if kind == "number":
        gone.append("CAST('NaN' AS DOUBLE)")
    return choice([(is_in(value, gone), "NULL")], value) if gone else value


def canonical(column: Column, kind: str) -> str:
    """A released column as ``flow.edge`` writes it: declared precision, no negative zero."""
    value = quoted(column.name)
    if kind != "number":
        return value
    if column.decimals is not None:
        scale = number(10.0**column.decimals)
        # The first test keeps PostgreSQL from computing what it would call an overflow.
        small = f"abs({value}) < {number(SMALL)} AND abs({value} * {scale}) < {number(SMALL)}"
        safe = choice([(small, f"{value} * {scale}")], number(0))
        value = choice([(small, f"{whole(f'{safe} + {number(0.5)}')} / {scale}")], value)
    return choice([(f"{value} = {number(0)}", number(0))], value)


def types_of(data: Dataset) -> dict[str, str]:
    """What the columns of a dataset hold."""
    import narwhals as nw

    from schleier.core.normal import logical

    held = dict(data.frame.collect_schema())
    zoned = [n for n, dtype in held.items() if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None]
    return {n: "zoned" if n in zoned else logical(held[n]) for n in data.schema.names}
