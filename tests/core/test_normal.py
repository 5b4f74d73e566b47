"""Whatever rows come from, they are brought into one form, or refused without quoting a value."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import narwhals as nw
import pandas as pd
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.normal import logical, misfits
from schleier.core.schema import Column, Scale, Schema
from schleier.engine.duckdb import Duckdb

SECRET = "zzz-planted-marker"


def loaded(values: Any, engine: Duckdb, scale: Scale = "nominal", **more: Any) -> pa.ChunkedArray:
    schema = Schema(columns=(Column(name="x", scale=scale, **more),))
    frame = values if isinstance(values, pd.DataFrame | pa.Table) else pa.table({"x": values})
    return Dataset.from_frame(frame, schema, engine).to_arrow().column("x")


def refused(frame: Any, schema: Schema, engine: Duckdb) -> dict[str, str]:
    """The problems of a frame by code; nothing planted is quoted."""
    with pytest.raises(DataError) as caught:
        Dataset.from_frame(frame, schema, engine)
    assert SECRET not in str(caught.value)
    return {problem.code: problem.message for problem in caught.value.problems}


@pytest.mark.parametrize(
    ("values", "codes", "expected"),
    [
        ([1, 99, None], [99], [1, None, None]),
        ([1, 99, -1], [99, -1], [1, None, None]),
        ([1.5, 99.0, 98.5], [99, 98.5], [1.5, None, None]),
        (["a", "99", ""], ["99", ""], ["a", None, None]),
        (["a", "99", None], [99], ["a", None, None]),
        ([1, 99], ["99"], [1, 99]),
        ([True, False], [1], [True, False]),
    ],
)
def test_codes_for_missing_become_empty(values: Any, codes: Any, expected: Any, engine: Duckdb) -> None:
    assert loaded(values, engine, missing=codes).to_pylist() == expected


def test_not_a_number_is_missing(engine: Duckdb) -> None:
    found = loaded([1.5, float("nan"), None], engine, "continuous", missing=[99])
    assert found.to_pylist() == [1.5, None, None]
    assert found.null_count == 2


def test_whole_numbers_stored_as_floats_become_whole(engine: Duckdb) -> None:
    found = loaded([1.0, float("nan"), -3.0, 2.0**53], engine, "discrete")
    assert (found.type, found.to_pylist()) == (pa.int64(), [1, None, -3, 2**53])


@pytest.mark.parametrize("broken", [1.5, float("inf"), -float("inf"), 1e300, 2.0**53 + 2])
def test_numbers_that_are_not_whole_are_counted(broken: float, engine: Duckdb) -> None:
    schema = Schema(columns=(Column(name="x", scale="discrete"),))
    told = refused(pa.table({"x": [1.0, broken, None]}), schema, engine)
    assert told == {"not-whole": "column 'x' is declared discrete but 1 rows hold numbers with decimals"}


def test_units_are_whole_numbers_or_text(engine: Duckdb) -> None:
    """pandas makes floats of whole numbers with gaps, and engines write floats differently."""
    found = loaded([12345678.0, None, 3.0], engine, role="unit")
    assert (found.type, found.to_pylist()) == (pa.int64(), [12345678, None, 3])
    assert loaded(["a", None], engine, role="unit").to_pylist() == ["a", None]
    schema = Schema(columns=(Column(name="x", role="unit", scale="nominal"),))
    assert set(refused(pa.table({"x": [1.5]}), schema, engine)) == {"not-whole"}


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint32(), pa.int64()])
def test_whole_numbers_of_any_width_stay_as_they_are(kind: pa.DataType, engine: Duckdb) -> None:
    assert loaded(pa.array([1, None, 7], kind), engine, "discrete").to_pylist() == [1, None, 7]


def test_decimals_become_numbers(engine: Duckdb) -> None:
    found = loaded(pa.array([Decimal("1.25"), None], pa.decimal128(9, 2)), engine, "continuous")
    assert (found.type, found.to_pylist()) == (pa.float64(), [1.25, None])
    whole = loaded(pa.array([Decimal("3.00"), None], pa.decimal128(9, 2)), engine, "discrete")
    assert (whole.type, whole.to_pylist()) == (pa.int64(), [3, None])


def test_categories_become_text(engine: Duckdb) -> None:
    frame = pd.DataFrame({"x": pd.Categorical(["b", None, "a", "gone"], categories=["gone", "b", "a"])})
    found = loaded(frame, engine, "ordinal", missing=["gone"])
    assert (found.type, found.to_pylist()) == (pa.string(), ["b", None, "a", None])


@pytest.mark.parametrize(
    ("scale", "kind"),
    [("nominal", pa.string()), ("discrete", pa.int64()), ("continuous", pa.float64()), ("time", pa.date32())],
)
def test_a_column_of_nothing_but_gaps_takes_the_type_of_its_scale(scale: Scale, kind: Any, engine: Duckdb) -> None:
    for frame in (pa.table({"x": pa.nulls(2)}), pd.DataFrame({"x": [None, None]})):
        found = loaded(frame, engine, scale)
        assert (found.type, found.null_count) == (kind, 2)


def test_times_are_kept_to_the_microsecond(engine: Duckdb) -> None:
    stamp = pa.array([1_600_000_000_000_000_001, None], pa.timestamp("ns"))
    found = loaded(stamp, engine, "time")
    assert found.type == pa.timestamp("us")
    assert found.to_pylist() == [dt.datetime(2020, 9, 13, 12, 26, 40), None]


def test_the_day_of_a_zoned_time_is_the_same_on_every_machine(engine: Duckdb) -> None:
    data = Dataset.from_frame(
        pa.table({"x": pa.array([0], pa.timestamp("us", "UTC"))}),
        Schema(columns=(Column(name="x", scale="time"),)),
        engine,
    )
    assert engine.connection.sql("SELECT current_setting('TimeZone')").fetchall() == [("UTC",)]
    assert data.totals(day=nw.col("x").cast(nw.Date).min())["day"] == dt.date(1970, 1, 1)


@pytest.mark.parametrize(
    ("scale", "values", "held"),
    [
        ("discrete", [SECRET], "text"),
        ("continuous", [SECRET], "text"),
        ("continuous", [True], "boolean"),
        ("time", [20], "integer"),
        ("time", [SECRET], "text"),
        ("nominal", [[[SECRET]]], "other"),
    ],
)
def test_a_scale_refuses_types_it_cannot_hold(scale: Scale, values: Any, held: str, engine: Duckdb) -> None:
    schema = Schema(columns=(Column(name="x", scale=scale),))
    told = refused(pa.table({"x": values}), schema, engine)
    assert told == {"wrong-type": f"column 'x' is declared {scale} but holds {held} values"}


def keyed(values: Any, engine: Duckdb) -> dict[str, str]:
    schema = Schema(columns=(Column(name="x", scale="nominal"),), row_key="id")
    return refused(pa.table({"id": values, "x": [1] * len(values)}), schema, engine)


def test_a_row_key_must_tell_rows_apart(engine: Duckdb) -> None:
    assert keyed(["a", SECRET, SECRET, SECRET], engine) == {
        "row-key-not-unique": "the row key does not tell rows apart: 2 repeated, 0 missing"
    }
    assert keyed([1, None, 2], engine) == {
        "row-key-not-unique": "the row key does not tell rows apart: 0 repeated, 1 missing"
    }
    assert keyed([None, None], engine)["row-key-type"]


@pytest.mark.parametrize("values", [[1.0, 2.0], [True, False], [dt.date(2020, 1, 1)]])
def test_a_row_key_holds_whole_numbers_or_text(values: Any, engine: Duckdb) -> None:
    assert keyed(values, engine) == {"row-key-type": "the row key must hold whole numbers or text"}


def test_all_misfits_are_told_at_once(engine: Duckdb) -> None:
    columns = (Column(name="a", scale="discrete"), Column(name="b", scale="nominal"), Column(name="c", scale="time"))
    frame = pa.table({"a": [SECRET], "c": [1], "d": [1], "e": [1]})
    told = refused(frame, Schema(columns=columns, row_key="id"), engine)
    assert set(told) == {"unknown-column", "undescribed-column", "wrong-type"}
    assert told["undescribed-column"] == "the schema does not describe 'd', 'e'"


def test_undescribed_columns_may_be_left_out(engine: Duckdb) -> None:
    schema = Schema(columns=(Column(name="x", scale="nominal"),), others="drop")
    data = Dataset.from_frame(pa.table({"y": [1], "x": [2], "z": [3]}), schema, engine)
    assert data.to_arrow().to_pydict() == {"x": [2]}
    assert data.frame.collect_schema().names() == ["_row_", "x"]


def test_names_of_a_file_without_a_header_are_counted_not_shown() -> None:
    """They are the values of the first person."""
    schema = Schema(columns=(Column(name="name", scale="text"), Column(name="age", scale="discrete")))
    told = str(misfits({SECRET: "text", "44": "text"}, schema, "data", typed=False).found)
    assert SECRET not in told and "'44'" not in told
    assert "any of its 2 columns" in told


@pytest.mark.parametrize(
    "frame",
    [
        pa.table([[1], [2], [3]], names=["x", SECRET, SECRET]),
        pd.DataFrame([[1, 2, 3]], columns=["x", SECRET, SECRET]),
    ],
)
def test_columns_must_have_names_of_their_own(frame: Any, engine: Duckdb) -> None:
    assert set(refused(frame, Schema(columns=(Column(name="x", scale="nominal"),)), engine)) == {"duplicate-columns"}


def test_a_column_of_mixed_types_is_refused_without_its_values(engine: Duckdb) -> None:
    frame = pd.DataFrame({"x": [1, SECRET]})
    assert set(refused(frame, Schema(columns=(Column(name="x", scale="nominal"),)), engine)) == {"mixed-types"}


def test_logical_types_of_everything_an_engine_may_hold() -> None:
    kinds: dict[str, list[Any]] = {
        "integer": [nw.Int8(), nw.UInt64(), nw.Int128()],
        "number": [nw.Float32(), nw.Float64()],
        "decimal": [nw.Decimal()],
        "text": [nw.String(), nw.Categorical(), nw.Enum(["a"])],
        "date": [nw.Date()],
        "time": [nw.Datetime(), nw.Datetime("ns", "UTC")],
        "boolean": [nw.Boolean()],
        "list": [nw.List(nw.Int8()), nw.List(nw.String)],
        "other": [
            nw.List(nw.Float64()),
            nw.List(nw.List(nw.Int8())),
            nw.Unknown(),
            nw.Time(),
            nw.Duration(),
            nw.Binary(),
        ],
    }
    for name, types in kinds.items():
        assert {logical(kind) for kind in types} == {name}


def test_names_that_only_capitals_tell_apart_are_named_as_they_are() -> None:
    engine, frame = Duckdb(), pd.DataFrame({"AGE": [1, 2], "age": [3, 4]})
    schema = Schema(columns=(Column(name="age", scale="discrete"),))
    told = refused(frame, schema, engine)
    assert told == {"repeated-name": "names of columns differ only in capitals: 'AGE', 'age'"}
    dropped = Dataset.from_frame(frame, schema.model_copy(update={"others": "drop"}), engine)
    assert dropped.to_arrow().column("age").to_pylist() == [3, 4]
    (absent, _) = misfits({"AGE": "integer"}, schema, "data").found
    assert absent.hint == "write names with the capitals they have there: 'AGE'"
