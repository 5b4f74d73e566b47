"""Detection says what the sample shows and nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.errors import DataError
from schleier.core.schema import Layout
from schleier.formats._detect import SAMPLE, encoding_of, layout_of, separators
from schleier.formats._evidence import Marks, date_format, date_formats, number_marks
from schleier.formats.csv import Csv


def detected(tmp_path: Path, content: bytes) -> Layout:
    path = tmp_path / "some.csv"
    path.write_bytes(content)
    return Csv().detect(path)


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("a,b\nKöln,1\n", "utf-8", "utf-8"),
        ("a,b\nKöln,1\n", "utf-8-sig", "utf-8-sig"),
        ("a,b\nKöln,1\n", "utf-16", "utf-16"),
        ("a,b\nKöln,1\n", "utf-32", "utf-32"),
        ("a,b\nKöln €,1\n", "cp1252", "cp1252"),
        ("a,b\nplain,1\n", "ascii", "utf-8"),
        ("a,b\nx\x81\xfc,1\n", "latin-1", "latin-1"),
    ],
)
def test_encoding(tmp_path: Path, text: str, encoding: str, expected: str) -> None:
    layout = detected(tmp_path, text.encode(encoding))
    assert layout.encoding == expected
    assert layout.delimiter == ","


def test_a_character_cut_by_the_sample_is_no_error(tmp_path: Path) -> None:
    for shift in range(4):
        head = b"a;b\n" + b"x" * shift
        content = head + "ü€𝄞".encode() * (SAMPLE // 6) + b";1\n"
        assert detected(tmp_path, content).encoding == "utf-8"


def test_a_row_cut_by_the_sample_does_not_count(tmp_path: Path) -> None:
    row = b"1,5;2,5;" + b"x" * 1000 + b"\n"
    layout = detected(tmp_path, b"a;b;c\n" + row * (SAMPLE // len(row) + 2))
    assert (layout.delimiter, layout.decimal) == (";", ",")


def test_what_lies_behind_the_sample_is_not_read(tmp_path: Path) -> None:
    rows = b"1,2\n" * (SAMPLE // 4)
    assert detected(tmp_path, b"a,b\n" + rows + b"\xff,\xff\n").encoding == "utf-8"


def test_wrong_byte_order_mark_is_a_problem_without_bytes(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        detected(tmp_path, b"\xef\xbb\xbfa,b\nSECRET\xff,1\n")
    assert [problem.code for problem in caught.value.problems] == ["broken-encoding"]
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("text", "delimiter", "quote"),
    [
        ("a,b\n1,2\n", ",", '"'),
        ("a;b\n1,5;2,5\n", ";", '"'),
        ("a\tb\n1,5\t2;5\n", "\t", '"'),
        ("a|b\n1,5|2;5\n", "|", '"'),
        ("Umsatz, netto;Umsatz, brutto\n1,5;2,5\n", ";", '"'),
        ('a,b\n"x;y;z",2\n"x;y",3\n', ",", '"'),
        ('a;b\n"line\nbreak;""q""";2\n', ";", '"'),
        ("'a';'b'\n'x;y';'2'\n", ";", "'"),
        ("'a';'b'\n'x';'2'\n", ";", "'"),
        ("a,b\n1'234.5,2\n", ",", '"'),
        ('a;b\n"open;1\nx"y;2\n"z;3\n', ";", ""),
        ("a\n1\n2\n", ",", '"'),
        ("a\n1,5\n2,5\n", ";", '"'),
        ("a;b\r1;2\r3;4\r", ";", '"'),
        ("a;b", ";", '"'),
        ("", ",", '"'),
    ],
)
def test_delimiter_and_quote(text: str, delimiter: str, quote: str) -> None:
    assert separators(text, whole=True)[:2] == (delimiter, quote)


def test_the_cut_row_does_not_speak_against_the_delimiter() -> None:
    assert separators("a;b\n1", whole=False)[0] == ";"
    assert separators("a;b\n1", whole=True)[0] == ","


def test_a_few_broken_rows_do_not_hide_the_delimiter() -> None:
    text = "a;b;c\n" + "1,5;2;3\n" * 20 + "1,5;2\n" * 2
    assert separators(text, whole=True)[0] == ";"


@pytest.mark.parametrize(
    ("columns", "marks"),
    [
        ([["1.234,56", "7"]], (",", ".")),
        ([["1,234.56", "7"]], (".", ",")),
        ([["1'234.56", "7"]], (".", "'")),
        ([["1’234.56"]], (".", "'")),
        ([["1 234,56"]], (",", " ")),
        ([["1\u202f234,56"]], (",", " ")),
        ([["1,5", "2"]], (",", "")),
        ([["1.5", "2"]], (".", "")),
        ([["1.234.567"]], (",", ".")),
        ([["0,123"]], (",", "")),
        ([["1234,567"]], (",", "")),
        ([["1.5e-3"]], (".", "")),
        ([["-,5"]], (",", "")),
        # Ambiguous alone, but not beside a column that shows the decimal mark.
        ([["1.234"]], (".", "")),
        ([["1,234"]], (".", "")),
        ([["1.234"], ["0,5"]], (",", ".")),
        # Neither dates nor numbers of versions, telephones and hosts are numbers.
        ([["01.02.2003", "31.12.1999"]], (".", "")),
        ([["1.2.3"], ["10.0.0.1"], ["030 123 456"]], (".", "")),
        ([["A 1,5", "B 2,5", "C 3,5"]], (".", "")),
        ([["1,5", "x", "y", "z"]], (".", "")),
        # One slip does not outvote twenty numbers; two columns against each other say nothing.
        ([[f"{n},5" for n in range(40)] + ["1.5"]], (",", "")),
        ([["1,5"], ["1.5"]], (".", "")),
        ([["1,5"], ["2,5"], ["1.5"]], (",", "")),
        ([["1,5", "n.a.", "2,5"]], (",", "")),
        ([], (".", "")),
    ],
)
def test_marks_of_numbers(columns: list[list[str]], marks: tuple[str, str]) -> None:
    assert number_marks(columns) == marks


@pytest.mark.parametrize(
    ("columns", "form"),
    [
        ([["31.12.1999", "1.2.2003"]], "%d.%m.%Y"),
        ([["31.12.99"]], "%d.%m.%y"),
        ([["1999-12-31"]], "%Y-%m-%d"),
        ([["1999/12/31"]], "%Y/%m/%d"),
        ([["12/31/1999", "01/02/2003"]], "%m/%d/%Y"),
        ([["31/12/1999", "01/02/2003"]], "%d/%m/%Y"),
        ([["01/02/2003"]], None),
        ([["01-02-2003"]], None),
        ([["31-12-1999"]], "%d-%m-%Y"),
        ([["31.12.1999 23:59"]], "%d.%m.%Y %H:%M"),
        ([["1999-12-31T23:59:58"]], "%Y-%m-%dT%H:%M:%S"),
        ([["1999-12-31 23:59:58.25"]], "%Y-%m-%d %H:%M:%S.%f"),
        ([["31.12.1999", "missing"]], None),
        ([["31.12.1999", "30.12.1999", "missing"]], "%d.%m.%Y"),
        ([["32.12.1999"]], None),
        ([["31.12.1999"], ["30.12.1999"], ["1999-12-31"]], "%d.%m.%Y"),
        ([["1.234,5"], ["10.0.0.1"], []], None),
    ],
)
def test_format_of_dates(columns: list[list[str]], form: str | None) -> None:
    assert date_format(columns) == form


def test_everything_at_once() -> None:
    text = 'Name;Gehalt;geboren\n"Müller; Ada";1.234,50;31.12.1999\nÖz;99,00;01.02.2003\n'
    expected = Layout(delimiter=";", encoding="cp1252", decimal=",", thousands=".", date="%d.%m.%Y")
    assert layout_of(text.encode("cp1252")) == expected


def test_nothing_shown_nothing_said() -> None:
    assert layout_of(b"name,town\nAda,London\n") == Layout()


def test_every_column_tells_its_own_dates() -> None:
    columns = [["31.12.1999"], ["12/31/1999 10:30", "01/02/2003 00:00"], ["01/02/2003"], ["x", "31.12.1999", "y"], []]
    assert date_formats(columns) == ["%d.%m.%Y", "%m/%d/%Y %H:%M", None, None, None]


def test_values_with_line_breaks_are_no_numbers() -> None:
    assert number_marks([["1,5", "2,5\n3.5", "4,5"]]) == (",", "")
    assert number_marks([["1.5\n2", "x\ny\nz", "1,5"]]) == (".", "")


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_have_a_layout_or_a_broken_encoding(sample: bytes, whole: bool) -> None:
    try:
        layout = layout_of(sample, whole)
    except UnicodeDecodeError:
        assert encoding_of(sample) != "utf-8"  # only a false byte order mark
    else:
        assert layout.delimiter in "\t;|,"
        assert Marks(layout.decimal, layout.thousands)
