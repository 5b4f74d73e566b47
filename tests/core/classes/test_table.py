"""The class table against a slow and obvious version that looks at every row."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.classes.request import Missing, Request
from schleier.core.classes.table import Classes, sorted_codes
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.hierarchy import parse
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.engine.duckdb import Duckdb
from schleier.kernels.classes.coding import number_rows
from schleier.methods.recode import Recode

SCHEMA = Schema(
    columns=(
        Column(name="place", role="quasi", scale="nominal", hierarchy="place"),
        Column(name="age", role="quasi", scale="discrete", hierarchy="age"),
        Column(name="illness", role="sensitive", scale="nominal"),
        Column(name="weight", role="weight", scale="continuous"),
    ),
    hierarchies={
        "place": parse({"rows": [["x", "xy", "*"], ["y", "xy", "*"], ["z", "zz", "*"]]}),
        "age": parse({"intervals": [5, 10]}),
    },
)
TYPES = pa.schema({"place": pa.string(), "age": pa.int64(), "illness": pa.string(), "weight": pa.float64()})
KEYS = ("place", "age")
WEIGHTS = [0.5, 1.0, 1.5, 12.5]  # their squares are whole thousandths, so sums are exact

Row = tuple[str | None, int | None, str | None, float]
rows_of_people = st.lists(
    st.tuples(
        st.sampled_from(["x", "y", "z", None]),
        st.sampled_from([0, 4, 5, 23, None]),
        st.sampled_from(["flu", "gout", None]),
        st.sampled_from(WEIGHTS),
    ),
    max_size=30,
)


def dataset(rows: list[Row], engine: Duckdb, schema: Schema = SCHEMA) -> Dataset:
    columns = [[row[j] for row in rows] for j in range(4)]
    return Dataset.from_frame(pa.table(columns, schema=TYPES), schema, engine)


def classes_of(rows: list[Row], engine: Duckdb, missing: Missing = "category") -> Classes:
    return dataset(rows, engine).classes(Request(KEYS, ("illness",), "weight", missing))


def cells(classes: Classes) -> list[tuple[Any, ...]]:
    """The key values of each class."""
    return [
        tuple(None if code < 0 else values[int(code)].as_py() for code, values in zip(row, classes.values, strict=True))
        for row in classes.codes
    ]


def spread(classes: Classes, name: str) -> Counter[tuple[Any, ...]]:
    """Rows by class and sensitive value."""
    h, keys = classes.histograms[name], cells(classes)
    values = [None if code < 0 else h.values[int(code)].as_py() for code in h.codes]
    counted = Counter[tuple[Any, ...]]()
    for place, value, count in zip(h.classes, values, h.counts, strict=True):
        assert (keys[place], value) not in counted, "a pair of class and value is listed once"
        counted[keys[place], value] += int(count)
    return counted


def agrees(classes: Classes, rows: list[Row], keys: list[tuple[Any, ...]]) -> None:
    """The table tells of these rows what counting them one by one tells."""
    assert dict(zip(cells(classes), classes.sizes.tolist(), strict=True)) == Counter(keys)
    for amounts, power in ((classes.weights, 1), (classes.squares, 2)):
        expected: dict[tuple[Any, ...], float] = {}
        for key, row in zip(keys, rows, strict=True):
            expected[key] = expected.get(key, 0.0) + row[3] ** power
        assert amounts is not None
        assert dict(zip(cells(classes), amounts.tolist(), strict=True)) == pytest.approx(expected, rel=1e-12)
    assert spread(classes, "illness") == Counter((key, row[2]) for key, row in zip(keys, rows, strict=True))
    assert classes.records == len(rows)


@given(rows=rows_of_people)
@settings(max_examples=40)
def test_missing_keys_are_a_category_of_their_own(engine: Duckdb, rows: list[Row]) -> None:
    agrees(classes_of(rows, engine), rows, [row[:2] for row in rows])


@given(rows=rows_of_people)
@settings(max_examples=40)
def test_exclude_leaves_out_exactly_the_rows_with_a_missing_key(engine: Duckdb, rows: list[Row]) -> None:
    whole = [row for row in rows if None not in row[:2]]
    agrees(classes_of(rows, engine, "exclude"), whole, [row[:2] for row in whole])


@given(rows=rows_of_people)
@settings(max_examples=40)
def test_a_wildcard_counts_every_row_it_could_be(engine: Duckdb, rows: list[Row]) -> None:
    classes = classes_of(rows, engine, "wildcard")

    def could_be(one: tuple[Any, ...], other: tuple[Any, ...], *, lend: bool = False) -> bool:
        return all(a is None or (lend and b is None) or a == b for a, b in zip(one, other, strict=True))

    expected = [sum(could_be(mine, row[:2]) for row in rows) for mine in cells(classes)]
    assert classes.of(classes.sizes, "wildcard").tolist() == expected
    lent = [sum(could_be(mine, row[:2], lend=True) for row in rows) for mine in cells(classes)]
    assert classes.of(classes.sizes, "wildcard", lend=True).tolist() == lent
    assert classes.weights is not None
    weights = [sum(row[3] for row in rows if could_be(mine, row[:2])) for mine in cells(classes)]
    assert classes.of(classes.weights, "wildcard").tolist() == pytest.approx(weights)
    assert classes.of(classes.sizes, "category") is classes.sizes


def label(column: int, value: Any, level: int) -> Any:
    """The coarser value, spelt out by hand."""
    if level == 0:
        return value
    if level == (2, 3)[column]:
        return "*"  # missing joins the root
    if value is None:
        return None
    if column == 0:
        return {"x": "xy", "y": "xy", "z": "zz"}[value]
    width = (5, 10)[level - 1]
    return f"{value // width * width}-{value // width * width + width - 1}"


@given(rows=rows_of_people)
@settings(max_examples=25)
def test_rolling_up_counts_the_coarsened_rows(engine: Duckdb, rows: list[Row]) -> None:
    finest = classes_of(rows, engine)
    for levels in product(range(3), range(4)):
        keys = [tuple(label(j, row[j], level) for j, level in enumerate(levels)) for row in rows]
        agrees(finest.at(levels), rows, keys)


@given(rows=rows_of_people.filter(bool))
@settings(max_examples=8)
def test_rolling_up_equals_grouping_the_recoded_rows(engine: Duckdb, rows: list[Row]) -> None:
    data = dataset(rows, engine)
    finest = classes_of(rows, engine)
    for levels in ((1, 0), (0, 2), (1, 1), (2, 2), (1, 3)):
        recoded = data
        for column, level in zip(KEYS, levels, strict=True):
            if level:
                recoded = Recode(column=column, level=level).apply(recoded, Run())
        there = recoded.classes(Request(KEYS, ("illness",), "weight"))
        here = finest.at(levels)
        assert cells(here) == cells(there)
        assert here.sizes.tolist() == there.sizes.tolist()
        assert spread(here, "illness") == spread(there, "illness")


@given(rows=rows_of_people, seed=st.integers(0, 99))
@settings(max_examples=25)
def test_order_of_rows_does_not_matter(engine: Duckdb, rows: list[Row], seed: int) -> None:
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    one, other = classes_of(rows, engine), classes_of(shuffled, engine)
    assert one.codes.tolist() == other.codes.tolist() == sorted(one.codes.tolist())
    assert one.sizes.tolist() == other.sizes.tolist()


def test_a_value_outside_its_hierarchy_joins_the_root_or_is_an_error(engine: Duckdb) -> None:
    rows: list[Row] = [("x", 1, None, 1.0), ("elsewhere", 1, None, 1.0), (None, 1, None, 1.0)]
    strict = dataset(rows, engine).classes(Request(("place",)))
    with pytest.raises(DataError, match="1 values of column 'place'") as caught:
        strict.at((1,))
    assert "elsewhere" not in str(caught.value)
    assert cells(strict.at((2,))) == [("*",)]
    lenient = SCHEMA.hierarchies["place"].model_copy(update={"outside": "root"})
    schema = SCHEMA.model_copy(update={"hierarchies": {**SCHEMA.hierarchies, "place": lenient}})
    classes = dataset(rows, engine, schema).classes(Request(("place",)))
    assert cells(classes.at((1,))) == [(None,), ("*",), ("xy",)]


def test_there_is_no_level_beyond_the_root(engine: Duckdb) -> None:
    classes = classes_of([("x", 1, None, 1.0)], engine)
    for levels in ((3, 0), (-1, 0)):
        with pytest.raises(ValueError, match="'place' has no level"):
            classes.at(levels)
    with pytest.raises(ValueError, match="'place' has no level 1"):
        classes.at((1, 0)).at((1, 0))  # a rolled-up key has no hierarchy any more


def test_without_keys_all_rows_are_one_class(engine: Duckdb) -> None:
    rows: list[Row] = [("x", 1, None, 1.0), (None, None, None, 1.0)]
    classes = dataset(rows, engine).classes(Request(()))
    assert classes.sizes.tolist() == [2]
    assert classes.codes.shape == (1, 0)


def test_missing_weights_count_as_nothing(engine: Duckdb) -> None:
    """A class nobody weighs must not pass for a large one: NaN is never below k."""
    rows: list[Any] = [("x", 1, None, None), ("y", 1, None, 2.0)]
    classes = dataset(rows, engine).classes(Request(("place",), weight="weight"))
    assert classes.weights is not None
    assert classes.weights.tolist() == [0.0, 2.0]


def test_codes_follow_the_order_of_values_and_missing_is_minus_one() -> None:
    values, codes = sorted_codes(pa.chunked_array([["b", None], ["a", "b"]]))
    assert (values.to_pylist(), codes.tolist()) == (["a", "b"], [1, -1, 0, 1])
    values, codes = sorted_codes(pa.array(["b", None, "a"]).dictionary_encode())
    assert (values.to_pylist(), codes.tolist()) == (["a", "b"], [1, -1, 0])


@given(st.lists(st.lists(st.integers(-1, 2**31 - 2), min_size=3, max_size=3), max_size=12))
def test_numbering_does_not_overflow_with_large_codes(rows: list[list[int]]) -> None:
    codes = np.array(rows, dtype=np.int32).reshape(-1, 3)
    found = number_rows(codes)
    assert [(a == b) for a in rows for b in rows] == [(a == b) for a in found for b in found]
