"""What we write as text, the engine reads back equal, under any layout."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.schema import Column, Layout
from schleier.engine._ingest import csv_to_parquet
from schleier.formats.csv import Csv

SCHEMA = pa.schema({"i": pa.int64(), "x": pa.float64(), "t": pa.string(), "d": pa.date32(), "m": pa.timestamp("us")})
COLUMNS = [
    Column(name="i", scale="discrete"),
    Column(name="x", scale="continuous"),
    Column(name="t", scale="text"),
    Column(name="d", scale="time"),
]
LAYOUTS = [
    Layout(),
    Layout(delimiter=";", decimal=",", thousands=".", date="%d.%m.%Y"),
    Layout(delimiter=",", decimal=",", quote="'", date="%m/%d/%Y"),
    Layout(delimiter="\t", thousands=" ", encoding="utf-16"),
    Layout(delimiter="|", thousands="'", encoding="utf-8-sig", date="%Y/%m/%d"),
]

rows = st.tuples(
    st.none() | st.integers(-(2**63), 2**63 - 1),
    st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e6, 1e6),
    st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6),
    st.none() | st.dates(dt.date(1000, 1, 1)),
)


class Loop:
    """Writes and reads in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.connection = folder, duckdb.connect()

    def __call__(self, values: list[Any], layout: Layout, columns: list[Column] = COLUMNS) -> list[tuple[Any, ...]]:
        text, typed = self.folder / "loop.csv", self.folder / "loop.parquet"
        names = [column.name for column in columns]
        schema = pa.schema([SCHEMA.field(name) for name in names])
        arrays = [pa.array(column, field.type) for column, field in zip(zip(*values, strict=True), schema, strict=True)]
        Csv().write([pa.record_batch(arrays, schema=schema)], schema, text, layout)
        assert list(Csv().header(text, layout)) == names
        csv_to_parquet(self.connection, text, layout, columns, names, typed, self.folder)
        return [tuple(row.values()) for row in pq.read_table(typed).to_pylist()]


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Loop:
    return Loop(tmp_path_factory.mktemp("loop"))


@given(st.lists(rows, min_size=1), st.sampled_from(LAYOUTS))
def test_written_and_read_back(loop: Loop, values: list[Any], layout: Layout) -> None:
    assert loop(values, layout) == values


@given(st.lists(st.tuples(st.none() | st.datetimes(dt.datetime(1000, 1, 1))), min_size=1))
def test_times_with_their_fractions(loop: Loop, values: list[Any]) -> None:
    layout = Layout(delimiter=";", date="%d.%m.%Y %H:%M:%S.%f")
    assert loop(values, layout, [Column(name="m", scale="time")]) == values


@given(st.lists(st.tuples(st.none() | st.text("ab", max_size=2)), min_size=1))
def test_one_column_of_texts_with_gaps(loop: Loop, values: list[Any]) -> None:
    assert loop(values, Layout(), [Column(name="t", scale="text")]) == values
