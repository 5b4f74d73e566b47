"""Workbooks: one sheet becomes a CSV file, row by row."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from schleier.core.errors import DataError, EngineError, Problem, SchleierError, stop
from schleier.core.format import NOTHING, Asked, Format, Remark
from schleier.core.header import lacks_first
from schleier.formats._area import Area, area_of, inside, joined_names
from schleier.formats._cells import Cell, as_text, date_format
from schleier.formats._checks import check_file
from schleier.formats._extent import refuse_huge
from schleier.formats._inside import place_for, writing
from schleier.formats._merged import Range, merged_in

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

    from schleier.core.schema import Layout

SHOWN = 5
"""Merged ranges named in a message."""


class Found(NamedTuple):
    """What was found in a workbook."""

    area: Area
    sheet: str
    sheets: int
    titled: bool
    """Whether something stands above the names."""


class Excel(Format):
    """A sheet of a workbook of Excel or LibreOffice; ``book.xlsx::Sheet2`` names it, else the first with content.

    Line numbers in messages are the rows of the sheet: every row becomes one record.
    """

    name = "excel"
    suffixes = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
    reading = "unwrap"
    parts = True
    sheets = True

    def __init__(self) -> None:
        """What was found in a sheet is remembered, for those who ask after it was unwrapped."""
        self._found: Found | None = None

    def unwrap(self, path: Path, folder: Path, part: str = "", asked: Asked = NOTHING) -> Path:
        """Write the table of a sheet as CSV into ``folder``: UTF-8, commas, ISO dates, decimal points.

        What stands above the names, or below the table, is left out; rows keep their numbers.
        """
        check_file(path)
        refuse_huge(path)
        with _opened(path) as book:
            sheet, rows = _sheet(book, path, part)
            merged = merged_in(path, sheet.name) if path.suffix == ".ods" else sheet.merged_cell_ranges
            sheets = len(book.sheet_names)
        area = area_of(rows, merged or [], asked)
        _refuse_outside(rows, area, path)
        _refuse_merged(merged or [], area, path)
        titled = any(cell != "" for row in rows[: area.top] for cell in row)
        self._found = Found(area, sheet.name, sheets, titled)
        place = place_for(folder, f"{path.stem}.csv")
        names: list[Cell] = _cut(rows, area.top, area.top + 1, area)[0]
        if area.header > 1:
            names = [*joined_names(_cut(rows, area.top, area.names + 1, area), [*inside(merged or [], area)])]
        _refuse_unnamed(names, area, path)
        with writing(place), place.open("w", encoding="utf-8", newline="") as stream:
            stream.write("\n" * area.names)
            _write([names], stream)
            _write(_cut(rows, area.names + 1, area.last, area), stream)
        return place

    def stated(self, path: Path, layout: Layout, part: str = "") -> Layout:
        """The layout with the place of the table in the sheet."""
        if self._found is None:
            return layout
        area = self._found.area
        said = {"skip": area.names, "header": area.header, "range": area.range}
        return layout.model_copy(update={**said, "delimiter": ",", "quote": '"', "encoding": "utf-8"})

    def remarks(self, path: Path, layout: Layout | None = None, part: str = "") -> tuple[Remark, ...]:
        """Which sheet, and what of it was taken for titles, names and notes."""
        found, told = self._found, list[Remark]()
        if found is None:
            return ()
        area = found.area
        if found.sheets > 1 and not part:
            told.append(Remark("sheet", {"n": found.sheets, "sheet": found.sheet}))
        if area.range:
            told.append(Remark("range", {"cells": area.range}))
        if found.titled and not area.range:
            told.append(Remark("title", {"n": area.top}))
        if area.header > 1:
            told.append(Remark("names", {"n": area.header, "first": area.top + 1, "last": area.names + 1}))
        if area.below > area.last:
            told.append(Remark("notes", {"n": area.below - area.last, "first": area.last + 1, "last": area.below}))
        if area.sparse:
            end = area.last - area.sparse
            cells = f"{_letters(area.left)}{area.top + 1}:{_letters(area.right - 1)}{end}"
            told.append(Remark("sparse", {"n": area.sparse, "first": end + 1, "last": area.last, "cells": cells}))
        return tuple(told)

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
            rows = list(sheet.iter_rows())
            if any(cell != "" for row in rows for cell in row):
                return sheet, rows
    message = f"the sheet '{part}' is empty" if part else "no sheet of the workbook holds a table"
    raise DataError(Problem("empty-file", str(path), message))


def _cut(rows: Sequence[Sequence[Cell]], first: int, last: int, area: Area) -> list[list[Cell]]:
    """Some rows with the columns of an area."""
    return [[*row[area.left : area.right]] for row in rows[first:last]]


def _write(rows: Sequence[Sequence[Cell]], stream: Any) -> None:
    """The rows as CSV, one record each."""
    forms = [date_format(row[place] for row in rows) for place in range(len(rows[0]) if rows else 0)]
    writer = csv.writer(stream, lineterminator="\n")
    for row in rows:
        texts = [as_text(cell, form) for cell, form in zip(row, forms, strict=True)]
        if texts == [""]:
            stream.write("\n")  # the writer would put quotes here: an empty text, where nothing is
        else:
            writer.writerow(texts)


def _refuse_outside(rows: Sequence[Sequence[Cell]], area: Area, path: Path) -> None:
    """A range that nobody wrote to."""
    if area.left >= area.right or area.names >= len(rows) or area.right > len(rows[0]):
        message = "the range, or the row of the names, lies outside what is written in the sheet"
        stop(DataError, "no-range", str(path), message, "correct the range, such as B4:H200, or leave it out")


def _refuse_unnamed(names: Sequence[Cell], area: Area, path: Path) -> None:
    """Columns without a name, but for a first one, which numbers the rows."""
    texts = [str(name) for name in names]
    unnamed = [place for place, name in enumerate(texts) if not name.strip() and (place or not lacks_first(texts))]
    if not unnamed:
        return
    shown = ", ".join(_letters(area.left + place) for place in unnamed[:SHOWN]) + (" ..." if unnamed[SHOWN:] else "")
    lack = "1 column has" if len(unnamed) == 1 else f"{len(unnamed)} columns have"
    message = f"{lack} no name in row {area.names + 1}: {shown}"
    hint = "name them, or say where the table lies: schleier describe FILE --range B4:H200"
    stop(DataError, "unnamed-columns", str(path), message, hint)


def _refuse_merged(merged: Sequence[Range], area: Area, path: Path) -> None:
    """A merged cell belongs to several rows or columns, but only the first of them has its value."""
    header = area.names
    names = [((low[0] + area.top, low[1] + area.left), high) for low, high in inside(merged, area)]
    named = {low for low, _ in names} if area.header > 1 else set()
    within = sorted(
        (low, high)
        for low, high in merged
        if high[0] >= header
        and low[0] < area.last
        and low[1] < area.right
        and high[1] >= area.left
        and low not in named
    )
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
