"""SAS: data sets and transport files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from sas_files import sas_file
from schleier.core.schema import Column, Schema
from schleier.formats._variables import Nature
from schleier.formats.sas import Sas


def test_a_data_set() -> None:
    path = sas_file("sample.sas7bdat")
    assert list(Sas().header(path).values()) == ["text", "number", "date", "time", "number", "number", "number"]
    table = pa.Table.from_batches(Sas().batches(path)).to_pydict()
    assert table["mychar"] == ["a", "b", "c", "d", "e"]
    assert table["mynum"] == [1.1, 1.2, -1000.3, -1.4, 1000.3]
    assert table["mydate"][:2] == [dt.date(2018, 5, 6), dt.date(1880, 5, 6)] and table["mydate"][4] is None
    assert table["dtime"][1] == dt.datetime(1880, 5, 6, 10, 10, 10)
    described = Schema(columns=[Column(name="myord", scale="ordinal")], others="drop")
    assert pa.Table.from_batches(Sas().batches(path, described)).to_pydict() == {"myord": [1, 2, 3, 1, 1]}


def test_extended_missing_values_are_gaps_unless_they_are_reasons() -> None:
    path = sas_file("missing_test.sas7bdat")
    names = [f"var{i}" for i in range(1, 10)]
    assert pa.Table.from_batches(Sas().batches(path)).to_pylist() == [dict.fromkeys(names) | {"var9": 1.0}]
    columns = [Column(name=name, scale="nominal", reasons=(".A",)) for name in names]
    (row,) = pa.Table.from_batches(Sas().batches(path, Schema(columns=columns))).to_pylist()
    assert {name: value for name, value in row.items() if value} == {"var1": ".A", "var9": "1"}


def test_a_transport_file(tmp_path: Path) -> None:
    path = tmp_path / "some.xpt"
    frame = pd.DataFrame({"id": [1.0, 2.0, None], "ort": ["Koeln", "", "Bonn"], "tag": [dt.date(2024, 2, 29)] * 3})
    pyreadstat.write_xport(frame, path, column_labels={"id": "Number"}, variable_format={"id": "F8.0"})
    assert Sas().header(path) == {"id": "integer", "ort": "text", "tag": "date"}
    assert Sas().dictionary(path)["id"].title == "Number"
    assert pa.Table.from_batches(Sas().batches(path)).to_pydict() == {
        "id": [1, 2, None],
        "ort": ["Koeln", None, "Bonn"],
        "tag": [dt.date(2024, 2, 29)] * 3,
    }


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("DATE9", Nature("date", 1)),
        ("YYMMDDN8", Nature("date", 1)),
        ("E8601DA", Nature("date", 1)),
        ("DTDATE9", Nature("date", 86_400)),
        ("DATETIME20", Nature("time", 1)),
        ("E8601DT26.6", Nature("time", 1)),
        ("TIME8", Nature("number")),
        ("BEST12", Nature("number")),
        ("8.", Nature("integer")),
        ("F8.2", Nature("number")),
        ("", Nature("number")),
    ],
)
def test_what_formats_mean(form: str, expected: Nature) -> None:
    assert Sas().nature("double", form) == expected


def test_nothing_is_written() -> None:
    assert not Sas.writes
