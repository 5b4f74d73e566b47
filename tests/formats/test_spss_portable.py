"""Portable files of SPSS, written by the library that reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

import schleier as sl
from schleier.core.errors import SchleierError
from schleier.flow.run.reader import read_header

pandas = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "people.por"
    frame = pandas.DataFrame({"AGE": [30.0, 41.0, None], "PAY": [1.5, -2.0, 3.0], "CITY": ["Bonn", "Ulm", "Bonn"]})
    formats = {"AGE": "F8.0", "PAY": "F8.2"}
    pyreadstat.write_por(frame, str(place), column_labels=["Age", "Net pay", "Town"], variable_format=formats)
    return place


def test_rows_and_dictionary(path: Path) -> None:
    kinds, entries, _ = read_header(path)
    assert kinds == {"AGE": "integer", "PAY": "number", "CITY": "text"}
    assert entries["PAY"].title == "Net pay"
    columns = [sl.Column(name="AGE", scale="discrete"), sl.Column(name="PAY", scale="continuous")]
    data = sl.read(path, sl.Schema(columns=columns, others="drop")).to_arrow()
    assert data.to_pydict() == {"AGE": [30, 41, None], "PAY": [1.5, -2.0, 3.0]}


def test_a_release_is_written_for_the_same_package(path: Path) -> None:
    assert sl.describe(path).recipe["release"]["format"] == "spss"


@pytest.mark.parametrize("keep", [0, 100, 500, 0.6, 0.9])
def test_files_that_were_cut_off(path: Path, keep: float) -> None:
    content = path.read_bytes().rstrip(b"Z\r\n")
    path.write_bytes(content[: int(keep * len(content)) if keep < 1 else int(keep)])
    with pytest.raises(SchleierError) as caught:
        sl.describe(path)
    assert caught.value.problems[0].code == ("broken-file" if keep else "empty-file")


def test_something_else_under_this_name(path: Path) -> None:
    path.write_text("name,age\nAda,30\n")
    with pytest.raises(SchleierError) as caught:
        sl.describe(path)
    assert [problem.code for problem in caught.value.problems] == ["broken-file"]
