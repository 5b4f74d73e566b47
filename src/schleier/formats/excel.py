"""Workbooks: one sheet becomes a CSV file, row by row."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, EngineError, Problem, SchleierError, stop
from schleier.core.format import Format
from schleier.formats._cells import Cell, as_text, date_format
from schleier.formats._checks import check_file
from schleier.formats._extent import refuse_huge
from schleier.formats._inside import place_for, writing
from schleier.formats._merged import Range, merged_in

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

SHOWN = 5
"""Merged ranges named in a message."""


class Excel(Format):
    """A sheet of a workbook of Excel or LibreOffice; ``book.xlsx::Sheet2`` names it, else the first with content.

    Line numbers in messages are the rows of the sheet: every row becomes one record.
    """

    name = "excel"
    suffixes = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
    reading = "unwrap"
    parts = True

    def unwrap(self, path: Path, folder: Path, part: str = "") -> Path:
        """Write a sheet as CSV into ``folder``: UTF-8, commas, ISO dates, decimal points."""
        check_file(path)
        refuse_huge(path)
        with _opened(path) as book:
            sheet, rows = _sheet(book, path, part)
            merged = merged_in(path, sheet.name) if path.suffix == ".ods" else sheet.merged_cell_ranges
        # What has a single cell is a title; with more, the row names the columns.
        header = next((number for number, row in enumerate(rows) if sum(cell != "" for cell in row) > 1), 0)
        _refuse_merged(merged or [], header, path)
        place = place_for(folder, f"{path.stem}.csv")
        with writing(place), place.open("w", encoding="utf-8", newline="") as stream:
            _write(rows, header, stream)
        return place

    def extras(self, path: Path, part: str = "") -> tuple[str, ...]:
        """All other sheets."""
        with _opened(path) as book:
            shown = _sheet(book, path, part)[0].name
            return tuple(name for name in book.sheet_names if name != shown)


@contextmanager
def _opened(path: Path) -> Iterator[CalamineWorkbook]:
    """The workbook; whatever the library says of a damaged file becomes one plain problem."""
    try:
        from python_calamine import PasswordError, load_workbook
    except ImportError:
        stop(EngineError, "not-installed", str(path), "workbooks need python-calamine", 'pip install "schleier[io]"')
    try:
        with load_workbook(str(path)) as book:
            yield book
        return
    except (SchleierError, OSError, MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except PasswordError:
        hint = "open it, save it without a password, and give that file"
        problem = Problem("encrypted", str(path), "the workbook is protected by a password", hint)
    except BaseException:  # the library is no Python: when it panics over a broken file that is no Exception
        problem = Problem("broken-file", str(path), "this is not a workbook, or it is damaged or cut off")
    raise DataError(problem)  # outside the handler: the library may quote the file


def _sheet(book: CalamineWorkbook, path: Path, part: str) -> tuple[CalamineSheet, list[list[Cell]]]:
    """A sheet with its rows: the named one, else the first with content, and hidden ones last."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    known = [sheet for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    if part and part not in [sheet.name for sheet in known]:
        names = ", ".join(sheet.name for sheet in known) or "none"
        stop(DataError, "unknown-part", str(path), f"there is no sheet '{part}'", f"there are: {names}")
    for about in sorted(known, key=lambda sheet: sheet.visible != SheetVisibleEnum.Visible):
        if about.name == part or not part:
            sheet = book.get_sheet_by_name(about.name)
            rows = _cut(list(sheet.iter_rows()))
            if rows:
                return sheet, rows
    message = f"the sheet '{part}' is empty" if part else "no sheet of the workbook holds a table"
    raise DataError(Problem("empty-file", str(path), message))


def _cut(rows: list[list[Any]]) -> list[list[Cell]]:
    """The rows without empty ones at the end and without empty columns at either side."""
    filled = [[place for place, cell in enumerate(row) if cell != ""] for row in rows]
    last = max((number for number, places in enumerate(filled, 1) if places), default=0)
    first, end = (0, 0) if not last else (min(p[0] for p in filled if p), max(p[-1] for p in filled if p) + 1)
    return [row[first:end] for row in rows[:last]]


def _write(rows: Sequence[Sequence[Cell]], header: int, stream: Any) -> None:
    """The rows as CSV, one record each."""
    forms = [date_format(row[place] for row in rows[header + 1 :]) for place in range(len(rows[0]))]
    writer = csv.writer(stream, lineterminator="\n")
    for row in rows:
        texts = [as_text(cell, form) for cell, form in zip(row, forms, strict=True)]
        if texts == [""]:
            stream.write("\n")  # the writer would put quotes here: an empty text, where nothing is
        else:
            writer.writerow(texts)


def _refuse_merged(merged: Sequence[Range], header: int, path: Path) -> None:
    """A merged cell belongs to several rows or columns, but only the first of them has its value."""
    within = sorted(found for found in merged if found[1][0] >= header)
    if not within:
        return
    shown = ", ".join(_address(found) for found in within[:SHOWN]) + (" ..." if len(within) > SHOWN else "")
    message = f"cells of the table are merged, {len(within)} time{'s' if len(within) > 1 else ''}: {shown}"
    hint = f"unmerge them and fill in every cell; only titles above the column names in row {header + 1} may be merged"
    stop(DataError, "merged-cells", str(path), message, hint)


def _address(found: Range) -> str:
    """A range as Excel writes it.

    >>> _address(((4, 0), (6, 27)))
    'A5:AB7'
    """
    return ":".join(f"{_letters(column)}{row + 1}" for row, column in found)


def _letters(column: int) -> str:
    before, last = divmod(column, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)
