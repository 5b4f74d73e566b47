"""Stata: labels, extended missing values, dates, and what cannot be written."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from schleier.core.dictionary import Entry
from schleier.core.errors import WriteError
from schleier.core.schema import Column, Schema
from schleier.formats._variables import Nature
from schleier.formats.stata import Stata

FRAME = pd.DataFrame(
    {
        "geschl": pd.Series([1, 2, "a", "b", None], dtype=object),
        "größe": [1.75, np.nan, 2.0, 1.6, 0.1],
        "alter": np.array([30, 40, 50, 60, 70], dtype=np.int32),
        "ort": ["Köln", "", "x" * 3000, "Gießen", "Bonn"],
        "tag": [dt.date(1900, 1, 1), dt.date(2024, 2, 29), None, dt.date(1959, 12, 31), dt.date(1960, 1, 1)],
        "zeit": [dt.datetime(2024, 2, 29, 23, 59, 59, 123000), *[None] * 4],
    }
)
OPTIONS: dict[str, Any] = {
    "column_labels": {"geschl": "Geschlecht"},
    "variable_value_labels": {"geschl": {1: "weiblich", 2: "männlich", "a": "verweigert"}},
    "missing_user_values": {"geschl": ["a", "b"]},
}


def rows(path: Path, *columns: Column) -> dict[str, list[Any]]:
    described = Schema(columns=columns, others="drop") if columns else None
    return pa.Table.from_batches(Stata().batches(path, described)).to_pydict()


@pytest.fixture(params=[15, 14])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    pyreadstat.write_dta(FRAME, tmp_path / "some.dta", version=request.param, **OPTIONS)
    return tmp_path / "some.dta"


def test_the_dictionary_is_kept(file: Path) -> None:
    assert list(Stata().header(file).values()) == ["integer", "number", "integer", "text", "date", "time"]
    found = Stata().dictionary(file)
    assert found["geschl"] == Entry(
        "Geschlecht", {"1": "weiblich", "2": "männlich", ".a": "verweigert"}, missing=(".a",), scale=None
    )


@pytest.mark.parametrize("version", [8, 10, 12, 13])
def test_old_files_in_a_code_page(tmp_path: Path, version: int) -> None:
    path = tmp_path / "old.dta"
    labels = {"x": {1: "m~nnlich", "a": "verweigert"}}
    frame = pd.DataFrame({"x": pd.Series([1.0, "a"], dtype=object), "ort": ["K~ln", "Bonn"]})
    gaps = {"missing_user_values": {"x": ["a"]}, "variable_value_labels": labels}
    pyreadstat.write_dta(frame, path, version=version, **gaps)
    path.write_bytes(path.read_bytes().replace(b"K~", b"K\xf6").replace(b"m~", b"m\xe4"))
    assert rows(path) == {"x": [1, None], "ort": ["Köln", "Bonn"]}
    assert Stata().dictionary(path)["x"].labels == {"1": "männlich", ".a": "verweigert"}


def test_extended_missing_values_are_gaps(file: Path) -> None:
    found = rows(file)
    assert found["geschl"] == [1, 2, None, None, None]
    assert found["alter"] == [30, 40, 50, 60, 70]
    assert found["ort"] == ["Köln", None, "x" * 3000, "Gießen", "Bonn"]
    assert found["tag"] == FRAME["tag"].tolist()
    assert found["zeit"] == [dt.datetime(2024, 2, 29, 23, 59, 59, 123000), *[None] * 4]


def test_a_reason_makes_the_column_text_and_other_letters_stay_gaps(file: Path) -> None:
    column = Column(name="geschl", scale="nominal", reasons=(".a",))
    assert rows(file, column, Column(name="alter", scale="discrete")) == {
        "geschl": ["1", "2", ".a", None, None],
        "alter": [30, 40, 50, 60, 70],
    }


@pytest.mark.parametrize(
    ("storage", "form", "expected"),
    [
        ("double", "%td", Nature("date", 1)),
        ("int32", "%d", Nature("date", 1)),
        ("double", "%-tdDD/NN/CCYY", Nature("date", 1)),
        ("double", "%20tcHH:MM:SS", Nature("time", 1000)),
        ("double", "%tm", Nature("integer")),
        ("float", "%9.0g", Nature("number")),
        ("double", "%12.0f", Nature("integer")),
        ("int8", "%8.0g", Nature("integer")),
        ("double", "%10.2f", Nature("number")),
        ("string", "%20s", Nature("text")),
    ],
)
def test_what_formats_mean(storage: str, form: str, expected: Nature) -> None:
    assert Stata().nature(storage, form) == expected


# From here on: writing.


def written(path: Path, table: pa.Table, *columns: Column) -> Any:
    Stata().write(table.to_batches(max_chunksize=2), table.schema, path, None, columns)
    return pyreadstat.read_dta(path, user_missing=True)


TABLE = pa.table(
    {
        "größe": [1.25, None, 3.5],
        "code": pa.array([1, -9, None], pa.int64()),
        "groß": pa.array([2**40, 1, None], pa.int64()),
        "wort": ["Köln", None, "x" * 3000],
        "ja": [True, None, False],
        "tag": pa.array([dt.date(1800, 1, 1), None, dt.date(2024, 12, 31)]),
        "zeit": pa.array([dt.datetime(2024, 1, 2, 3, 4, 5, 678000), None, dt.datetime(1600, 1, 1)], pa.timestamp("us")),
    }
)
COLUMNS = (
    Column(name="größe", scale="continuous", title="Größe", decimals=2),
    Column(name="code", scale="nominal", labels={"1": "ja", "-9": "weiß nicht"}, reasons=(-9, -8)),
    Column(name="groß", scale="discrete"),
    Column(name="wort", scale="text", title="ä" * 100),
    Column(name="ja", scale="nominal", labels={"true": "yes", "false": "no"}),
    Column(name="tag", scale="time"),
    Column(name="zeit", scale="time"),
)


def test_what_is_written_is_read_by_others(tmp_path: Path) -> None:
    frame, told = written(tmp_path / "some.dta", TABLE, *COLUMNS)
    assert frame["code"].tolist()[:2] == [1, "a"] and pd.isna(frame["code"][2])
    assert told.variable_value_labels == {
        "code": {1: "ja", "a": "weiß nicht", "b": "-8"},
        "ja": {0: "no", 1: "yes"},
    }
    assert told.missing_user_values == {"code": ["a"]}
    assert told.column_names_to_labels["größe"] == "Größe"
    assert told.column_names_to_labels["wort"] == "ä" * 79 + "…"
    assert told.readstat_variable_types["ja"] == "int32"
    assert told.readstat_variable_types["groß"] == "double"
    assert told.original_variable_types["größe"] == "%9.2f"
    assert (frame["tag"][0], frame["zeit"][0]) == (dt.date(1800, 1, 1), dt.datetime(2024, 1, 2, 3, 4, 5, 678000))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "some.dta"
    written(path, TABLE, *COLUMNS)
    # The letter of -9 is labelled like -9, so it is -9 again.
    assert rows(path, *COLUMNS) == TABLE.to_pydict() | {"ja": [1, None, 0]}
    assert Stata().header(path) == {
        "größe": "number",
        "code": "integer",
        "groß": "integer",
        "wort": "text",
        "ja": "integer",
        "tag": "date",
        "zeit": "time",
    }


def test_a_foreign_letter_is_not_taken_for_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "foreign.dta"
    frame = pd.DataFrame({"x": pd.Series([1, -9, "a"], dtype=object)})
    labels = {"x": {"a": "verweigert", -9: "weiß nicht"}}
    pyreadstat.write_dta(frame, path, missing_user_values={"x": ["a"]}, variable_value_labels=labels)
    column = Column(name="x", scale="nominal", reasons=(-9,), labels={"-9": "weiß nicht"})
    assert rows(path, column) == {"x": [1, -9, None]}


def test_codes_beside_letters_are_numbers_again(tmp_path: Path) -> None:
    table = pa.table({"x": ["1", "2", ".a", None, ".z"]})
    column = Column(name="x", scale="ordinal", reasons=(".a", ".z"), labels={"1": "low", ".a": "refused"})
    frame, told = written(tmp_path / "x.dta", table, column)
    assert frame["x"].tolist()[:3] == [1, 2, "a"] and frame["x"][4] == "z"
    assert told.variable_value_labels == {"x": {1: "low", "a": "refused", "z": ".z"}}
    assert rows(tmp_path / "x.dta", column) == table.to_pydict()


@pytest.mark.parametrize("first", [None, -9])
def test_numbers_that_come_late_are_numbers(tmp_path: Path, first: int | None) -> None:
    """The library looks at the first hundred values only; a column of gaps or reasons is no text."""
    table = pa.table({"x": pa.array([first] * 150 + [1, 2], pa.int64())})
    column = Column(name="x", scale="nominal", reasons=() if first is None else (first,), labels={"1": "one"})
    frame, told = written(tmp_path / "late.dta", table, column)
    assert frame["x"].tolist()[-2:] == [1, 2] and told.variable_value_labels["x"][1] == "one"
    assert told.readstat_variable_types["x"] == ("int32" if first is None else "double")
    assert rows(tmp_path / "late.dta", column) == table.to_pydict()


@pytest.mark.parametrize("values", [["01", "2"], ["1", "two"], ["1", "1.5"], ["1", "3000000000"], ["+1"], ["-0"]])
def test_text_that_is_no_code_stays_text(tmp_path: Path, values: list[str]) -> None:
    column = Column(name="x", scale="nominal", labels={"1": "one"})
    frame, _ = written(tmp_path / "x.dta", pa.table({"x": values}), column)
    assert frame["x"].tolist() == values


def test_text_without_labels_stays_text(tmp_path: Path) -> None:
    frame, _ = written(tmp_path / "x.dta", pa.table({"x": ["1", "2"]}), Column(name="x", scale="nominal"))
    assert frame["x"].tolist() == ["1", "2"]


def test_gaps_only_and_no_rows(tmp_path: Path) -> None:
    gaps = pa.table({"w": pa.array([None, None], pa.string()), "n": pa.array([None, None], pa.int64())})
    column = Column(name="n", scale="nominal", reasons=(-9,))
    written(tmp_path / "gaps.dta", gaps, column)
    assert rows(tmp_path / "gaps.dta") == gaps.to_pydict()
    written(tmp_path / "all.dta", pa.table({"n": [-9, -9]}), column)
    assert rows(tmp_path / "all.dta", column) == {"n": [-9, -9]}
    written(tmp_path / "none.dta", TABLE.slice(0, 0), *COLUMNS)
    assert rows(tmp_path / "none.dta", *COLUMNS) == {name: [] for name in TABLE.column_names}


def test_everything_wrong_is_told_at_once_before_writing(tmp_path: Path) -> None:
    table = pa.table({"a.b": [1], "n" * 33: [1], "_n": [1], "str12": [1], "huge": [2**60], "many": [1]})
    with pytest.raises(WriteError) as caught:
        written(tmp_path / "x.dta", table, Column(name="many", scale="nominal", reasons=tuple(range(-27, 0))))
    assert not (tmp_path / "x.dta").exists()
    assert [(p.where, p.code) for p in caught.value.problems] == [
        ("huge", "too-large"),
        ("a.b", "bad-name"),
        ("n" * 33, "bad-name"),
        ("_n", "bad-name"),
        ("str12", "bad-name"),
        ("many", "too-many-reasons"),
    ]


def test_what_is_written_is_read_by_another_library(tmp_path: Path) -> None:
    written(tmp_path / "some.dta", TABLE, *COLUMNS)
    tagged = pd.read_stata(tmp_path / "some.dta", columns=["code"], convert_categoricals=False, convert_missing=True)
    assert [str(value) for value in tagged["code"]] == ["1.0", ".a", "."]
    frame = pd.read_stata(tmp_path / "some.dta", convert_categoricals=False)
    assert frame["wort"].tolist() == ["Köln", "", "x" * 3000]
    assert frame["tag"][0] == pd.Timestamp(1800, 1, 1) and frame["größe"][0] == 1.25
    with pd.read_stata(tmp_path / "some.dta", iterator=True) as reader:
        labels = reader.value_labels()
        assert sorted(labels[name][1] for name in labels if 1 in labels[name]) == ["ja", "yes"]
        assert reader.variable_labels()["größe"] == "Größe"
