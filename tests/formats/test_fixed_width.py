"""Lines without delimiters, read by a dictionary beside them."""

from __future__ import annotations

import csv
import traceback
from pathlib import Path

import pytest

import schleier as sl
from schleier.core.dictionary import Entry
from schleier.core.errors import DataError, Problem
from schleier.flow.run.reader import read_header
from schleier.formats.fixed_width import FixedWidth

SECRET = "SECRETVALUE"
DICTIONARY = "name,start,width,decimals,title,labels\nname,1,12,,Full name,\nsex,13,1,,,1=male|2=female\npay,15,6,2,,\n"
LINES = f'{SECRET} 1 123456\nÄnne, "x"   2  -0150\n            1      7\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "people.dictionary.csv").write_text(DICTIONARY)
    file = tmp_path / "people.dat"
    file.write_text(LINES, encoding="utf-8")
    return file


def table(path: Path, part: str = "") -> list[list[str]]:
    folder = path.parent / "inside"
    folder.mkdir(exist_ok=True)
    place = FixedWidth().unwrap(path, folder, part=part)
    with place.open(encoding="utf-8", newline="") as stream:
        found = list(csv.reader(stream))
    place.unlink()
    return found


def problems(path: Path, part: str = "") -> list[Problem]:
    with pytest.raises(DataError) as caught:
        table(path, part)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    return list(caught.value.problems)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("piece", [1 << 22, 1, 5])
def test_fields(path: Path, encoding: str, line_break: str, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.formats.fixed_width.PIECE", piece)
    path.write_bytes(LINES.replace("\n", line_break).encode(encoding))
    assert table(path) == [
        ["name", "sex", "pay"],
        [SECRET, "1", "1234.56"],
        ['Änne, "x"', "2", "-1.50"],
        ["", "1", "0.07"],
    ]


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n", "\r\n\r\n"])
@pytest.mark.parametrize("piece", [1 << 22, 1, 3, 12])
def test_the_end_of_the_file(tmp_path: Path, end: str, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.formats.fixed_width.PIECE", piece)
    (tmp_path / "a.dictionary.csv").write_text("name,start,width\nx,2,2\n")
    (tmp_path / "a.asc").write_bytes(f"a 1\nb23{end}".encode())
    assert table(tmp_path / "a.asc") == [["x"], ["1"], ["23"]]


def test_an_encoding_that_shows_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.formats._detect.SAMPLE", 100)
    (tmp_path / "a.dictionary.csv").write_text("name,start,width\nx,1,3\n")
    (tmp_path / "a.dat").write_bytes(b"abc\n" * 100 + "äöü\n".encode("cp1252"))
    assert table(tmp_path / "a.dat")[-1] == ["äöü"]
    (tmp_path / "a.dat").write_bytes(b"abc\n" * 100 + b"\x81\x8d\xfc\n")
    assert table(tmp_path / "a.dat")[-1] == ["\x81\x8d\xfc"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("000012", "0.12"),
        ("     1", "0.01"),
        ("123456", "1234.56"),
        ("000000", "0.00"),
        (" -0001", "-0.01"),
        ("+00123", "+1.23"),
        ("  12.5", "12.5"),
        ("      ", ""),
        ("  n.a.", "n.a."),
    ],
)
@pytest.mark.parametrize("beside", ["000100", "  -100", "     x"])
def test_decimals_that_are_not_written(tmp_path: Path, text: str, number: str, beside: str) -> None:
    """Whatever stands beside it: columns of digits only are done another way."""
    (tmp_path / "a.dictionary.csv").write_text("name,start,width,decimals\nx,1,6,2\ny,7,1,\n")
    (tmp_path / "a.dat").write_text(f"{text}_\n{beside}_\n")
    assert table(tmp_path / "a.dat")[1] == [number, "_"]


def test_the_dictionary_tells_titles_and_labels(path: Path) -> None:
    kinds, entries, layout = read_header(path)
    assert list(kinds) == ["name", "sex", "pay"]
    assert entries == {"name": Entry("Full name"), "sex": Entry("", {"1": "male", "2": "female"}), "pay": Entry()}
    assert layout is not None


def test_numbers_are_read(path: Path) -> None:
    columns = {"name": "text", "sex": "nominal", "pay": "continuous"}
    schema = sl.Schema(columns=[sl.Column(name=name, scale=scale) for name, scale in columns.items()])
    data = sl.read(path, schema).to_arrow()
    assert data["pay"].to_pylist() == [1234.56, -1.5, 0.07]
    assert data["name"].to_pylist() == [SECRET, 'Änne, "x"', None]
    assert sorted(path.parent.iterdir()) == [path, path.with_suffix(".dictionary.csv")]


def test_a_dictionary_with_another_name(path: Path) -> None:
    path.with_suffix(".dictionary.csv").rename(path.with_name("other.csv"))
    assert len(table(path, "other.csv")) == 4
    assert list(read_header(f"{path}::other.csv")[1]) == ["name", "sex", "pay"]
    assert problems(path, "none.csv")[0].message == "there is no dictionary 'none.csv' beside the file"
    (found,) = problems(path)
    assert (found.code, "people.dictionary.csv" in found.hint) == ("no-dictionary", True)


STATA = [
    "infix dictionary using people.dat {\n * names\n str12 name 1-12\n byte sex 13 // one digit\n pay 15-20\n}\n",
    'dictionary using people.dat {\n /* all */ _column(1) str12 name %12s "Full name"\n _column(13) sex %1f\n\n'
    "_column(15) float pay %6.2f\n}\n",
]


@pytest.mark.parametrize(("text", "pay", "title"), [(STATA[0], "123456", ""), (STATA[1], "1234.56", "Full name")])
def test_a_simple_dictionary_of_stata(path: Path, text: str, pay: str, title: str) -> None:
    path.with_suffix(".dictionary.csv").unlink()
    path.with_suffix(".dct").write_text(text)
    assert table(path)[:2] == [["name", "sex", "pay"], [SECRET, "1", pay]]
    assert read_header(path)[1]["name"].title == title


def test_a_dictionary_of_stata_that_does_more(path: Path) -> None:
    path.with_suffix(".dct").write_text("infix dictionary {\n2 lines\n name 1-12\n2: sex 1\n}\n")
    found = problems(path, "people.dct")
    assert [p.where.rpartition(", ")[2] for p in found] == ["line 2", "line 4"]
    path.with_suffix(".dct").write_text("summarize pay\n")
    assert problems(path, "people.dct")[0].message == "this is no dictionary of Stata"
    path.with_suffix(".dct").write_text("infix dictionary {\n a 5-3\n b 0-1\n}\n")
    assert [p.message for p in problems(path, "people.dct")][:2] == [
        "the field 'a' ends before it begins",
        "the field 'b' ends before it begins",
    ]


def test_lines_that_are_too_short(path: Path) -> None:
    for piece in (f"{SECRET} 1 123456\n{SECRET}\n" * 4, f"{SECRET} 1 123456\n" * 20 + f"\n{SECRET} 1 123456\n"):
        path.write_text(piece)
        (found,) = problems(path)
        assert (found.code, found.where) == ("short-lines", str(path))
    assert found.message == "1 lines have fewer than 20 characters, where the last field ends: 21"
    path.write_text(f"{SECRET}\n" * 7)
    assert problems(path)[0].message.endswith(
        "7 lines have fewer than 20 characters, where the last field ends: 1, 2, 3, 4, 5 ..."
    )


def test_everything_wrong_with_a_dictionary_at_once(path: Path) -> None:
    dictionary = path.with_suffix(".dictionary.csv")
    dictionary.write_text("name,start,width,labels\na,1,5,\nb,5,3,\nA,9,1,\n,x,0,1;male\nc,20,1,,more\n")
    found = [(p.where.rpartition("csv")[2], p.message) for p in problems(path)]
    assert found == [
        (", row 5", "the field has no name"),
        (", row 5", "start must be a whole number from 1 on"),
        (", row 5", "width must be a whole number from 1 on"),
        (", row 5", "labels are written 1=male|2=female"),
        (", row 6", "there are more values than columns"),
        ("", "more than one field is called 'A'"),
        ("", "more than one field is called 'a'"),
        ("", "the fields 'a' and 'b' overlap"),
    ]
    dictionary.write_text("name,begin,breadth\na,1,5\n")
    assert [p.message for p in problems(path)] == [
        "these columns have unknown names: 2, 3",
        "there is no column start, width",
    ]
    dictionary.write_text("name,start,width\n")
    assert problems(path)[0].message == "the dictionary describes no field"
    dictionary.write_text("")
    assert problems(path)[0].code == "empty-file"
