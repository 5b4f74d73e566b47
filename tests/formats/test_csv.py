"""CSV headers and what is written."""

from __future__ import annotations

import csv
import datetime as dt
import decimal
import errno
import os
import traceback
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.errors import DataError, SchemaError, SchleierError, WriteError
from schleier.core.schema import Layout
from schleier.formats.csv import Csv

GERMAN = Layout(delimiter=";", decimal=",", thousands=".", date="%d.%m.%Y")
SECRET = "SECRETVALUE"


def file(tmp_path: Path, content: bytes | str) -> Path:
    path = tmp_path / "some.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def codes(error: SchleierError) -> list[str]:
    return [problem.code for problem in error.problems]


def written(tmp_path: Path, columns: dict[str, Any], layout: Layout | None = None) -> str:
    batch = pa.record_batch(columns)
    path = tmp_path / "out.csv"
    Csv().write([batch], batch.schema, path, layout)
    return path.read_bytes().decode(layout.encoding if layout else "utf-8")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("a,b", ["a", "b"]),
        ("\ufeffa,b\r\n", ["a", "b"]),
        ('"a,b","c\nd","e""f"\n', ["a,b", "c\nd", 'e"f']),
        ("Größe,b\n", ["Größe", "b"]),
        (" a ,b\n", [" a ", "b"]),
        ("a\n", ["a"]),
        ("a,A\n", ["a", "A"]),
    ],
)
def test_header(tmp_path: Path, content: str, names: list[str]) -> None:
    assert Csv().header(file(tmp_path, content), Layout()) == dict.fromkeys(names, "text")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "UTF8", "cp1252", "Latin-1"])
def test_header_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    path = file(tmp_path, "Größe;b\n1;2\n".encode(encoding))
    assert list(Csv().header(path, Layout(delimiter=";", encoding=encoding))) == ["Größe", "b"]


def test_a_mark_is_skipped_under_any_spelling_of_utf_8(tmp_path: Path) -> None:
    path = file(tmp_path, b"\xef\xbb\xbfa,b\n")
    for encoding in ("utf-8", "UTF-8", "utf8", "utf-8-sig"):
        assert list(Csv().header(path, Layout(encoding=encoding))) == ["a", "b"]


def test_header_detects_the_layout_when_none_is_given(tmp_path: Path) -> None:
    assert list(Csv().header(file(tmp_path, "a;b\n1,5;2\n"))) == ["a", "b"]


def test_header_reads_no_row(tmp_path: Path) -> None:
    path = file(tmp_path, b"a,b\n" + b"1,2\n" * 100_000 + b'\xff\xff,"\n')
    assert list(Csv().header(path, Layout())) == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty-file"),
        (b"\n", "unnamed-columns"),
        (b",,\n1,2,3\n", "unnamed-columns"),
        (b"a, ,b\n1,2,3\n", "unnamed-columns"),
        (b"a,b,\n1,2,3\n", "unnamed-columns"),
        (f"{SECRET},b,{SECRET}\n".encode(), "duplicate-columns"),
        (f"{SECRET}\xff,b\n".encode("latin-1"), "broken-encoding"),
        (f"{SECRET},b\n".encode("utf-16"), "broken-encoding"),
        (f"{SECRET}\0,b\n".encode(), "broken-encoding"),
        (f"{SECRET}{'x' * 200_000},b\n".encode(), "malformed-rows"),
    ],
    ids=range(10),  # the folder of a test is named after its id, and messages name the file
)
def test_bad_headers(tmp_path: Path, content: bytes, code: str) -> None:
    with pytest.raises(DataError) as caught:
        Csv().header(file(tmp_path, content), Layout())
    assert codes(caught.value) == [code]
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_all_problems_of_a_header_at_once_by_place(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        Csv().header(file(tmp_path, "a,,b,a,,a\n"), Layout())
    assert [problem.message for problem in caught.value.problems] == [
        "2 columns have no name: columns 2, 5",
        "2 columns repeat an earlier name: columns 4, 6",
    ]


def test_files_that_are_not_there_or_not_files(tmp_path: Path) -> None:
    with pytest.raises(DataError) as missing:
        Csv().header(tmp_path / "nowhere.csv")
    with pytest.raises(DataError) as folder:
        Csv().detect(tmp_path)
    assert (codes(missing.value), codes(folder.value)) == (["no-file"], ["unreadable"])


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:  # root may read everything, so permissions alone would not do
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    path = file(tmp_path, "a,b\n")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError) as caught:
        Csv().header(path)
    assert codes(caught.value) == ["unreadable"]
    assert "permission denied" in str(caught.value)


@pytest.mark.parametrize("encoding", ["klingon", "hex"])
def test_unknown_encodings(tmp_path: Path, encoding: str) -> None:
    layout, batch = Layout(encoding=encoding), pa.record_batch({"a": [1]})
    with pytest.raises(SchemaError) as reading:
        Csv().header(file(tmp_path, "a\n"), layout)
    with pytest.raises(SchemaError) as writing:
        Csv().write([batch], batch.schema, tmp_path / "out.csv", layout)
    assert codes(reading.value) == codes(writing.value) == ["unknown-encoding"]


def test_missing_is_empty_and_empty_is_quoted(tmp_path: Path) -> None:
    text = written(tmp_path, {"a": ["", None, "x"], "b": [None, "", "y"]})
    assert text == 'a,b\n"",\n,""\nx,y\n'


def test_only_what_needs_quotes_gets_them(tmp_path: Path) -> None:
    values = ["plain", "a,b", 'say "x"', "line\nbreak", "old\rmac", " blank ", "a;b", "'s"]
    text = written(tmp_path, {"a,b": values, 'q"': ["1"] * len(values)})
    assert text.startswith('"a,b","q"""\nplain,1\n"a,b",1\n"say ""x""",1\n"line\nbreak",1\n')
    assert "\n blank ,1\na;b,1\n's,1\n" in text
    assert [row[0] for row in csv.reader(text.splitlines(keepends=True))][1:] == values


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "]", "^", "-", "."])
def test_any_delimiter(tmp_path: Path, delimiter: str) -> None:
    columns = {"a": ["x" + delimiter, "]^-\\", None], "n": [1.5, -2.0, None], "d": [dt.date(2020, 1, 2)] * 3}
    text = written(tmp_path, columns, Layout(delimiter=delimiter))
    rows = list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter))
    assert rows[1:] == [["x" + delimiter, "1.5", "2020-01-02"], ["]^-\\", "-2", "2020-01-02"], ["", "", "2020-01-02"]]


def test_numbers_in_a_german_layout(tmp_path: Path) -> None:
    columns = {
        "double": pa.array([1234567.5, -0.25, 1e-7, 1e21, None]),
        "single": pa.array([0.1, None, 2, 3, 4], pa.float32()),
        "exact": pa.array([decimal.Decimal("1234.50"), None, *[decimal.Decimal("-0.05")] * 3]),
        "whole": pa.array([2**62, None, -1, 0, 1]),
    }
    assert written(tmp_path, columns, GERMAN).splitlines()[1:] == [
        "1234567,5;0,1;1234,50;4611686018427387904",
        "-0,25;;;",
        "1e-7;2;-0,05;-1",
        "1e+21;3;-0,05;0",
        ";4;-0,05;1",
    ]


def test_a_decimal_comma_is_quoted_when_the_comma_delimits(tmp_path: Path) -> None:
    text = written(tmp_path, {"a": [1.5, 2.0], "b": [3, 4]}, Layout(delimiter=",", decimal=","))
    assert text == 'a,b\n"1,5",3\n2,4\n'


def test_other_types(tmp_path: Path) -> None:
    columns = {
        "bool": pa.array([True, None]),
        "coded": pa.array(["x", None]).dictionary_encode(),
        "large": pa.array(["y", ""], pa.large_string()),
        "view": pa.array(["z;z", None], pa.string_view()),
        "clock": pa.array([dt.time(10, 30), None]),
        "none": pa.nulls(2),
    }
    text = written(tmp_path, columns, Layout(delimiter=";"))
    assert text.splitlines()[1:] == ['true;x;y;"z;z";10:30:00.000000;', ';;"";;;']


def test_dates_and_times(tmp_path: Path) -> None:
    moment = dt.datetime(2020, 12, 31, 23, 59, 58)
    columns = {"day": pa.array([moment.date(), None]), "moment": pa.array([moment, None], pa.timestamp("us"))}
    assert written(tmp_path, columns, GERMAN).splitlines()[1:] == ["31.12.2020;31.12.2020 23:59:58", ";"]
    fine = GERMAN.model_copy(update={"date": "%d.%m.%Y %H:%M:%S.%f"})
    exact = {"moment": pa.array([moment.replace(microsecond=250_000)])}
    assert written(tmp_path, exact, fine).splitlines()[1:] == ["31.12.2020 23:59:58.250000"]


def test_a_time_is_never_cut_off_silently(tmp_path: Path) -> None:
    moment = dt.datetime(2020, 12, 31, 23, 59, 58, 1)
    with pytest.raises(WriteError) as caught:
        written(tmp_path, {"moment": [moment]}, GERMAN)
    assert codes(caught.value) == ["cut-off"]
    assert "58" not in str(caught.value)


def test_what_has_no_text_form_is_refused_by_name(tmp_path: Path) -> None:
    columns = {"a": [[1]], "b": [b"x"], "c": [{"x": 1}], "d": [dt.timedelta(1)], "ok": [1]}
    with pytest.raises(WriteError) as caught:
        written(tmp_path, columns)
    assert [problem.where for problem in caught.value.problems] == ["a", "b", "c", "d"]


def test_infinite_numbers_are_refused_by_count(tmp_path: Path) -> None:
    with pytest.raises(WriteError) as caught:
        written(tmp_path, {"a": [1.0, float("nan"), float("inf"), None]})
    assert [(p.code, p.where, p.message[:10]) for p in caught.value.problems] == [("not-finite", "a", "2 value(s)")]


def test_without_quotes_nothing_ambiguous_is_written(tmp_path: Path) -> None:
    layout = Layout(quote="")
    assert written(tmp_path, {"a": ['say "x"', None], "b": [1, 2]}, layout) == 'a,b\nsay "x",1\n,2\n'
    for value in (f"{SECRET},x", f"{SECRET}\n", ""):
        with pytest.raises(WriteError) as caught:
            written(tmp_path, {"a": [value]}, layout)
        assert codes(caught.value) == ["needs-quotes"]
        assert SECRET not in str(caught.value)


def test_characters_outside_the_encoding(tmp_path: Path) -> None:
    assert written(tmp_path, {"a": ["Köln €"]}, Layout(encoding="cp1252")) == "a\nKöln €\n"
    with pytest.raises(WriteError) as caught:
        written(tmp_path, {"a": [f"{SECRET} ж"]}, Layout(encoding="cp1252"))
    assert codes(caught.value) == ["not-encodable"]
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown
    assert "u0436" not in shown


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_one_byte_order_mark_for_many_batches(tmp_path: Path, encoding: str) -> None:
    batch, path = pa.record_batch({"a": ["ü"]}), tmp_path / "out.csv"
    Csv().write([batch] * 3, batch.schema, path, Layout(encoding=encoding))
    assert path.read_bytes() == "a\nü\nü\nü\n".encode(encoding)


def test_the_cut_into_batches_does_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"a": [f"t{n};" if n % 3 else None for n in range(1000)], "b": [n / 7 for n in range(1000)]})
    files = []
    for size, cells in ((1000, 1 << 22), (7, 1 << 22), (1000, 5), (1000, 1)):
        monkeypatch.setattr("schleier.formats.csv.CELLS", cells)
        files.append(tmp_path / f"{size}-{cells}.csv")
        Csv().write(table.to_batches(max_chunksize=size), table.schema, files[-1], GERMAN)
    assert len({path.read_bytes() for path in files}) == 1


def test_no_rows_and_empty_batches(tmp_path: Path) -> None:
    schema = pa.schema({"a": pa.int64(), "b": pa.string()})
    Csv().write([], schema, tmp_path / "none.csv")
    empty = pa.record_batch([pa.array([], pa.int64()), pa.array([], pa.string())], schema=schema)
    Csv().write([empty, empty], schema, tmp_path / "empty.csv")
    assert (tmp_path / "none.csv").read_text() == (tmp_path / "empty.csv").read_text() == "a,b\n"


texts = st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(texts, texts), min_size=1), st.sampled_from([",", ";", "\t", "|"]))
def test_python_reads_what_we_write(tmp_path_factory: pytest.TempPathFactory, rows: list[Any], delimiter: str) -> None:
    path = tmp_path_factory.mktemp("csv") / "out.csv"
    batch = pa.record_batch([pa.array(c, pa.string()) for c in zip(*rows, strict=True)], names=["a", "b"])
    Csv().write([batch], batch.schema, path, Layout(delimiter=delimiter))
    with path.open(encoding="utf-8", newline="") as stream:
        read = list(csv.reader(stream, delimiter=delimiter, strict=True))
    assert read == [["a", "b"], *[[value or "" for value in row] for row in rows]]
