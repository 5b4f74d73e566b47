"""Titles above the header and dates written in several ways, on the way from text to Parquet."""

from __future__ import annotations

import datetime as dt
import traceback
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from schleier.core.errors import DataError, Problem, SchemaError
from schleier.core.schema import Column, Layout
from schleier.engine._ingest import csv_to_parquet

SECRET = "SECRETVALUE"
COLUMNS = [Column(name="a", scale="nominal"), Column(name="n", scale="discrete")]
TITLES = [
    "Title\n",
    "Title\n\n",
    "\n\n",
    'Report "x\n',
    '"Report\n',
    '"Report\nof 2020"\n',
    "Title, with, commas\n",
    "Title,\n,\n",
    "Größe\n",
]


def load(folder: Path, content: bytes, layout: Layout, columns: Sequence[Column] = COLUMNS) -> list[tuple[Any, ...]]:
    file, out = folder / "in.csv", folder / "out.parquet"
    file.write_bytes(content)
    out.unlink(missing_ok=True)
    work = folder / "work"
    work.mkdir(exist_ok=True)
    rows = csv_to_parquet(duckdb.connect(), file, layout, columns, [c.name for c in columns], out, work)
    table = pq.read_table(out)
    assert len(table) == rows
    assert list(work.iterdir()) == []
    return [tuple(row.values()) for row in table.to_pylist()]


def problems(folder: Path, content: bytes, layout: Layout, columns: Sequence[Column] = COLUMNS) -> list[Problem]:
    with pytest.raises(DataError) as caught:
        load(folder, content, layout, columns)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    return list(caught.value.problems)


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_titles_are_skipped(tmp_path: Path, title: str, line_break: str, encoding: str) -> None:
    text = (title + "a,n\nx,1\ny,2\n").replace("\n", line_break)
    layout = Layout(skip=title.count("\n"), encoding=encoding)
    assert load(tmp_path, text.encode(encoding), layout) == [("x", 1), ("y", 2)]


@pytest.mark.parametrize("others", [("\n", "\r\n"), ("\r\n", "\n"), ("\r", "\n"), ("\n", "\r")])
def test_a_title_may_end_with_another_line_break_than_the_table(tmp_path: Path, others: tuple[str, str]) -> None:
    """DuckDB alone would lose every row here."""
    title, table = others
    content = f"Title{title}{title}" + "a,n\nx,1\ny,2\n".replace("\n", table)
    assert load(tmp_path, content.encode(), Layout(skip=2)) == [("x", 1), ("y", 2)]


def test_titles_across_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for chunk, encoding in product((1, 2, 3, 7), ("cp1252", "utf-16", "utf-8")):
        monkeypatch.setattr("schleier.engine._ingest_text.CHUNK", chunk)
        content = 'one "title"\r\n\r\na,n\r\nä,1\r\n'.encode(encoding)
        assert load(tmp_path, content, Layout(skip=2, encoding=encoding)) == [("ä", 1)]


@pytest.mark.parametrize("title", TITLES)
def test_lines_are_counted_from_the_top_of_the_file(tmp_path: Path, title: str) -> None:
    skip = title.count("\n")
    (bad,) = problems(tmp_path, f"{title}a,n\nx,1\ny,{SECRET}\nz,3\n".encode(), Layout(skip=skip))
    assert (bad.code, bad.where) == ("not-a-number", "n")
    assert bad.message.endswith(f"line {skip + 3}")
    assert f"line {skip + 1} is the header" in bad.hint
    (wide,) = problems(tmp_path, f"{title}a,n\nx,1\ny,2,{SECRET}\n".encode(), Layout(skip=skip))
    assert (wide.code, wide.message.split(" does")[0]) == ("malformed-rows", f"line {skip + 3}")
    (mixed,) = problems(tmp_path, f"{title}a,n\nx,1\r\n{SECRET},2\n".encode(), Layout(skip=skip))
    assert mixed.message.startswith(f"line {skip + 2} ends with another line break")


def test_an_open_quote_below_a_title(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, f'Title\n\na,n\nx,1\n"{SECRET},2\n'.encode(), Layout(skip=2))
    assert found.message.startswith("line 5 has a quoted field")


def test_a_title_of_many_rows_and_threads(tmp_path: Path) -> None:
    rows = "".join(f"r{n},{n}\n" for n in range(300_000))
    found = load(tmp_path, f"Title\n\n\na,n\n{rows}".encode(), Layout(skip=3))
    assert found == [(f"r{n}", n) for n in range(300_000)]


@pytest.mark.parametrize("skip", [4, 5, 500])
def test_more_lines_to_skip_than_there_are(tmp_path: Path, skip: int) -> None:
    for layout in (Layout(skip=skip), Layout(skip=skip, encoding="cp1252")):
        (found,) = problems(tmp_path, b"Title\na,n\nx,1\ny,2\n", layout)
        assert (found.code, found.message) == ("unnamed-columns", f"line {skip + 1} holds no column names")


def test_a_note_below_the_table_is_never_dropped(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, f"Title\na,n\nx,1\ny,2\nSource: {SECRET}\n".encode(), Layout(skip=1))
    assert (found.code, found.message.split(" does")[0]) == ("malformed-rows", "line 5")
    assert load(tmp_path, b"Title\na,n\nx,1\n\n\n", Layout(skip=1)) == [("x", 1)]


def test_columns_with_dates_of_their_own(tmp_path: Path) -> None:
    columns = [
        Column(name="iso", scale="time"),
        Column(name="day", scale="time", date="%d.%m.%Y"),
        Column(name="moment", scale="time", date="%m/%d/%Y %H:%M"),
    ]
    rows = load(tmp_path, b"iso,day,moment\n2020-01-31,31.12.1999,02/01/2003 10:30\n", Layout(), columns)
    assert rows == [(dt.date(2020, 1, 31), dt.date(1999, 12, 31), dt.datetime(2003, 2, 1, 10, 30))]


def test_each_column_names_its_own_format(tmp_path: Path) -> None:
    columns = [Column(name="iso", scale="time"), Column(name="day", scale="time", date="%d.%m.%Y")]
    found = problems(tmp_path, f"iso,day\n31.12.1999,31.12.1999\n2020-01-31,{SECRET}\n".encode(), Layout(), columns)
    assert [(p.where, p.message.rsplit(" ", 1)[1], p.hint.split(":")[0]) for p in found] == [
        ("iso", "2", "dates are read as %Y-%m-%d"),
        ("day", "3", "dates are read as %d.%m.%Y"),
    ]


def test_every_format_that_is_none_is_named(tmp_path: Path) -> None:
    columns = [Column(name="a", scale="time", date="%Q"), Column(name="b", scale="time", date="")]
    with pytest.raises(SchemaError) as caught:
        load(tmp_path, b"a,b,a2\n1,2,3\n", Layout(date="%"), [*columns, Column(name="a2", scale="time")])
    assert [p.message for p in caught.value.problems] == [
        "'%Q' is no format of dates",
        "'' is no format of dates",
        "'%' is no format of dates",
    ]


GROUPED = [
    ("1.234", 1234),
    ("-1.234.567", -1234567),
    ("12.345.678.901.234.567", 12345678901234567),
    ("9.223.372.036.854.775.807", 2**63 - 1),
]


@pytest.mark.parametrize(("text", "number"), GROUPED)
def test_grouped_numbers(tmp_path: Path, text: str, number: int) -> None:
    layout = Layout(delimiter=";", decimal=",", thousands=".")
    assert load(tmp_path, f"a;n\nx;{text}\n".encode(), layout) == [("x", number)]
    continuous = [Column(name="a", scale="nominal"), Column(name="n", scale="continuous", missing=(-9, 1234.5))]
    rows = load(tmp_path, f"a;n\nx;{text}\ny;1.234,5\nz;-9,0\n".encode(), layout, continuous)
    assert rows == [("x", float(number)), ("y", None), ("z", None)]


@pytest.mark.parametrize("text", ["9.223.372.036.854.775.808", "0.123", "1.23", "1.2345", "1..234", ".123", "1.234."])
def test_what_is_not_grouped_properly(tmp_path: Path, text: str) -> None:
    layout = Layout(delimiter=";", decimal=",", thousands=".")
    assert [p.code for p in problems(tmp_path, f"a;n\nx;{text}\n".encode(), layout)] == ["not-a-number"]


@pytest.mark.parametrize(
    "text", ["0.123,5", "1.23,5", "1.2345,6", "1.234,5.6", "1_0,5", "1,234.5", "inf", "1.234e5.000"]
)
def test_what_is_no_german_number(tmp_path: Path, text: str) -> None:
    layout = Layout(delimiter=";", decimal=",", thousands=".")
    columns = [Column(name="a", scale="nominal"), Column(name="n", scale="continuous")]
    assert [p.code for p in problems(tmp_path, f"a;n\nx;{text}\n".encode(), layout, columns)] == ["not-a-number"]
