"""A sheet becomes a table; what cannot be one says why, with rows of the sheet and never a value."""

from __future__ import annotations

import csv
import datetime as dt
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

import schleier as sl
from schleier.core.errors import DataError, EngineError, Problem, SchleierError
from schleier.flow.run.reader import read_header
from schleier.formats.excel import Excel, _address
from workbook_files import cell, encrypted, opendocument

SECRET = "SECRETVALUE"


def book(path: Path, **sheets: Sequence[Sequence[Any]]) -> Workbook:
    """A workbook with these sheets, not yet saved."""
    made = Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    made.save(path)
    return made


def table(path: Path, part: str = "") -> list[list[str]]:
    place = Excel().unwrap(path, path.parent, part=part)
    with place.open(encoding="utf-8", newline="") as stream:
        found = list(csv.reader(stream))
    place.unlink()
    return found


def problems(address: Path | str, schema: sl.Schema | None = None) -> tuple[Problem, ...]:
    schema = schema or sl.Schema(columns=[sl.Column(name="name", scale="text")], others="drop")
    with pytest.raises(SchleierError) as caught:
        sl.read(address, schema)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert isinstance(caught.value, DataError)
    return caught.value.problems


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book.xlsx"


def test_every_kind_of_cell(path: Path) -> None:
    rows = [
        ["whole", "broken", "yes", "text", "day", "moment", "clock", "error", "empty"],
        [
            12,
            0.1,
            True,
            'a "b", c',
            dt.date(2020, 1, 31),
            dt.datetime(2020, 1, 31, 9, 30),
            dt.time(9, 30),
            "#N/A",
            None,
        ],
        [-3.0, 1e21, False, "two\nlines", dt.date(1999, 12, 31), dt.datetime(2020, 2, 1), dt.time(0), "=1/0", None],
        [2**40, 1.5, True, "", None, None, None, 7, None],
        [1, 2, 3, 4, 5, 6, 7, 8, "end"],
    ]
    book(path, People=rows)
    assert table(path)[1:4] == [
        ["12", "0.1", "true", 'a "b", c', "2020-01-31", "2020-01-31 09:30:00", "09:30:00", "", ""],
        [
            "-3",
            "1000000000000000000000",
            "false",
            "two\nlines",
            "1999-12-31",
            "2020-02-01 00:00:00",
            "00:00:00",
            "",
            "",
        ],
        ["1099511627776", "1.5", "true", "", "", "", "", "7", ""],
    ]


def test_dates_become_moments_only_where_one_has_a_time(path: Path) -> None:
    midnight, noon = dt.datetime(2020, 1, 31), dt.datetime(2020, 1, 31, 12)
    book(path, A=[["Made on", noon], ["a", "b"], [midnight, midnight], [dt.date(2020, 2, 1), noon]])
    assert table(path)[2:] == [["2020-01-31", "2020-01-31 00:00:00"], ["2020-02-01", "2020-01-31 12:00:00"]]


def test_empty_rows_and_columns_around_the_table_are_cut(path: Path) -> None:
    made = book(path, A=[])
    sheet = made["A"]
    for place, value in {"C3": "a", "D3": "b", "C4": 1, "C6": 2, "D6": 3}.items():
        sheet[place] = value
    sheet["H40"].number_format = "0.00"
    made.save(path)
    assert table(path) == [[], [], ["a", "b"], ["1", ""], ["", ""], ["2", "3"]]


def test_gaps_in_a_single_column_are_missing(path: Path) -> None:
    book(path, A=[["age"], [1], [None], [3]])
    data = sl.read(path, sl.Schema(columns=[sl.Column(name="age", scale="discrete")]))
    assert data.to_arrow()["age"].to_pylist() == [1, None, 3]


def test_sheets(path: Path) -> None:
    made = book(path, Empty=[], Hidden=[["h"], [0]], One=[["a"], [1]], Two=[["b"], [2]])
    made["Hidden"].sheet_state = "hidden"
    made.create_chartsheet("Chart")
    made.save(path)
    assert table(path)[0] == ["a"]
    assert table(path, "Two")[0] == ["b"]
    assert table(path, "Hidden")[0] == ["h"]
    assert list(read_header(f"{path}::Two")[0]) == ["b"]
    (found,) = problems(f"{path}::Three")
    assert (found.code, found.hint) == ("unknown-part", "there are: Empty, Hidden, One, Two")
    assert problems(f"{path}::Chart")[0].code == "unknown-part"
    assert problems(f"{path}::Empty")[0].message == "the sheet 'Empty' is empty"


def test_only_hidden_sheets(path: Path) -> None:
    made = book(path, Empty=[], Hidden=[["h"], [0]])
    made["Hidden"].sheet_state = "hidden"
    made.save(path)
    assert table(path)[0] == ["h"]


def test_workbooks_without_a_table(path: Path) -> None:
    made = book(path, Empty=[])
    made.save(path)
    (found,) = problems(path)
    assert (found.code, found.message) == ("empty-file", "no sheet of the workbook holds a table")
    made.create_chartsheet("Chart")
    made.remove(made["Empty"])
    made.save(path)
    assert problems(path)[0].message == "no sheet of the workbook holds a table"


def test_titles_may_be_merged(path: Path) -> None:
    made = book(path, A=[["Persons of 2020"], [], ["name", "age", "pay"], [SECRET, 30, 2.5], ["Bob", 41, 3]])
    made["A"].merge_cells("A1:C1")
    made.save(path)
    columns = [sl.Column(name="name", scale="text"), sl.Column(name="age", scale="discrete")]
    data = sl.read(path, sl.Schema(columns=[*columns, sl.Column(name="pay", scale="continuous")]))
    assert data.to_arrow()["pay"].to_pylist() == [2.5, 3.0]
    assert read_header(path)[2].skip == 2  # type: ignore[union-attr]


@pytest.mark.parametrize(("merged", "shown"), [("A4:A5", "A4:A5"), ("B3:C3", "B3:C3"), ("A1:A4", "A1:A4")])
def test_merged_cells_in_the_table(path: Path, merged: str, shown: str) -> None:
    made = book(path, A=[["Persons"], [], ["name", "age", "pay"], [SECRET, 30, 2.5], [SECRET, 41, 3]])
    made["A"].merge_cells(merged)
    made.save(path)
    (found,) = problems(path)
    assert (found.code, found.where) == ("merged-cells", str(path))
    assert found.message == f"cells of the table are merged, 1 time: {shown}"
    assert "unmerge them" in found.hint


def test_many_merged_cells_are_not_all_listed(path: Path) -> None:
    made = book(path, A=[["name", "age"], *[[SECRET, n] for n in range(40)]])
    for row in range(2, 32, 2):
        made["A"].merge_cells(f"A{row}:A{row + 1}")
    made.save(path)
    assert problems(path)[0].message.endswith("15 times: A2:A3, A4:A5, A6:A7, A8:A9, A10:A11 ...")


def test_merged_cells_of_libreoffice(tmp_path: Path) -> None:
    ods = tmp_path / "book.ods"
    wide = ' table:number-columns-spanned="2" table:number-rows-spanned="1"'
    title = f"<table:table-row>{cell('Title', wide)}<table:covered-table-cell/></table:table-row>"
    gap = '<table:table-row table:number-rows-repeated="2"><table:table-cell/></table:table-row>'
    rows = [[cell("name"), cell("age")], [cell(SECRET), cell("30")]]
    body = title + gap + "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows)
    assert table(opendocument(ods, body)) == [[], [], [], ["name", "age"], [SECRET, "30"]]
    tall = ' table:number-columns-spanned="1" table:number-rows-spanned="2"'
    opendocument(ods, body + f"<table:table-row>{cell('x')}{cell(SECRET, tall)}</table:table-row>")
    assert problems(ods)[0].message.endswith("1 time: B6:B7")


def test_words_among_numbers_are_named_by_their_rows(path: Path) -> None:
    rows = [["Persons"], [], ["name", "age", "born"], ["a", 1, dt.date(2020, 1, 1)], ["b\nb", SECRET, "1.2.2020"]]
    book(path, A=[*rows, ["c", 1.5, None], ["d", 4, SECRET]])
    columns = {"name": "text", "age": "discrete", "born": "time"}
    schema = sl.Schema(columns=[sl.Column(name=name, scale=scale) for name, scale in columns.items()])
    found = {problem.where: problem.message for problem in problems(path, schema)}
    assert found == {
        "age": "2 values are not a whole number: lines 5, 6",
        "born": "2 values are not a date: lines 5, 7",
    }


@pytest.mark.parametrize("suffix", [".xlsx", ".xlsb"])
def test_a_password(tmp_path: Path, suffix: str) -> None:
    path = encrypted(tmp_path / f"book{suffix}", SECRET.encode())
    (found,) = problems(path)
    assert (found.code, found.where) == ("encrypted", str(path))
    assert "without a password" in found.hint


@pytest.mark.parametrize("suffix", [".xlsx", ".xls", ".xlsb", ".ods"])
def test_files_that_are_no_workbooks(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"book{suffix}"
    book(tmp_path / "good.xlsx", A=[["name"], [SECRET]])
    good = (tmp_path / "good.xlsx").read_bytes()
    for content in (SECRET.encode() * 100, good[: len(good) // 2], good[:-10], b"PK\x03\x04" + SECRET.encode()):
        path.write_bytes(content)
        (found,) = problems(path)
        assert (found.code, found.where) == ("broken-file", str(path))
    path.write_bytes(b"")
    assert problems(path)[0].code == "empty-file"
    path.unlink()
    assert problems(path)[0].code == "no-file"


def test_nothing_is_left_behind(path: Path) -> None:
    book(path, A=[["name"], ["x"]])
    sl.read(path, sl.Schema(columns=[sl.Column(name="name", scale="text")]))
    assert list(path.parent.iterdir()) == [path]


def test_without_the_library(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book(path, A=[["name"], ["x"]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(EngineError, match=r'pip install "schleier\[io\]"'):
        Excel().unwrap(path, path.parent)


def test_addresses_of_cells() -> None:
    assert [_address(((0, n), (9, n))).split(":")[1] for n in (0, 25, 26, 701, 702)] == [
        "A10",
        "Z10",
        "AA10",
        "ZZ10",
        "AAA10",
    ]
