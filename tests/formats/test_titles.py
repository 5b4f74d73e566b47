"""Lines above the header are found where there is no doubt, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from schleier.core.errors import DataError
from schleier.core.schema import Layout
from schleier.formats._detect import layout_of, separators
from schleier.formats.csv import Csv

TABLE = "name;age;born\nAda;30;31.12.1989\nBob;41;01.02.1978\n"


@pytest.mark.parametrize(
    ("above", "skip"),
    [
        ("", 0),
        ("Persons of 2020\n", 1),
        ("Persons of 2020\n\n", 2),
        ("\n\n", 2),
        ("  \n", 1),
        ("Persons, in 2020\nSource: office, own count\n\n", 3),
        ("Persons;;\n;;\n", 2),
        ("Persons of 2020;x\n", 1),
        ('"Persons; of ""2020"""\n\n', 2),
        ('"Persons\nof 2020"\n', 2),
        ("a line\n" * 40, 40),
        ("a line\n" * 41, 0),
    ],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_lines_above_the_header(above: str, skip: int, line_break: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes((above + TABLE).replace("\n", line_break).encode())
    layout = Csv().detect(path)
    assert layout.skip == skip
    if skip or not above:
        assert (layout.delimiter, layout.date) == (";", "%d.%m.%Y")
        assert list(Csv().header(path)) == ["name", "age", "born"]


@pytest.mark.parametrize(
    "text",
    [
        "Name\nMiller,Ann\nSmith,Bob\n",  # one column with commas
        "Name\nMiller, 5\nSmith, 7\n",  # values like names and numbers
        "value\n1,5\n2,5\n",
        "Title\nregion;2019;2020\nNorth;1;2\n",  # names like numbers
        "Title\nname;;born\nAda;30;31.12.1989\n",  # a column without a name
        "Title\nname;name\nAda;30\n",  # names that repeat
        "Title\nname;age\n",  # no rows
        "a;b;c\n1;2;3\n4;5\n6;7\n",  # broken rows are no titles
        "a;b\n1;2\n3;4\n\nSource: office\n",
        "Title;\nMiller;Ann\nSmith;Bob\n",  # two columns, one of them unnamed: no evidence
    ],
)
def test_when_in_doubt_there_is_no_title(text: str) -> None:
    assert layout_of(text.encode()).skip == 0


def test_a_table_of_words_needs_a_blank_line_or_a_padded_title() -> None:
    table = "name;town;street\nAda;Bonn;Long Lane\nBob;Ulm;High Street\n"
    skips = [layout_of((above + table).encode()).skip for above in ("Persons\n", "Persons\n\n", "Persons;;\n")]
    assert skips == [0, 2, 1]


def test_a_word_among_many_numbers_does_not_hide_the_title() -> None:
    rows = "".join(f"p{n};{n}\n" for n in range(30))
    assert layout_of(f"Title\nname;age\n{rows}q;unknown\n".encode()).skip == 1


def test_numbers_and_dates_of_a_title_do_not_vote() -> None:
    layout = layout_of(b"1.234,5\n\nname;pay\nAda;1.5\nBob;2.5\n")
    assert (layout.skip, layout.decimal) == (2, ".")


def test_names_that_are_missing_or_repeat_are_placed_below_the_title(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Title\na,,a\n1,2,3\n")
    with pytest.raises(DataError) as caught:
        Csv().header(path, Layout(skip=1))
    assert [(p.code, "line 2" in p.hint) for p in caught.value.problems] == [
        ("unnamed-columns", True),
        ("duplicate-columns", True),
    ]
    with pytest.raises(DataError, match="line 9 holds no column names"):
        Csv().header(path, Layout(skip=8))


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("a;b\n", "1,5;x\n"),
        ("'a';'b'\n", "'x;y';'2'\n"),
        ("a,b\n", '"x;y",2\n'),
        ("a\n", "1,5\n"),
        ("a;b\n", '"open;1\nx"y;2\n'),
        ("a;b;c\n", "1;2;3\n1;2\n"),
        ("x" * 200 + ";b\n", "1;2\n"),
    ],
)
def test_a_glance_never_changes_the_answer(head: str, row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, answers = head + row * 200, []
    for glance in (100, len(text)):
        monkeypatch.setattr("schleier.formats._detect.GLANCE", glance)
        answers.append(separators(text, whole=True))
    assert answers[0] == answers[1]


def test_what_only_the_rest_shows_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The beginning fits two delimiters, the rest but the second of them."""
    monkeypatch.setattr("schleier.formats._detect.GLANCE", 100)
    assert separators("a,b;c\n" + "1,2;3\n" * 200 + "1,2\n", whole=True)[0] == ","
