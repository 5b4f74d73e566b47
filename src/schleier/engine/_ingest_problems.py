"""What ingest says of bad data: which column, how often and where; never what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from schleier.core.errors import Problem
from schleier.engine._ingest_fields import TypedField

UNCLOSED = "has a quoted field that is not closed properly"
OTHER_BREAK = "ends with another line break than the header"


def bad_values(field: TypedField, count: int, lines: Sequence[int]) -> Problem:
    """How many values of a column are bad, and where.

    >>> from schleier.core.schema import Column, Layout
    >>> age = TypedField("c0", Column(name="age", scale="discrete"), Layout())
    >>> bad_values(age, 2, [3, 9]).message
    '2 values are not a whole number: lines 3, 9'
    """
    layout, one = field.layout, count == 1
    places = f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}{' ...' if count > len(lines) else ''}"
    if field.type == "VARCHAR":
        message = f"{count} value{' holds' if one else 's hold'} a NUL byte"
        return Problem("nul-bytes", field.column.name, f"{message}: {places}", f"clean the file; {_lines(layout.skip)}")
    if field.type in ("DATE", "TIMESTAMP"):
        code, noun, form = "not-a-date", "a date", f"dates are read as {field.date}"
    else:
        code, noun = "not-a-number", "a whole number" if field.type == "BIGINT" else "a number"
        marks = f"decimal mark '{layout.decimal}' and " + (
            f"thousands mark '{layout.thousands}'" if layout.thousands else "no thousands mark"
        )
        form = f"numbers are read with {marks}"
    message = f"{count} value{' is' if one else 's are'} not {noun}: {places}"
    hint = f"{form}: correct the layout, or declare the codes that mean missing; {_lines(layout.skip)}"
    if field.type == "BIGINT":
        hint = f'if these are numbers with decimals, say scale = "continuous"; {hint}'
    return Problem(code, field.column.name, message, hint)


def malformed(path: Path, line: int | None, reason: str, skip: int = 0) -> Problem:
    """A row that cannot be read at all.

    >>> print(malformed(Path("a.csv"), 7, UNCLOSED).message)
    line 7 has a quoted field that is not closed properly
    """
    hint = f"correct the file, or the delimiter and quote in the layout of the schema; {_lines(skip)}"
    return Problem("malformed-rows", str(path), f"{f'line {line}' if line else 'a line'} {reason}", hint)


def complaint(text: str, width: int) -> tuple[int | None, str]:
    """Line and reason in an error text of DuckDB, without the row that it quotes."""
    line = re.match(r"Invalid Input Error: CSV Error on Line: (\d+)", text)
    reason = f"does not have {width} fields like the header"
    if "unterminated quote" in text:
        reason = UNCLOSED
    elif "Maximum line size" in text:
        reason = "is too long; probably a quote is not closed"
    return int(line[1]) if line else None, reason


def _lines(skip: int) -> str:
    """How lines are counted."""
    return f"line {skip + 1} is the header; a record that spans several lines counts as one"
