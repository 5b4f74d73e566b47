"""Text becomes typed, once: DuckDB reads a CSV file and stores it as Parquet, in file order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.encoding import codec_name
from schleier.core.errors import DataError, Problem, Problems, SchemaError, stop
from schleier.core.schema import Column, Layout
from schleier.core.sql import quoted, word
from schleier.engine._ingest_fields import TypedField
from schleier.engine._ingest_problems import OTHER_BREAK, UNCLOSED, bad_values, complaint, malformed
from schleier.engine._ingest_text import UTF8, as_utf8, count_records, decode_file, other_break, read_header

if TYPE_CHECKING:
    import duckdb

WIDE = 2000
"""Columns from which on one thread converts: each holds a vector of every column, and of every step on its way."""
PART = 1 << 20
"""Bytes of a file that are looked at together."""
SHOWN = 5
"""Line numbers given for each problem."""


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
    with as_utf8(path, layout, work) as text:
        names, line_break = read_header(text, layout)
        _check_kept(names, keep, path)
        places = {name: place for place, name in enumerate(names)}
        fields = [
            TypedField(f"c{places[name]}", described.get(name, Column(name=name, scale="text")), layout)
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
    fields: Sequence[TypedField]

    def run(self, out: Path) -> int:
        """Convert; on any complaint about the data, scan once more for a full account of it."""
        import duckdb

        # Created first, so that the staged rows are never readable to others; DuckDB then writes into the same file.
        out.touch(mode=0o600)
        order = self.connection.execute("SELECT current_setting('preserve_insertion_order')").fetchone()
        self.connection.execute("SET preserve_insertion_order = true")
        try:
            try:
                with self._few_threads():
                    return self._copy(out, parallel=True)
            except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.NotImplementedException):
                # Perhaps bad data; perhaps only a line break inside quotes where DuckDB cut the file for its threads.
                pass
            try:
                self._check()
                return self._copy_serially(out)
            except (duckdb.InvalidInputException, duckdb.ConversionException) as error:
                text = str(error)
            # Said outside the handler: DuckDB quotes the whole line.
            raise DataError(self._malformed(text))
        finally:
            if order is not None and not order[0]:
                self.connection.execute("SET preserve_insertion_order = false")

    @contextmanager
    def _few_threads(self) -> Iterator[None]:
        """One thread for very many columns."""
        threads = self.connection.execute("SELECT current_setting('threads')").fetchone()
        if threads is None or self.width < WIDE:
            yield
            return
        self.connection.execute("SET threads = 1")
        try:
            yield
        finally:
            self.connection.execute(f"SET threads = {int(threads[0])}")

    def _copy_serially(self, out: Path) -> int:
        """Convert without threads. So DuckDB drops the rest of a file after an open quote, hence the count."""
        records, whole = count_records(self.text, self.layout)
        rows = self._copy(out, parallel=False) if whole else -1
        if rows != records - 1:
            line = None if whole else self.layout.skip + records + 1
            raise DataError(malformed(self.path, line, UNCLOSED, self.layout.skip))
        return rows

    def _malformed(self, text: str) -> Problem:
        """What DuckDB found wrong with the rows."""
        if "unicode" in text and codec_name(self.layout.encoding) in UTF8:
            for _ in decode_file(self.path, "utf-8"):
                pass  # stops at the line that is not UTF-8
        line, reason = complaint(text, self.width)
        mixed = other_break(self.text, self.layout, self.line_break)
        if mixed is not None and (line is None or mixed <= line):
            line, reason = mixed, OTHER_BREAK
        return malformed(self.path, line, reason, self.layout.skip)

    def _copy(self, out: Path, parallel: bool) -> int:
        """Convert in one scan; the first bad value ends it."""
        # Of very many columns, a look at the bytes costs less than planning a test of each.
        clean = self.width >= WIDE and not _holds_nul(self.text)
        wanted = ", ".join(
            f"{field.value(f'v{place}', clean=clean)} AS {quoted(field.column.name)}"
            for place, field in enumerate(self.fields)
        )
        # use_tmp_file off: DuckDB would otherwise replace our private file by a public one.
        copy = f"COPY (SELECT {wanted} FROM ({self._scan(parallel)})) TO {word(str(out))}"
        row = self.connection.execute(f"{copy} (FORMAT parquet, USE_TMP_FILE false)").fetchone()
        return int(row[0]) if row else 0

    def _check(self) -> None:
        """Stop with every column that holds bad values: how many, and the first lines."""
        tests = ", ".join(f"{field.bad(f'v{place}', 'line')} AS b{place}" for place, field in enumerate(self.fields))
        counts = ", ".join(f"count(b{place}), min(b{place}, {SHOWN})" for place in range(len(self.fields)))
        scan = f"SELECT row_number() OVER () + {self.layout.skip + 1} AS line, * FROM ({self._scan(parallel=False)})"
        row = self.connection.execute(f"SELECT {counts} FROM (SELECT {tests} FROM ({scan}))").fetchone() or ()
        found = Problems()
        for field, count, lines in zip(self.fields, row[::2], row[1::2], strict=True):
            if count:
                found.extend([bad_values(field, count, lines)])
        found.raise_as(DataError)

    def _scan(self, parallel: bool) -> str:
        """The text columns and the quick casts, read without any guessing by DuckDB."""
        layout = self.layout
        options = {
            "auto_detect": "false",
            "header": "true",
            "skip": str(layout.skip),
            "columns": "{" + ", ".join(f"'c{place}': 'VARCHAR'" for place in range(self.width)) + "}",
            "delim": word(layout.delimiter),
            "quote": word(layout.quote),
            "escape": word(layout.quote),
            "new_line": word(self.line_break.replace("\r", r"\r").replace("\n", r"\n")),
            "nullstr": "''",
            "allow_quoted_nulls": "false",  # "" is an empty text, nothing is missing
            "compression": "'none'",
            "hive_partitioning": "false",  # a folder called year=2020 is no column
            "parallel": str(parallel).lower(),
        }
        casts = [f"{field.quick} AS v{place}" for place, field in enumerate(self.fields) if field.type != "VARCHAR"]
        wanted = ", ".join([*(field.read for field in self.fields), *casts])
        # A file name is a pattern to DuckDB; brackets make its wildcards plain characters.
        place = word(re.sub(r"([*?\[])", r"[\1]", str(self.text.absolute())))
        arguments = ", ".join(f"{option} = {value}" for option, value in options.items())
        return f"SELECT {wanted} FROM read_csv({place}, {arguments})"


def _holds_nul(path: Path) -> bool:
    """Whether a file has the one character that no text may have."""
    with path.open("rb") as file:
        return any(b"\0" in part for part in iter(lambda: file.read(PART), b""))


def _check_kept(names: Sequence[str], keep: Sequence[str], path: Path) -> None:
    """Stop when a wanted column is absent or cannot be told from another: DuckDB ignores case."""
    found, there, alike = Problems(), Counter(names), Counter(name.casefold() for name in keep)
    for name in keep:
        if not there[name]:
            found.add("missing-column", str(path), f"the file has no column '{name}'")
        elif there[name] > 1:
            found.add("duplicate-columns", str(path), f"the file has {there[name]} columns '{name}'")
        elif alike[name.casefold()] > 1:
            found.add("duplicate-columns", str(path), f"'{name}' and another column differ only in case")
    found.raise_as(DataError)


def _check_dates(connection: duckdb.DuckDBPyConnection, fields: Sequence[TypedField]) -> None:
    """Stop when DuckDB does not know the date format, before it can be taken for bad data."""
    import duckdb

    found = Problems()
    for form in dict.fromkeys(field.date for field in fields if field.type in ("DATE", "TIMESTAMP")):
        try:
            connection.execute(f"SELECT try_strptime('', {word(form)})")
        except duckdb.Error:
            found.add("bad-layout", "schema.layout", f"'{form}' is no format of dates")
    found.raise_as(SchemaError)
