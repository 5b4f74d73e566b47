"""How far the sheets of a workbook reach, told before they are read: the reader keeps every cell between the first
and the last in memory, also those nobody wrote."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.etree import ElementTree as Tree

from schleier.core.errors import DataError, Problem, SchleierError
from schleier.core.limits import CELLS, UNPACKED, most_cells, most_unpacked, refuse_size

ARCHIVE = b"PK"
PIECE = 1 << 22
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
BEFORE = rb"""<(?:[\w.-]+:)?c(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*?\s+r\s*=\s*["']"""
ROWS, COLUMNS = re.compile(BEFORE + rb"[A-Za-z]{1,7}(\d{1,9})"), re.compile(BEFORE + rb"([A-Za-z]{1,7})\d")
ROW_RECORD, CELL_RECORDS = 0, range(1, 12)
"""Records of a binary sheet: a row, and the cells in it."""

Extent = tuple[int, int, int]
"""Rows and columns up to the last cell, and cells that are written."""


def refuse_huge(path: Path) -> None:
    """Stop when a workbook would unpack to too much, or a sheet spans too many cells; older formats cannot."""
    with path.open("rb") as stream:
        if stream.read(len(ARCHIVE)) != ARCHIVE:
            return
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
            most = most_unpacked(path.stat().st_size)
            refuse_size(DataError, str(path), "the bytes it unpacks to are", unpacked, most, UNPACKED)
            for name in archive.namelist():
                with archive.open(name) as stream:
                    for rows, columns, written in _extents(name, stream):
                        what = f"a sheet reaches to row {rows:,} and column {columns:,}, so its cells are"
                        refuse_size(DataError, str(path), what, rows * columns, most_cells(written), CELLS)
    except (SchleierError, MemoryError):
        raise
    except Exception:  # a broken archive makes the library fail in many ways; what cannot be looked at is not read
        problem = Problem("broken-file", str(path), "this is not a workbook, or it is damaged or cut off")
    else:
        return
    raise DataError(problem)


def _extents(name: str, stream: IO[bytes]) -> Iterator[Extent]:
    """The extents of the sheets in a member of a workbook."""
    folder, _, last = name.lower().rpartition("/")
    if last == "content.xml" and not folder:
        yield from _open_document(stream)
    elif last.endswith(".xml") and folder.endswith("worksheets"):
        yield _spreadsheet(stream)
    elif last.endswith(".bin") and folder.endswith("worksheets"):
        yield _binary(stream)


def _spreadsheet(stream: IO[bytes]) -> Extent:
    """Of a sheet of Excel, by the addresses of its cells."""
    rows, columns, written, rest = 0, 0, 0, b""
    while piece := stream.read(PIECE):
        text, _, rest = (rest + piece).rpartition(b"<")
        rest = b"<" + rest
        found = ROWS.findall(text)
        written += len(found)
        rows = max([rows, *map(int, set(found))])
        columns = max([columns, *map(_column, set(COLUMNS.findall(text)))])
    return rows, columns, written


def _column(letters: bytes) -> int:
    """The number of a column.

    >>> _column(b"A"), _column(b"AA"), _column(b"XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - ord("A") + 1
    return number


def _binary(stream: IO[bytes]) -> Extent:
    """Of a binary sheet: records of a kind, a length and a content, which begins with the number of row or column."""
    rows = columns = written = 0
    while (kind := _number(stream)) is not None:
        content = stream.read(_number(stream) or 0)
        place = int.from_bytes(content[:4], "little") + 1
        if kind == ROW_RECORD:
            rows = max(rows, place)
        elif kind in CELL_RECORDS:
            columns, written = max(columns, place), written + 1
    return rows, columns, written


def _number(stream: IO[bytes]) -> int | None:
    """Up to four bytes of seven bits each, the lowest first; nothing at the end."""
    number = 0
    for place in range(4):
        byte = stream.read(1)
        if not byte:
            return None
        number |= (byte[0] & 0x7F) << 7 * place
        if byte[0] < 0x80:
            break
    return number


def _open_document(stream: IO[bytes]) -> Iterator[Extent]:
    """Of the sheets of LibreOffice, where a cell or row says how often it is repeated."""
    row = rows = columns = written = 0
    for _, element in Tree.iterparse(stream, ("end",)):
        if element.tag == f"{TABLE}table-row":
            repeated = _times(element, "rows")
            last, filled = _filled(element)
            row += repeated
            if filled:
                rows, columns, written = row, max(columns, last), written + min(filled, last)
            element.clear()
        elif element.tag == f"{TABLE}table":
            yield rows, columns, written
            row = rows = columns = written = 0


def _filled(row: Tree.Element) -> tuple[int, int]:
    """The column of the last cell that holds something, and how many do."""
    column = last = filled = 0
    for cell in row:
        column += _times(cell, "columns")
        if cell.get(f"{OFFICE}value-type") or len(cell):
            last, filled = column, filled + 1
    return last, filled


def _times(element: Tree.Element, what: str) -> int:
    said = element.get(f"{TABLE}number-{what}-repeated", "1")
    return min(int(said), 10**9) if said.isascii() and said.isdecimal() and len(said) < 20 else 1
