"""The text side of ingest: a file in any encoding becomes UTF-8, and its first record names the columns."""

from __future__ import annotations

import codecs
import csv
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TextIO

from schleier.core.encoding import codec_name
from schleier.core.errors import DataError, Problem, stop
from schleier.core.guard import unguarded
from schleier.core.header import named
from schleier.core.schema import Layout

CHUNK = 1 << 22
UTF8 = ("utf-8", "utf-8-sig")
BREAK = re.compile("\r\n|\r|\n")
LONGEST = 2_000_000
"""Bytes of the longest record that DuckDB reads."""


@contextmanager
def as_utf8(path: Path, layout: Layout, work: Path) -> Iterator[Path]:
    """The file itself where DuckDB can read it as it is, else a private copy in ``work`` that is gone afterwards.

    Copied are other encodings, and titles above the header that would lead DuckDB astray.
    """
    if codec_name(layout.encoding) in UTF8 and _is_simple(path, layout):
        yield path
        return
    handle, name = tempfile.mkstemp(prefix="utf8-", suffix=".csv", dir=work)  # mode 0600
    copy = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            for text in _untitled(decode_file(path, layout.encoding), layout.skip):
                stream.write(text.encode())
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _is_simple(path: Path, layout: Layout) -> bool:
    """Whether titles have no quotes, which DuckDB would try to close, and end like the header: else it loses rows."""
    with _opened(path) as stream:
        title = list(islice(stream, layout.skip))
        ends = {line[len(line.rstrip("\r\n")) :] for line in [*title, next(stream, "")] if title}
    return len(ends) < 2 and not (layout.quote and any(layout.quote in line for line in title))


def _untitled(pieces: Iterator[str], skip: int) -> Iterator[str]:
    """The text with blank lines in place of the lines above the header, so that lines keep their numbers."""
    head, breaks = "", list[re.Match[str]]()
    # Something must follow the last break: a carriage return may be half of one.
    while skip and (len(breaks) <= skip or breaks[-1].end() == len(head)):
        piece = next(pieces, None)
        if piece is None:
            break
        head += piece
        breaks = list(islice(BREAK.finditer(head), skip + 1))
    if len(breaks) < skip:
        return
    yield breaks[-1][0] * skip + head[breaks[skip - 1].end() :] if skip else ""
    yield from pieces


def decode_file(path: Path, encoding: str) -> Iterator[str]:
    """The text of a file in pieces; stops with the number of the line that is not in this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 0
    with path.open("rb") as stream:
        while True:
            chunk = stream.read(CHUNK)
            try:
                text = decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                lines += _breaks(error.object[: error.start].decode(error.encoding, "replace"))
                break
            except UnicodeError:  # a missing byte order mark
                break
            if not chunk:
                yield text
                return
            lines += _breaks(text)
            yield text
    # Said outside the handler: the decoder's error carries the bytes.
    message = f"line {lines + 1} is not {encoding} text"
    raise DataError(Problem("broken-encoding", str(path), message, "declare the encoding in the layout of the schema"))


def read_header(path: Path, layout: Layout) -> tuple[list[str], str]:
    """Names of the columns of a UTF-8 file, and the line break after them.

    The break must be known exactly: told a wrong one, DuckDB takes the whole file for the header and finds no rows.
    """
    used: list[str] = []
    with _opened(path, layout.skip) as stream:
        lines = (used.append(line) or line for line in stream)  # type: ignore[func-returns-value]
        try:
            names = next(_records(lines, layout), [])
        except csv.Error:
            names = []
    if not names:
        stop(DataError, "unnamed-columns", str(path), f"line {layout.skip + 1} holds no column names")
    ends = ("\r\n", "\r", "\n")
    names = named([unguarded(name, layout.guard) for name in names])
    return names, next((end for end in ends if used[-1].endswith(end)), "\n")


def count_records(path: Path, layout: Layout) -> tuple[int, bool]:
    """Number of records of a UTF-8 file, with its header, before the first that cannot be read, and whether all can."""
    width = count = 0
    before = csv.field_size_limit(LONGEST)
    try:
        with _opened(path, layout.skip) as stream:
            for record in _records(stream, layout):
                width = width or len(record)
                count += bool(record) or width == 1  # a blank line is a value where there is but one column
    except csv.Error:
        return count, False
    finally:
        csv.field_size_limit(before)
    return count, True


def other_break(path: Path, layout: Layout, line_break: str) -> int | None:
    """Number of the first record of a UTF-8 file that ends with another line break than the header."""
    record, inside = layout.skip + 1, False
    with _opened(path, layout.skip) as stream:
        for line in stream:
            inside ^= bool(layout.quote) and line.count(layout.quote) % 2 == 1
            if not inside:
                if line[len(line.rstrip("\r\n")) :] not in (line_break, ""):
                    return record
                record += 1
    return None


def _opened(path: Path, skip: int = 0) -> TextIO:
    """A UTF-8 file without its first lines, line breaks as they are."""
    stream = path.open(encoding="utf-8-sig", errors="replace", newline="")
    for _ in islice(stream, skip):
        pass
    return stream


def _records(lines: Iterable[str], layout: Layout) -> Iterator[list[str]]:
    if layout.quote:
        return csv.reader(lines, delimiter=layout.delimiter, quotechar=layout.quote, strict=True)
    return csv.reader(lines, delimiter=layout.delimiter, quoting=csv.QUOTE_NONE)


def _breaks(text: str) -> int:
    """Line breaks; old Macintosh files have no line feeds."""
    return text.count("\n") or text.count("\r")
