"""Files of statistical packages that are damaged, empty, strange, or that nobody can read."""

from __future__ import annotations

import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from sas_files import sas_file
from schleier.core import registry
from schleier.core.errors import DataError, EngineError, WriteError
from schleier.core.schema import Column, Schema
from schleier.flow.run.reader import read
from schleier.formats.sas import Sas
from schleier.formats.spss import Spss
from schleier.formats.stata import Stata

SECRET = "SECRETVALUE"
FRAME = pd.DataFrame({"a": np.arange(200.0), "b": [SECRET] * 200})
FORMATS: list[Any] = [Spss(), Stata(), Sas()]
each_format = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)


def made(folder: Path, name: str) -> Path:
    path = folder / name
    if path.suffix == ".sas7bdat":
        path.write_bytes(sas_file("sample.sas7bdat").read_bytes())
    elif path.suffix == ".dta":
        pyreadstat.write_dta(FRAME, path)
    elif path.suffix == ".xpt":
        pyreadstat.write_xport(FRAME, path)
    else:
        pyreadstat.write_sav(FRAME, path, compress=path.suffix == ".zsav", row_compress=path.stem == "rows")
    return path


def refused(form: Any, path: Path) -> str:
    """The code of the problem; nothing of the file is in the error, nor in what led to it."""
    with pytest.raises(DataError) as caught:
        form.header(path)
        list(form.batches(path))
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    (problem,) = caught.value.problems
    return problem.code


def test_the_registry_finds_the_formats_and_not_their_parts() -> None:
    names = set(registry.names("format"))
    assert {"spss", "stata", "sas"} <= names
    assert not {"packages", "frames", "values", "variables", "clocks"} & names


@pytest.mark.parametrize("name", ["plain.sav", "rows.sav", "whole.zsav", "some.dta", "some.sas7bdat"])
@pytest.mark.parametrize("share", [0.001, 0.05, 0.3, 0.6, 0.9, 0.999])
def test_files_cut_short(tmp_path: Path, name: str, share: float) -> None:
    path = made(tmp_path, name)
    content = path.read_bytes()
    if name.endswith("sas7bdat"):
        content = content[: content.rindex(b"\0" * 1000)]  # the rest of its only page is empty
    path.write_bytes(content[: int(len(content) * share)])
    form = {".dta": Stata(), ".sas7bdat": Sas()}.get(path.suffix, Spss())
    assert refused(form, path) == "broken-file"


@each_format
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty-file"),
        (f"name;age\n{SECRET};7\n".encode() * 99, "broken-file"),
        (b"$FL2@(#) SPSS DATA FILE" + SECRET.encode() * 99, "broken-file"),
        (b"<stata_dta><header><release>118</release>" + SECRET.encode() * 99, "broken-file"),
        (b"\xff" * 4096, "broken-file"),
        (bytes(4096), "broken-file"),
    ],
    ids=range(6),  # the folder of a test is named after its id, and messages name the file
)
def test_files_that_are_something_else(form: Any, tmp_path: Path, content: bytes, expected: str) -> None:
    for suffix in form.suffixes:
        path = tmp_path / f"false{suffix}"
        path.write_bytes(content)
        assert refused(form, path) == expected


@each_format
def test_files_that_are_not_there_or_not_files(form: Any, tmp_path: Path) -> None:
    assert refused(form, tmp_path / f"nowhere{form.suffixes[0]}") == "no-file"
    (tmp_path / f"folder{form.suffixes[0]}").mkdir()
    assert refused(form, tmp_path / f"folder{form.suffixes[0]}") == "unreadable"


@each_format
def test_a_file_that_claims_more_rows_than_it_can_hold(
    form: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path, f"some{form.suffixes[0]}")
    ask = type(form)._ask

    def claiming(*args: Any, **options: Any) -> Any:
        values, told = ask(*args, **options)
        told.number_rows = 2**31 - 1
        return values, told

    monkeypatch.setattr(type(form), "_ask", claiming)
    assert refused(form, path) == "broken-file"


def test_rows_that_were_promised_and_are_not_there(tmp_path: Path) -> None:
    path = made(tmp_path, "plain.sav")
    content = bytearray(path.read_bytes())
    assert int.from_bytes(content[80:84], "little") == len(FRAME)
    content[80:84] = (len(FRAME) + 1).to_bytes(4, "little")
    path.write_bytes(content)
    assert refused(Spss(), path) == "broken-file"


def test_names_that_repeat(tmp_path: Path) -> None:
    path = tmp_path / "twice.dta"
    pyreadstat.write_dta(pd.DataFrame({"ab": [1.0], "cd": [2.0], "ef": [3.0]}), path)
    path.write_bytes(path.read_bytes().replace(b"cd\0", b"ab\0").replace(b"ef\0", b"ab\0"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert refused(Stata(), path) == "duplicate-columns"


def test_odd_names_are_read_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "odd.sav"
    names = ["größe", "a.b", "x_duplicated1", "v@1#$", "ÄÖÜ" * 10, "n" * 64]
    pyreadstat.write_sav(pd.DataFrame({name: [float(i)] for i, name in enumerate(names)}), path)
    assert list(Spss().header(path)) == names
    data = read(path, Schema(columns=[Column(name=name, scale="discrete") for name in names]))
    assert data.to_arrow().to_pylist() == [{name: i for i, name in enumerate(names)}]


@pytest.mark.parametrize("name", ["none.sav", "none.zsav", "none.dta"])
def test_no_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    table = pa.table({"a": pa.array([], pa.float64()), "b": pa.array([], pa.string())})
    (Stata() if name.endswith("dta") else Spss()).write([], table.schema, path)
    data = read(path, Schema(columns=[Column(name="a", scale="continuous"), Column(name="b", scale="text")]))
    assert data.rows == 0


def test_a_row_key_and_columns_that_are_not_described(tmp_path: Path) -> None:
    path = tmp_path / "some.sav"
    frame = pd.DataFrame({"id": [3.0, 1.0, 2.0], "x": [0.5, 1.5, 2.5], "name": [SECRET] * 3})
    pyreadstat.write_sav(frame, path, variable_format={"id": "F8.0"})
    schema = Schema(columns=[Column(name="x", scale="continuous")], row_key="id", others="drop")
    assert [batch.schema.names for batch in Spss().batches(path, schema)] == [["id", "x"]]
    assert read(path, schema).to_arrow().to_pydict() == {"x": [1.5, 2.5, 0.5]}
    frame.loc[0, "id"] = 1.5
    pyreadstat.write_sav(frame, path, variable_format={"id": "F8.0"})
    with pytest.raises(DataError, match="'id' holds codes or whole numbers, but has decimals in row 1"):
        read(path, schema)


def test_dates_no_calendar_knows(tmp_path: Path) -> None:
    path = tmp_path / "some.sav"
    frame = pd.DataFrame({"d": [1e20, 13_000_000_000.0, -1e13], "t": [1e300, 13_000_000_000.0, np.nan]})
    pyreadstat.write_sav(frame, path, variable_format={"d": "DATE11", "t": "DATETIME20"})
    with pytest.raises(DataError) as caught:
        list(Spss().batches(path))
    assert [(p.code, p.message) for p in caught.value.problems] == [
        ("bad-dates", "column 'd' holds dates, but outside the years 1 to 9999 in 2 rows, the first is row 1"),
        ("bad-dates", "column 't' holds dates, but outside the years 1 to 9999 in row 1"),
    ]


@each_format
def test_without_the_library(form: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path, f"some{form.suffixes[0]}")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(EngineError) as caught:
        form.header(path)
    (problem,) = caught.value.problems
    assert (problem.code, problem.hint) == ("not-installed", 'pip install "schleier[io]"')


@pytest.mark.parametrize("form", [Spss(), Stata()], ids=["spss", "stata"])
def test_without_pandas_nothing_is_written(form: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = pa.table({"a": [1.5]})
    with pytest.raises(EngineError) as caught:
        form.write(table.to_batches(), table.schema, tmp_path / f"x{form.suffixes[0]}")
    (problem,) = caught.value.problems
    assert (problem.code, problem.hint) == ("not-installed", "pip install pandas")


def test_reading_needs_no_pandas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path, "some.sav")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert sum(batch.num_rows for batch in Spss().batches(path)) == len(FRAME)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    table = pa.table({"a": [SECRET]})
    with pytest.raises(WriteError) as caught:
        Spss().write(table.to_batches(), table.schema, tmp_path / "nowhere" / "x.sav")
    assert caught.value.problems[0].code == "cannot-write"
    assert SECRET not in "".join(traceback.format_exception(caught.value))
