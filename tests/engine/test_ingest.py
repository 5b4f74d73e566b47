"""Text files become typed Parquet files, strictly, and say everything that is wrong without a value."""

from __future__ import annotations

import datetime as dt
import re
import stat
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.errors import DataError, Problem, SchemaError
from schleier.core.schema import Column, Layout
from schleier.engine._ingest import csv_to_parquet
from schleier.engine._ingest_fields import TypedField
from schleier.engine._ingest_text import count_records

PLAIN = Layout()
GERMAN = Layout(delimiter=";", decimal=",", thousands=".", date="%d.%m.%Y")
SECRET = "SECRETVALUE"

Missing = tuple[int | float | str, ...]


def column(name: str, scale: str, missing: Missing = ()) -> Column:
    return Column.model_validate({"name": name, "scale": scale, "missing": missing})


class Desk:
    """A folder with one text file and a connection."""

    def __init__(self, folder: Path) -> None:
        self.file, self.out, self.work = folder / "in.csv", folder / "out.parquet", folder / "work"
        self.work.mkdir()
        self.connection = duckdb.connect()

    def load(
        self, content: str | bytes, columns: Sequence[Column], layout: Layout = PLAIN, keep: Sequence[str] = ()
    ) -> list[tuple[Any, ...]]:
        self.file.write_bytes(content if isinstance(content, bytes) else content.encode())
        keep = keep or [column.name for column in columns]
        rows = csv_to_parquet(self.connection, self.file, layout, columns, keep, self.out, self.work)
        table = pq.read_table(self.out)
        assert table.column_names == list(keep)
        assert len(table) == rows
        assert list(self.work.iterdir()) == []
        return [tuple(row.values()) for row in table.to_pylist()]

    def problems(self, content: str | bytes, columns: Sequence[Column], layout: Layout = PLAIN) -> list[Problem]:
        with pytest.raises(DataError) as caught:
            self.load(content, columns, layout)
        shown = "".join(traceback.format_exception(caught.value))
        assert SECRET not in shown
        assert caught.value.__context__ is None
        assert not self.out.exists()
        assert list(self.work.iterdir()) == []
        return list(caught.value.problems)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def one(values: Sequence[str]) -> str:
    """A file whose first column holds these values as they are."""
    return "\n".join(["v;z", *(f"{value};z" for value in values)]) + "\n"


def semicolons(layout: Layout = PLAIN, **fields: Any) -> Layout:
    return layout.model_copy(update={"delimiter": ";", **fields})


AB = [column("a", "nominal"), column("b", "nominal")]
TYPED = [column("i", "discrete"), column("x", "continuous"), column("d", "time"), column("t", "nominal")]


def test_types_and_order(desk: Desk) -> None:
    content = "i,x,d,t,other\n5,1.5,2020-01-31,01067,x\n-7,2,1999-12-01, b ,y\n"
    assert desk.load(content, TYPED) == [
        (5, 1.5, dt.date(2020, 1, 31), "01067"),
        (-7, 2.0, dt.date(1999, 12, 1), " b "),
    ]
    kinds = dict(zip(pq.read_schema(desk.out).names, map(str, pq.read_schema(desk.out).types), strict=True))
    assert kinds == {"i": "int64", "x": "double", "d": "date32[day]", "t": "string"}


def test_every_scale_has_its_type(desk: Desk) -> None:
    scales = ["nominal", "ordinal", "discrete", "continuous", "time", "place", "text"]
    columns = [column(f"c{place}", scale) for place, scale in enumerate(scales)]
    desk.load("c0,c1,c2,c3,c4,c5,c6\n1,1,1,1,2020-01-01,1,1\n", columns)
    types = [str(kind) for kind in pq.read_schema(desk.out).types]
    assert types == ["string", "string", "int64", "double", "date32[day]", "string", "string"]


def test_only_what_is_kept_in_that_order_with_the_key_as_text(desk: Desk) -> None:
    columns = [column("x", "continuous"), column("t", "nominal")]
    rows = desk.load("key,t,x,rest\n007,a,1.5,bad\n008,b,2.5,bad\n", columns, keep=["x", "key", "t"])
    assert rows == [(1.5, "007", "a"), (2.5, "008", "b")]


def test_empty_and_missing(desk: Desk) -> None:
    content = 'i,x,d,t\n,,,\n"","","",""\n  ,\t, ,  \n'
    assert desk.load(content, TYPED) == [(None,) * 4, (None, None, None, ""), (None, None, None, "  ")]


def test_missing_codes(desk: Desk) -> None:
    columns = [
        column("i", "discrete", (-9, 98.0, "NA", "77")),
        column("x", "continuous", (-9, 99.5, ".")),
        column("d", "time", ("9999-12-31", "k.A.", -9)),
        column("t", "nominal", (9, 8.0, "k.A.", "it's")),
    ]
    content = "\n".join(
        [
            "i,x,d,t",
            "-9,-9,9999-12-31,9",
            "-9.0,-9.000,k.A.,8",
            "98,99.5, k.A. ,8.0",
            " NA , . ,-9,it's",
            "77,99.50,,k.A.",
            "-90,9,2020-01-01, 9",
            "9,-99.5,2020-01-02,09",
        ]
    )
    rows = desk.load(content, columns)
    assert rows[:5] == [(None,) * 4] * 5
    assert rows[5:] == [(-90, 9.0, dt.date(2020, 1, 1), " 9"), (9, -99.5, dt.date(2020, 1, 2), "09")]


def test_codes_that_cannot_be_values_do_no_harm(desk: Desk) -> None:
    columns = [column("i", "discrete", (10**30, 1.5)), column("x", "continuous", (10**30,))]
    assert desk.load(f"i,x\n{10**30},1e30\n1,1\n", columns) == [(None, None), (1, 1.0)]


@pytest.mark.parametrize(
    ("layout", "text", "number"),
    [
        (PLAIN, "1234.5", 1234.5),
        (PLAIN, "+1.5", 1.5),
        (PLAIN, " -1.5 ", -1.5),
        (PLAIN, "\u00a01.5\u202f", 1.5),
        (PLAIN, ".5", 0.5),
        (PLAIN, "5.", 5.0),
        (PLAIN, "1e-5", 1e-5),
        (PLAIN, "1.5E+300", 1.5e300),
        (PLAIN, "007.50", 7.5),
        (GERMAN, "1234,5", 1234.5),
        (GERMAN, "1.234,5", 1234.5),
        (GERMAN, "-1.234.567,25", -1234567.25),
        (GERMAN, "1.234", 1234.0),
        (GERMAN, " 1.234 ", 1234.0),
        (GERMAN, ",5", 0.5),
        (GERMAN, "1,5e-3", 0.0015),
        (Layout(thousands=","), "1,234.56", 1234.56),
        (Layout(thousands="'"), "1'234.56", 1234.56),
        (Layout(thousands="'"), "1’234’567", 1234567.0),
        (Layout(thousands=" ", decimal=","), "1 234,56", 1234.56),
        (Layout(thousands=" ", decimal=","), "1\u202f234\u00a0567,5", 1234567.5),
        (Layout(decimal=","), "1234,56", 1234.56),
    ],
)
def test_numbers(desk: Desk, layout: Layout, text: str, number: float) -> None:
    assert desk.load(one([text]), [column("v", "continuous")], semicolons(layout)) == [(number,)]


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (PLAIN, "1,5"),
        (PLAIN, "1,234.5"),
        (PLAIN, "1_000"),
        (PLAIN, "nan"),
        (PLAIN, "NaN"),
        (PLAIN, "inf"),
        (PLAIN, "-Infinity"),
        (PLAIN, "1e400"),
        (PLAIN, "9" * 400),
        (PLAIN, "0x1F"),
        (PLAIN, "5 5"),
        (PLAIN, "5%"),
        (PLAIN, "-"),
        (PLAIN, "."),
        (PLAIN, "e5"),
        (PLAIN, "1e"),
        (PLAIN, "--5"),
        (PLAIN, "5-"),
        (PLAIN, "٣"),
        (PLAIN, "true"),
        (PLAIN, "NULL"),
        (PLAIN, "1\0"),
        (GERMAN, "1.5"),
        (GERMAN, "0.123"),
        (GERMAN, "1.23"),
        (GERMAN, "1.2345"),
        (GERMAN, "1234.567"),
        (GERMAN, "1.234.5"),
        (GERMAN, "1,234,567"),
        (GERMAN, "1,5.000"),
        (GERMAN, ".123"),
        (GERMAN, "1..234"),
        (GERMAN, "1_0,5"),
        (GERMAN, "nan"),
        (GERMAN, "1'234"),
        (Layout(decimal=","), "1.234"),
        (Layout(decimal=","), "1.5"),
        (Layout(thousands="'"), "1'23"),
        (Layout(thousands=" "), "1 23"),
        (Layout(thousands=" "), "1  234"),
    ],
    ids=range(40),
)
def test_what_is_no_number(desk: Desk, layout: Layout, text: str) -> None:
    (problem,) = desk.problems(one(["7", text]), [column("v", "continuous")], semicolons(layout))
    assert (problem.code, problem.where) == ("not-a-number", "v")
    assert problem.message == "1 value is not a number: line 3"


@pytest.mark.parametrize(
    ("layout", "text", "number"),
    [
        (PLAIN, "5", 5),
        (PLAIN, "-0", 0),
        (PLAIN, "+5", 5),
        (PLAIN, " 5\t", 5),
        (PLAIN, "005", 5),
        (PLAIN, "5.0", 5),
        (PLAIN, "5.", 5),
        (PLAIN, "5.000", 5),
        (PLAIN, "1e+05", 100_000),
        (PLAIN, "9223372036854775807", 2**63 - 1),
        (PLAIN, "-9223372036854775808", -(2**63)),
        (PLAIN, "9007199254740993.0", 2**53 + 1),
        (GERMAN, "1.234", 1234),
        (GERMAN, "1.234.567,00", 1234567),
        (GERMAN, "5,0", 5),
        (Layout(thousands="'"), "1'000", 1000),
    ],
)
def test_whole_numbers(desk: Desk, layout: Layout, text: str, number: int) -> None:
    assert desk.load(one([text]), [column("v", "discrete")], semicolons(layout)) == [(number,)]


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (PLAIN, "5.7"),
        (PLAIN, ".5"),
        (PLAIN, "5.0001"),
        (PLAIN, "1e-3"),
        (PLAIN, "1.5e3"),
        (PLAIN, "0x1F"),
        (PLAIN, "0b1"),
        (PLAIN, "1_000"),
        (PLAIN, "9223372036854775808"),
        (PLAIN, "1e30"),
        (PLAIN, "nan"),
        (PLAIN, "5,0"),
        (GERMAN, "5.0"),
        (GERMAN, "1.5"),
        (GERMAN, "1.234,5"),
    ],
)
def test_what_is_no_whole_number(desk: Desk, layout: Layout, text: str) -> None:
    (problem,) = desk.problems(one([text]), [column("v", "discrete")], semicolons(layout))
    assert (problem.code, problem.message) == ("not-a-number", "1 value is not a whole number: line 2")
    assert problem.hint is not None and 'scale = "continuous"' in problem.hint


@pytest.mark.parametrize(
    ("form", "text", "moment"),
    [
        ("%Y-%m-%d", "2020-02-29", dt.date(2020, 2, 29)),
        ("%Y-%m-%d", " 1900-01-01 ", dt.date(1900, 1, 1)),
        ("%d.%m.%Y", "1.2.2020", dt.date(2020, 2, 1)),
        ("%d.%m.%y", "31.12.99", dt.date(1999, 12, 31)),
        ("%m/%d/%Y", "12/31/1999", dt.date(1999, 12, 31)),
        ("%d.%m.%Y %H:%M", "31.12.1999 23:59", dt.datetime(1999, 12, 31, 23, 59)),
        ("%Y-%m-%dT%H:%M:%S", "1999-12-31T23:59:58", dt.datetime(1999, 12, 31, 23, 59, 58)),
        ("%Y-%m-%d %H:%M:%S.%f", "1999-12-31 23:59:58.25", dt.datetime(1999, 12, 31, 23, 59, 58, 250_000)),
    ],
)
def test_dates(desk: Desk, form: str, text: str, moment: dt.date) -> None:
    assert desk.load(one([text]), [column("v", "time")], semicolons(date=form)) == [(moment,)]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("%Y-%m-%d", "2020-02-30"),
        ("%Y-%m-%d", "31.12.1999"),
        ("%Y-%m-%d", "20-01-31"),
        ("%Y-%m-%d", "2020-01-31 10:00"),
        ("%Y-%m-%d", "infinity"),
        ("%Y-%m-%d", "-Infinity"),
        ("%Y-%m-%d", "epoch"),
        ("%Y-%m-%d", "today"),
        ("%d.%m.%Y", "31.12.99"),
        ("%d.%m.%Y", "12/31/1999"),
        ("%m/%d/%Y", "31/12/1999"),
        ("%d.%m.%Y %H:%M", "31.12.1999"),
        ("%d.%m.%Y %H:%M", "epoch"),
        ("%Y-%m-%d", SECRET),
    ],
    ids=range(14),
)
def test_what_is_no_date(desk: Desk, form: str, text: str) -> None:
    (problem,) = desk.problems(one([text]), [column("v", "time")], semicolons(date=form))
    assert (problem.code, problem.message) == ("not-a-date", "1 value is not a date: line 2")
    assert form in problem.hint


def test_every_bad_column_with_count_and_first_lines(desk: Desk) -> None:
    rows = [f"{n},{n}.5,2020-01-01,t" for n in range(3000)]
    for n in (0, 7, 8, 1500, 2000, 2999):
        rows[n] = f"{SECRET}{n},{n}.5,2020-01-01,{SECRET}"
    rows[10] = f'"{SECRET}\n,two lines",1,{SECRET},t'
    rows[20] = f"1,{SECRET},2020-01-01,t"
    found = desk.problems("\n".join(["i,x,d,t", *rows]), TYPED)
    assert [(problem.code, problem.where, problem.message) for problem in found] == [
        ("not-a-number", "i", "7 values are not a whole number: lines 2, 9, 10, 12, 1502 ..."),
        ("not-a-number", "x", "1 value is not a number: line 22"),
        ("not-a-date", "d", "1 value is not a date: line 12"),
    ]
    assert all("line 1 is the header" in problem.hint for problem in found)


def test_bad_values_in_columns_nobody_wants_do_not_matter(desk: Desk) -> None:
    assert desk.load("a,b,c\n1,2,\xff\n".encode("latin-1"), AB) == [("1", "2")]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_breaks_quotes_and_marks(desk: Desk, line_break: str, end: bool, mark: str) -> None:
    records = ['"a",b', f'"one{line_break}two","say ""x"""', "1,2", '"x,y"," "', ',""']
    content = mark + line_break.join(records) + (line_break if end else "")
    expected = [(f"one{line_break}two", 'say "x"'), ("1", "2"), ("x,y", " "), (None, "")]
    assert desk.load(content.encode(), AB) == expected


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "\ufeffa,b\r\n"])
def test_a_header_alone_is_no_rows(desk: Desk, content: str) -> None:
    assert desk.load(content, [column("a", "discrete"), column("b", "time")]) == []
    assert [str(kind) for kind in pq.read_schema(desk.out).types] == ["int64", "date32[day]"]


def test_one_column_one_row(desk: Desk) -> None:
    assert desk.load("a\n5", [column("a", "discrete")]) == [(5,)]
    assert desk.load("a\n5\n\n6\n", [column("a", "discrete")]) == [(5,), (None,), (6,)]


def test_layout_without_quotes(desk: Desk) -> None:
    assert desk.load('a,b\n"x,5" tall\n', AB, Layout(quote="")) == [('"x', '5" tall')]


def test_single_quotes(desk: Desk) -> None:
    assert desk.load("'a';'b'\n'x;y';'it''s'\n", AB, semicolons(quote="'")) == [("x;y", "it's")]


def test_names_need_not_be_nice(desk: Desk) -> None:
    names = ['say "x"', "it's", "line\nbreak", "_bad", "c1", "select", "Straße", "v0"]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    columns = [column(name, "discrete") for name in names]
    assert desk.load(f"{header}\n{','.join('12345678')}\n", columns) == [tuple(range(1, 9))]


@pytest.mark.parametrize("name", ["a*.csv", "a[1].csv", "a?.csv", "it's.csv", "a.csv.gz", "year=2020/a.csv"])
def test_file_names_are_no_patterns(desk: Desk, name: str) -> None:
    folder = desk.file.parent
    (folder / "a1.csv").write_text("a,b\nwrong,file\n")
    desk.file, desk.out = folder / name, folder / "some*[1]'s.parquet"
    desk.file.parent.mkdir(exist_ok=True)
    assert desk.load("a,b\n1,2\n", AB) == [("1", "2")]


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "cp850", "utf-8-sig", "UTF8"]
)
def test_encodings(desk: Desk, encoding: str) -> None:
    content = "größe;b\nÄöü;1,5\n" + "ß;2\n" * 1000
    columns = [column("größe", "nominal"), column("b", "continuous")]
    rows = desk.load(content.encode(encoding), columns, semicolons(GERMAN, encoding=encoding))
    assert rows == [("Äöü", 1.5), *[("ß", 2.0)] * 1000]


def test_characters_across_chunks(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.engine._ingest_text.CHUNK", 7)
    content = "a,b\n" + "𝄞ü,€\n" * 20
    for encoding in ("utf-16", "utf-8-sig"):
        assert desk.load(content.encode(encoding), AB, Layout(encoding=encoding)) == [("𝄞ü", "€")] * 20


def test_the_copy_in_utf_8_is_private(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = []
    original = Path.unlink

    def look(path: Path, missing_ok: bool = False) -> None:
        if path.parent == desk.work and path.exists():
            modes.append(stat.S_IMODE(path.stat().st_mode))
        original(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", look)
    desk.load("a,b\nä,1\n".encode("latin-1"), AB, Layout(encoding="latin-1"))
    assert modes == [0o600]
    assert stat.S_IMODE(desk.out.stat().st_mode) == 0o600


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii", "utf-16-le"])
@pytest.mark.parametrize("chunk", [5, 1 << 22])
def test_bytes_that_are_no_text(desk: Desk, monkeypatch: pytest.MonkeyPatch, encoding: str, chunk: int) -> None:
    monkeypatch.setattr("schleier.engine._ingest_text.CHUNK", chunk)
    broken = {"utf-8": b"\xff", "cp1252": b"\x81", "ascii": b"\xff", "utf-16-le": b"\x00\xdc"}[encoding]
    head = "".join(["a,b\n", "x,1\n" * 400, SECRET]).encode(encoding)
    tail = ",2\nx,3\n".encode(encoding)
    (problem,) = desk.problems(head + broken + tail, AB, Layout(encoding=encoding))
    assert problem.code == "broken-encoding"
    assert problem.message == f"line 402 is not {encoding} text"
    assert "encoding" in problem.hint


def test_bytes_that_are_no_utf_8_far_behind_any_sample(desk: Desk) -> None:
    content = b"a,b\n" + b"some text,1\n" * 300_000 + SECRET.encode() + b"\xfc,1\n"
    (problem,) = desk.problems(content, AB)
    assert (problem.code, problem.message) == ("broken-encoding", "line 300002 is not utf-8 text")


def test_utf_16_without_its_mark(desk: Desk) -> None:
    (problem,) = desk.problems("a,b\n1,2\n".encode("utf-16-le"), AB, Layout(encoding="utf-16"))
    assert problem.code == "broken-encoding"


@pytest.mark.parametrize("encoding", ["klingon", "hex"])
def test_unknown_encodings(desk: Desk, encoding: str) -> None:
    with pytest.raises(SchemaError) as caught:
        desk.load("a,b\n", AB, Layout(encoding=encoding))
    assert caught.value.problems[0].code == "unknown-encoding"


@pytest.mark.parametrize(
    ("rows", "line", "said"),
    [
        (f"1,2\n3,4,{SECRET}\n5,6\n", 3, "does not have 2 fields"),
        (f"1,2\n{SECRET}\n5,6\n", 3, "does not have 2 fields"),
        (f'"x\ny",2\n"x\n\ny",4,{SECRET}\n', 3, "does not have 2 fields"),
        (f'1,2\n3,"{SECRET}\n5,6\n', 3, "not closed"),
        (f'1,"{SECRET}', 2, "not closed"),
        (f'1,2\n3,4\n"{SECRET}', 4, "not closed"),
        (f'1,2\n"{SECRET}"x,4\n5,6\n', 3, "not closed"),
        (f"1,2\n{SECRET},4\r\n5,6\n", 3, "another line break"),
        (f"1,2\n3,4\r{SECRET},6\n", 3, "another line break"),
        (f"1,2\n3,{SECRET}{'x' * 3_000_000}\n", 3, "too long"),
    ],
    ids=range(10),
)
def test_malformed_rows(desk: Desk, rows: str, line: int, said: str) -> None:
    (problem,) = desk.problems("a,b\n" + rows, AB)
    assert problem.code == "malformed-rows"
    assert problem.message.startswith(f"line {line} ")
    assert said in problem.message


def test_breaks_inside_quotes_are_no_other_breaks(desk: Desk) -> None:
    (problem,) = desk.problems('a,b\n"x\r\n\r\ny",2\n3,4\r\n', AB)
    assert problem.message == "line 3 ends with another line break than the header"


def test_the_first_of_two_faults_is_named(desk: Desk) -> None:
    (problem,) = desk.problems("a,b\n1,2,3\n4,5\r\n", AB)
    assert problem.message == "line 2 does not have 2 fields like the header"


def test_malformed_rows_come_before_bad_values(desk: Desk) -> None:
    (problem,) = desk.problems(f"a,b\n{SECRET},1\n1,2,3\n", [column("a", "discrete"), column("b", "discrete")])
    assert problem.code == "malformed-rows"


def test_nul_bytes(desk: Desk) -> None:
    (problem,) = desk.problems(f"a,b\n1,2\n3,{SECRET}\0\n".encode(), AB)
    assert (problem.code, problem.where, problem.message) == ("nul-bytes", "b", "1 value holds a NUL byte: line 3")


@pytest.mark.parametrize("content", ["", "\n", "\n\na,b\n1,2\n"])
def test_no_header(desk: Desk, content: str) -> None:
    (problem,) = desk.problems(content, AB)
    assert problem.code == "unnamed-columns"


def test_columns_that_are_not_there_or_not_one(desk: Desk) -> None:
    columns = [*AB, column("nowhere", "nominal"), column("C", "nominal"), column("c", "nominal")]
    found = desk.problems("a,b,b,c,C\n1,2,3,4,5\n", columns)
    assert [(p.code, p.message.split("'")[1]) for p in found] == [
        ("duplicate-columns", "b"),
        ("missing-column", "nowhere"),
        ("duplicate-columns", "C"),
        ("duplicate-columns", "c"),
    ]


@pytest.mark.parametrize(
    "layout", [Layout(delimiter='"'), Layout(delimiter="\n"), Layout(date="%Q"), Layout(date=""), Layout(date="%")]
)
def test_layouts_that_cannot_be(desk: Desk, layout: Layout) -> None:
    with pytest.raises(SchemaError) as caught:
        desk.load("a,b\n1,2\n", [column("a", "time")], layout)
    assert caught.value.problems[0].code == "bad-layout"


def test_file_order_is_kept_whatever_the_connection_prefers(desk: Desk) -> None:
    desk.connection.execute("SET preserve_insertion_order = false")
    desk.connection.execute("SET threads = 4")
    rows = 600_000
    content = "a,b\n" + "".join(f"{n},some text that fills the row\n" for n in range(rows))
    assert [a for a, _ in desk.load(content, [column("a", "discrete"), AB[1]])] == list(range(rows))
    assert desk.connection.execute("SELECT current_setting('preserve_insertion_order')").fetchone() == (False,)


def cut() -> list[tuple[int, str, str]]:
    """Rows with long texts that look like rows, wherever DuckDB may cut the file for its threads: there it errs."""
    look_alike = "7,8,z\n" * 250_000
    return [(n, look_alike if n % 3 else "p", "e") for n in range(36)]


def as_csv(rows: Sequence[tuple[int, str, str]]) -> bytes:
    return "".join(["a,b,c\n", *(f'{a},"{b}",{c}\n' for a, b, c in rows)]).encode()


ABC = [column("a", "discrete"), column("b", "text"), column("c", "nominal")]


@pytest.fixture
def recounts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bool]]:
    """What the count of records gave, each time DuckDB had to read without threads."""
    found: list[tuple[int, bool]] = []

    def note(path: Path, layout: Layout) -> tuple[int, bool]:
        found.append(count_records(path, layout))
        return found[-1]

    monkeypatch.setattr("schleier.engine._ingest.count_records", note)
    return found


def test_line_breaks_in_quotes_where_the_file_is_cut(desk: Desk, recounts: list[tuple[int, bool]]) -> None:
    rows = cut()
    assert desk.load(as_csv(rows), ABC) == rows
    assert recounts == [(37, True)], "DuckDB did not err: this test tests nothing"


def test_an_open_quote_after_such_a_cut_is_not_lost(desk: Desk, recounts: list[tuple[int, bool]]) -> None:
    (problem,) = desk.problems(as_csv(cut()) + f'36,"{SECRET}\n'.encode(), ABC)
    assert problem.code == "malformed-rows"
    assert problem.message == "line 38 has a quoted field that is not closed properly"
    assert recounts == [(37, False)]


def test_bad_values_after_such_a_cut_are_found(desk: Desk) -> None:
    (problem,) = desk.problems(as_csv(cut()) + f"{SECRET},b,c\n".encode(), ABC)
    assert problem.message == "1 value is not a whole number: line 38"


def test_disk_errors_are_not_taken_for_bad_data(desk: Desk) -> None:
    desk.out = desk.out.parent / "no such folder" / "out.parquet"
    with pytest.raises(OSError):
        desk.load("a,b\n1,2\n", AB)


@pytest.mark.parametrize("scale", ["discrete", "continuous", "nominal"])
def test_a_wide_file(desk: Desk, scale: str) -> None:
    names = [f"n{place}" for place in range(2000)]
    content = f"{','.join(names)}\n{','.join(str(place % 97) for place in range(2000))}\n"
    (row,) = desk.load(content, [column(name, scale) for name in names])
    assert [int(value) for value in row] == [place % 97 for place in range(2000)]


@pytest.mark.parametrize("cells", ["x,y", 'x,"y"', '"x, ,",é', ",NA"])
def test_texts_of_a_wide_file_are_those_of_a_narrow_one(
    desk: Desk, cells: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = [column("a", "nominal"), column("b", "nominal", ("NA",))]
    narrow = desk.load(f"a,b\n{cells}\n", columns)
    monkeypatch.setattr("schleier.engine._ingest.WIDE", 2)
    assert desk.load(f"a,b\n{cells}\n", columns) == narrow


def test_nul_bytes_of_a_wide_file(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.engine._ingest.WIDE", 2)
    monkeypatch.setattr("schleier.engine._ingest.PART", 4)
    (problem,) = desk.problems(f"a,b\n1,2\n3,{SECRET}\0\n".encode(), [column("a", "nominal"), column("b", "nominal")])
    assert (problem.code, problem.where, problem.message) == ("nul-bytes", "b", "1 value holds a NUL byte: line 3")


@pytest.mark.parametrize("scale", ["discrete", "continuous", "time", "nominal"])
@pytest.mark.parametrize("layout", [PLAIN, GERMAN, Layout(thousands="'"), Layout(thousands=" ", decimal=",")])
@pytest.mark.parametrize("missing", [(), (9,), (9, 99), ("NA",), ("NA", "9"), (9, "NA", 1.5)])
def test_no_two_columns_look_alike_to_the_planner(scale: str, layout: Layout, missing: Missing) -> None:
    # A column that occurs an even number of times drops out of DuckDB's hash: see Field._case.
    field = TypedField("c1", column("n", scale, missing), layout)
    for sql in (field.value("v1"), field.bad("v1", "line")):
        assert len(re.findall(r"\bc1\b", sql)) % 2 == 1


def test_all_bad_columns_are_named(desk: Desk) -> None:
    columns = [column(f"n{place}", "discrete") for place in range(300)]
    content = ",".join(c.name for c in columns) + "\n" + ",".join([SECRET] * 300) + "\n"
    assert [problem.where for problem in desk.problems(content, columns)] == [c.name for c in columns]


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """One desk for all examples of a property."""
    return Desk(tmp_path_factory.mktemp("desk"))


german = (
    st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e9, 1e9) | st.integers(-(10**12), 10**12).map(float)
)


def in_german(number: float, grouped: bool) -> str:
    text = repr(number)
    whole, _, rest = text.partition(".")
    if grouped and "e" not in whole:
        whole = f"{int(whole):,}".replace(",", ".") if int(whole) else whole
    return f"{whole},{rest}" if rest else whole


@given(st.lists(st.tuples(german, st.booleans()), min_size=1, max_size=50))
def test_german_numbers_come_back_equal(lasting: Desk, numbers: list[tuple[float, bool]]) -> None:
    content = one([in_german(number, grouped) for number, grouped in numbers])
    read = lasting.load(content, [column("v", "continuous")], GERMAN)
    assert [value for (value,) in read] == [number for number, _ in numbers]


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.sampled_from([".", ",", " ", "'", ""])), min_size=1))
def test_grouped_whole_numbers_come_back_equal(lasting: Desk, numbers: list[tuple[int, str]]) -> None:
    for mark in {mark for _, mark in numbers}:
        mine = [number for number, own in numbers if own == mark]
        layout = Layout(delimiter=";", thousands=mark, decimal="," if mark == "." else ".")  # type: ignore[arg-type]
        read = lasting.load(
            one([f"{number:,}".replace(",", mark) for number in mine]), [column("v", "discrete")], layout
        )
        assert [value for (value,) in read] == mine


texts = st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(texts, texts, st.integers(-99, 99)), min_size=1), st.sampled_from(["\n", "\r\n"]))
def test_any_text_comes_back_equal(
    lasting: Desk, rows: list[tuple[str | None, str | None, int]], line_break: str
) -> None:
    def field(text: str | None) -> str:
        return "" if text is None else '"' + text.replace('"', '""') + '"'

    lines = [f"{field(a)},{field(b)},{n}" for a, b, n in rows]
    columns = [*AB, column("n", "discrete")]
    assert lasting.load(line_break.join(["a,b,n", *lines]), columns) == rows
