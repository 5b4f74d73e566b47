"""Arrow columns as fields of a text file, whole columns at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from schleier.core.errors import Problem, Problems, WriteError, stop
from schleier.core.guard import HARMLESS, RISKY
from schleier.core.schema import Layout
from schleier.formats._kinds import kind_of

if TYPE_CHECKING:
    import pyarrow as pa

NUMERALS = "0123456789+-e"
FINEST = (("%f", "microsecond"), ("%S", "second"), ("%M", "minute"), ("%H", "hour"), ("%I", "hour"))


def check_types(schema: pa.Schema) -> None:
    """Stop when a column has no form as text, such as a list; all of them are named."""
    import pyarrow.types as is_a

    found = Problems()
    for field in schema:
        plain = is_a.is_null(field.type) or is_a.is_time(field.type)
        if kind_of(field.type) in ("list", "other") and not plain:
            message = f"a column of type {field.type} cannot be written as text"
            found.add("not-writable", field.name, message, "release Parquet or Feather, or drop the column")
    found.raise_as(WriteError)


def header_line(schema: pa.Schema, layout: Layout) -> str:
    """The first line."""
    import pyarrow as pa

    names = _quoted(_guarded(pa.array(schema.names, pa.large_string()), layout), "", layout)
    return layout.delimiter.join(names.to_pylist()) + "\n"


def text_lines(batch: pa.RecordBatch, layout: Layout) -> pa.Buffer:
    """The rows of a batch as lines of UTF-8 text, with a line break between two of them.

    >>> import pyarrow as pa
    >>> batch = pa.record_batch({"name": ["a;b", "", None], "pay": [1.5, None, -2.0]})
    >>> print(text_lines(batch, Layout(delimiter=";", decimal=",")).to_pybytes().decode())
    "a;b";1,5
    "";
    ;-2
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [_fields(batch.column(place), name, layout) for place, name in enumerate(batch.schema.names)]
    rows = _joined(columns, layout.delimiter)
    as_one = pa.ListArray.from_arrays([0, len(rows)], rows)
    return pc.binary_join(as_one, pa.scalar("\n", pa.large_string()))[0].as_buffer()


def _joined(parts: Sequence[pa.Array | str], between: str) -> pa.Array:
    """Texts set side by side, row by row; missing ones are empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    large = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in (*parts, between)]
    return pc.binary_join_element_wise(*large, null_handling="replace", null_replacement="")


def _fields(column: pa.Array, name: str, layout: Layout) -> pa.Array:
    """One column as text, with missing values left missing."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as is_a

    if is_a.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind, text = column.type, pa.large_string()
    if is_a.is_date(kind) or is_a.is_timestamp(kind):
        return _quoted(_dates(column, name, layout), name, layout)
    if is_a.is_floating(kind):
        _check_finite(column, name)
    if is_a.is_floating(kind) or is_a.is_decimal(kind):
        column = pc.replace_substring(pc.cast(column, text), ".", layout.decimal)
    elif is_a.is_integer(kind):
        column = pc.cast(column, text)
    else:
        return _quoted(_guarded(pc.cast(column, text), layout), name, layout)
    return _quoted(column, name, layout) if layout.delimiter in NUMERALS + layout.decimal else column


def _guarded(column: pa.Array, layout: Layout) -> pa.Array:
    """The texts, with a mark before those that a spreadsheet would run, if the layout has one."""
    import pyarrow.compute as pc

    if not layout.guard:
        return column
    risky = pc.match_substring_regex(column, f"^{RISKY}")
    risky = pc.and_not(risky, pc.match_substring_regex(column, f"^{HARMLESS}\\z"))
    return pc.if_else(risky, _joined([layout.guard, column], ""), column) if pc.any(risky).as_py() else column


def _quoted(column: pa.Array, name: str, layout: Layout) -> pa.Array:
    """The fields, with quotes around those that need them; an empty text needs them, for empty means missing."""
    import pyarrow.compute as pc

    special = "[" + re.escape(layout.delimiter + layout.quote) + "\r\n]"
    if layout.guard and layout.quote:  # elsewhere a spreadsheet takes another character for the delimiter
        special += "|[,;\t][ \"']*[=+\\-@]"
    needed = pc.or_(pc.match_substring_regex(column, special), pc.equal(column, ""))
    if not pc.any(needed).as_py():
        return column
    if not layout.quote:
        count = pc.sum(needed).as_py()
        message = f"{count} field(s) hold a delimiter or a line break, or an empty text, and the layout has no quote"
        stop(WriteError, "needs-quotes", name, message, "set layout.quote")
    doubled = pc.replace_substring(column, layout.quote, layout.quote * 2)
    return pc.if_else(needed, _joined([layout.quote, doubled, layout.quote], ""), column)


def _dates(column: pa.Array, name: str, layout: Layout) -> pa.Array:
    """Dates and times in the format of the layout; a time of day is added when the format has none."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as is_a

    form = layout.date
    if not is_a.is_timestamp(column.type):
        column = pc.cast(column, pa.timestamp("us"))
    elif not any(sign in form for sign, _ in FINEST):
        form += " %H:%M:%S"
    unit = next((unit for sign, unit in FINEST if sign in form), "day")
    if pc.any(pc.not_equal(pc.floor_temporal(column, unit=unit), column)).as_py():
        message = f"the format '{form}' would cut off a part finer than a {unit}"
        stop(WriteError, "cut-off", name, message, "set layout.date")
    # Arrow writes the fraction with the seconds, as fine as the type is.
    fine = pa.timestamp("us" if "%f" in form else "s", column.type.tz)
    # Days repeat, and formatting is slow: each different one is written once.
    coded = pc.cast(column, fine).dictionary_encode()
    written = pc.strftime(coded.dictionary, format=form.replace(".%f", ""))
    return pc.take(pc.cast(written, pa.large_string()), coded.indices)


def _check_finite(column: Any, name: str) -> None:
    """Stop at what is not a number: no text form of it would be read back as one."""
    import pyarrow.compute as pc

    count = len(column) - column.null_count - (pc.sum(pc.is_finite(column)).as_py() or 0)
    if count:
        problem = Problem("not-finite", name, f"{count} value(s) are infinite or not a number", "make them missing")
        raise WriteError(problem)
