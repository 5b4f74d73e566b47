"""Text becomes typed, once: DuckDB reads a CSV file and stores it as Parquet, in file order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, Problem, Problems, SchemaError, stop
from schleier.core.schema import Column, Layout
from schleier.engine.duckdb import quoted
from schleier.engine.ingest_fields import Field, literal
from schleier.engine.ingest_text import as_utf8, codec, decoded, header

if TYPE_CHECKING:
    import duckdb

SHOWN = 5
"""Line numbers given for each problem."""
LINES = "line 1 is the header; a record that spans several lines counts as one"


def csv_to_parquet(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    layout: Layout,
    columns: Sequence[Column],
    keep: Sequence[str],
    out: Path,
    work: Path,
) -> int:
    """Convert a CSV file into a typed Parquet file with exactly the columns ``keep``; returns the number of rows.

    Whole numbers become BIGINT, continuous ones DOUBLE, times DATE or TIMESTAMP, everything else, and what is kept
    without a description, stays text. One scan when all is well; a second one only to say everything that is wrong.

    >>> import tempfile, duckdb
    >>> folder, connection = Path(tempfile.mkdtemp()), duckdb.connect()
    >>> _ = (folder / "a.csv").write_text("id;pay\\n01;1.234,5\\n")
    >>> pay, layout = Column(name="pay", scale="continuous"), Layout(delimiter=";", decimal=",", thousands=".")
    >>> csv_to_parquet(connection, folder / "a.csv", layout, [pay], ["pay", "id"], folder / "a.parquet", folder)
    1
    >>> connection.read_parquet(str(folder / "a.parquet")).fetchall()
    [(1234.5, '01')]
    """
    if layout.delimiter in (layout.quote, "\r", "\n"):
        stop(SchemaError, "bad-layout", "schema.layout", "the delimiter must be no quote and no line break")
    described = {column.name: column for column in columns}
    with as_utf8(path, layout.encoding, work) as text:
        names, line_break = header(text, layout)
        _check_kept(names, keep, path)
        fields = [
            Field(f"c{names.index(name)}", described.get(name, Column(name=name, scale="text")), layout)
            for name in keep
        ]
        _check_dates(connection, fields)
        job = _Job(connection, path, text, layout, len(names), line_break, fields)
        try:
            return job.run(out)
        except BaseException:
            out.unlink(missing_ok=True)
            raise


@dataclass(frozen=True)
class _Job:
    """One conversion."""

    connection: duckdb.DuckDBPyConnection
    path: Path
    text: Path
    layout: Layout
    width: int
    line_break: str
    fields: Sequence[Field]

    def run(self, out: Path) -> int:
        """Convert; on any complaint about the data, scan once more for a full account of it."""
        import duckdb

        # Created first, so that the staged rows are never readable to others; DuckDB then writes into the same file.
        out.touch(mode=0o600)
        order = self.connection.execute("SELECT current_setting('preserve_insertion_order')").fetchone()
        self.connection.execute("SET preserve_insertion_order = true")
        try:
            try:
                return self._copy(out, parallel=True)
            except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.NotImplementedException):
                # Perhaps bad data; perhaps only a line break inside quotes where DuckDB cut the file for its threads.
                pass
            try:
                self._check()
                return self._copy(out, parallel=False)
            except (duckdb.InvalidInputException, duckdb.ConversionException) as error:
                complaint = str(error)
            # Said outside the handler: DuckDB quotes the whole line.
            raise DataError(self._malformed(complaint))
        finally:
            if order is not None and not order[0]:
                self.connection.execute("SET preserve_insertion_order = false")

    def _copy(self, out: Path, parallel: bool) -> int:
        """Convert in one scan; the first bad value ends it."""
        wanted = ", ".join(
            f"{field.value(f'v{place}', "error('bad value')")} AS {quoted(field.column.name)}"
            for place, field in enumerate(self.fields)
        )
        # use_tmp_file off: DuckDB would otherwise replace our private file by a public one.
        copy = f"COPY (SELECT {wanted} FROM ({self._scan(parallel)})) TO {literal(str(out))}"
        row = self.connection.execute(f"{copy} (FORMAT parquet, USE_TMP_FILE false)").fetchone()
        return int(row[0]) if row else 0

    def _check(self) -> None:
        """Stop with every column that holds bad values: how many, and the first lines."""
        tests = ", ".join(f"{field.bad(f'v{place}')} AS b{place}" for place, field in enumerate(self.fields))
        counts = ", ".join(
            f"count(*) FILTER (b{place}), min(line, {SHOWN}) FILTER (b{place})" for place in range(len(self.fields))
        )
        scan = f"SELECT row_number() OVER () + 1 AS line, {tests} FROM ({self._scan(parallel=False)})"
        row = self.connection.execute(f"SELECT {counts} FROM ({scan})").fetchone() or ()
        found = Problems()
        for field, count, lines in zip(self.fields, row[::2], row[1::2], strict=True):
            if count:
                found.extend([_bad_values(field, count, lines)])
        found.raise_as(DataError)

    def _scan(self, parallel: bool) -> str:
        """The text columns and the quick casts, read without any guessing by DuckDB."""
        layout = self.layout
        options = {
            "auto_detect": "false",
            "header": "true",
            "columns": "{" + ", ".join(f"'c{place}': 'VARCHAR'" for place in range(self.width)) + "}",
            "delim": literal(layout.delimiter),
            "quote": literal(layout.quote),
            "escape": literal(layout.quote),
            "new_line": literal(self.line_break.replace("\r", r"\r").replace("\n", r"\n")),
            "nullstr": "''",
            "allow_quoted_nulls": "false",  # "" is an empty text, nothing is missing
            "compression": "'none'",
            "hive_partitioning": "false",  # a folder called year=2020 is no column
            "parallel": str(parallel).lower(),
        }
        texts = ", ".join(field.text for field in self.fields)
        casts = ", ".join(f"{field.quick} AS v{place}" for place, field in enumerate(self.fields))
        # A file name is a pattern to DuckDB; brackets make its wildcards plain characters.
        place = literal(re.sub(r"([*?\[])", r"[\1]", str(self.text.absolute())))
        arguments = ", ".join(f"{option} = {value}" for option, value in options.items())
        return f"SELECT {texts}, {casts} FROM read_csv({place}, {arguments})"

    def _malformed(self, complaint: str) -> Problem:
        """What DuckDB says about a row, without the row."""
        if "unicode" in complaint and codec(self.layout.encoding) in ("utf-8", "utf-8-sig"):
            for _ in decoded(self.path, "utf-8"):
                pass  # stops at the line that is not UTF-8
        line = re.match(r"Invalid Input Error: CSV Error on Line: (\d+)", complaint)
        if "unterminated quote" in complaint:
            message = "has a quoted field that is not closed properly"
        elif "Maximum line size" in complaint:
            message = "is too long; probably a quote is not closed"
        elif "Expected Number of Columns" in complaint:
            message = f"does not have {self.width} fields like the header"
        else:
            message = "ends with another line break than the header, or cannot be read"
        where = f"line {line[1]}" if line else "some line"
        hint = f"correct the file, or the delimiter and quote in the layout of the schema; {LINES}"
        return Problem("malformed-rows", str(self.path), f"{where} {message}", hint)


def _bad_values(field: Field, count: int, lines: Sequence[int]) -> Problem:
    """How many values of a column are bad and where; never the values."""
    layout, one = field.layout, count == 1
    places = f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}{' ...' if count > len(lines) else ''}"
    if field.type == "VARCHAR":
        message = f"{count} value{' holds' if one else 's hold'} a NUL byte"
        return Problem("nul-bytes", field.column.name, f"{message}: {places}", f"clean the file; {LINES}")
    if field.type in ("DATE", "TIMESTAMP"):
        code, noun, form = "not-a-date", "a date", f"dates are read as {layout.date}"
    else:
        code, noun = "not-a-number", "a whole number" if field.type == "BIGINT" else "a number"
        marks = f"decimal mark '{layout.decimal}' and " + (
            f"thousands mark '{layout.thousands}'" if layout.thousands else "no thousands mark"
        )
        form = f"numbers are read with {marks}"
    message = f"{count} value{' is' if one else 's are'} not {noun}: {places}"
    hint = f"{form}: correct the layout, or declare the codes that mean missing; {LINES}"
    return Problem(code, field.column.name, message, hint)


def _check_kept(names: Sequence[str], keep: Sequence[str], path: Path) -> None:
    """Stop when a wanted column is absent or cannot be told from another: DuckDB ignores case."""
    found, places = Problems(), [name.casefold() for name in keep]
    for name in keep:
        if name not in names:
            found.add("missing-column", str(path), f"the file has no column '{name}'")
        elif names.count(name) > 1:
            found.add("duplicate-columns", str(path), f"the file has {names.count(name)} columns '{name}'")
        elif places.count(name.casefold()) > 1:
            found.add("duplicate-columns", str(path), f"'{name}' and another column differ only in case")
    found.raise_as(DataError)


def _check_dates(connection: duckdb.DuckDBPyConnection, fields: Sequence[Field]) -> None:
    """Stop when DuckDB does not know the date format, before it can be taken for bad data."""
    import duckdb

    for field in fields:
        if field.type in ("DATE", "TIMESTAMP"):
            try:
                connection.execute(f"SELECT try_strptime('', {literal(field.layout.date)})")
            except duckdb.Error:
                stop(SchemaError, "bad-layout", "schema.layout", f"'{field.layout.date}' is no format of dates")
            return
