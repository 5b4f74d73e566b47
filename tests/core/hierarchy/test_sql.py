"""What a hierarchy says in SQL is what it does with arrays, value by value."""

from __future__ import annotations

import datetime as dt
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.hierarchy import Hierarchy, parse
from schleier.core.sql import Typed

KINDS = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "text": pa.string(),
    "date": pa.date32(),
    "time": pa.timestamp("us"),
    "boolean": pa.bool_(),
}
CONNECTION = duckdb.connect()


def in_sql(hierarchy: Hierarchy, values: pa.Array, kind: str, *levels: int) -> list[list[str | None]]:
    """The labels of each level, in one query: there are thousands of them."""
    said = [hierarchy.sql(Typed('"v"', kind), level) for level in levels]
    assert None not in said
    table = pa.table({"row": pa.array(range(len(values)), pa.int64()), "v": values})
    labels = ", ".join(f"{one} AS label{i}" for i, one in enumerate(said))
    rows = CONNECTION.from_arrow(table).project(f'"row", {labels}').order('"row"').fetchall()
    return [[row[i] for row in rows] for i in range(1, len(levels) + 1)]


def same(hierarchy: Hierarchy, values: list[Any], kind: str) -> None:
    array, levels = pa.array([*values, None], KINDS[kind]), range(1, hierarchy.depth)
    for level, found in zip(levels, in_sql(hierarchy, array, kind, *levels) if levels else [], strict=True):
        labels = hierarchy.labels(array.slice(0, len(values)), level).to_pylist()
        assert found == [*labels, None], f"level {level}"


WIDTHS = st.sampled_from(
    [(5,), (1, 7), (5, 10, 20), (0.1, 0.5), (0.25, 1), (2.5, 10), (100, 1000), (1e-6, 1e-3), (3e9,)]
)
ORIGINS = st.sampled_from([0, 0, 1, -3, 0.5, 0.05, 1e6, -1234.5])
FLOATS = st.one_of(
    st.floats(allow_nan=False),
    st.floats(-1e4, 1e4),
    st.integers(-500, 500).map(lambda n: n / 10),
    st.integers(-500, 500).map(lambda n: n * 0.1),
    st.integers(-500, 500).map(lambda n: np.nextafter(n * 0.25, -np.inf).item()),
)


@given(WIDTHS, ORIGINS, st.lists(FLOATS, max_size=30))
def test_intervals_of_floats(widths: tuple[float, ...], origin: float, values: list[float]) -> None:
    hierarchy = parse({"intervals": list(map(float, widths)), "origin": float(origin)})
    if not list(hierarchy.problems("")):
        same(hierarchy, values, "number")


@given(WIDTHS, ORIGINS, st.lists(st.one_of(st.integers(-2000, 2000), st.integers(-(2**63), 2**63 - 1)), max_size=30))
def test_intervals_of_whole_numbers(widths: tuple[float, ...], origin: float, values: list[int]) -> None:
    hierarchy = parse({"intervals": list(map(float, widths)), "origin": float(origin)})
    if not list(hierarchy.problems("")):
        same(hierarchy, values, "integer")


def test_intervals_at_their_edges() -> None:
    tenths = parse({"intervals": [0.1, 0.2]})
    values = [n * 0.1 for n in range(-20, 20)] + [n / 10 for n in range(-20, 20)]
    same(tenths, values + [np.nextafter(v, s).item() for v in values for s in (-np.inf, np.inf)], "number")
    reach = 2.0**48
    edges = [reach, -reach, reach - 1, -reach - 1, 1e300, -1e300, float("inf"), -float("inf")]
    same(parse({"intervals": [1, 2]}), edges, "number")


def test_ends_that_no_decimal_holds_are_not_said() -> None:
    fine = parse({"intervals": [1e-15], "origin": 123456.7})
    assert fine.sql(Typed("v", "number"), 1) is None


BREAKS = [-5.0, 0.0, 0.5, 1.0, 20.0, 1e6]


@given(st.lists(FLOATS, max_size=30), st.lists(st.integers(-(2**63), 2**63 - 1), max_size=10))
def test_balanced(values: list[float], whole: list[int]) -> None:
    hierarchy = parse({"balanced": [8, 2], "breaks": [BREAKS, [0.5]]})
    same(hierarchy, [*values, *BREAKS], "number")
    same(parse({"balanced": [4], "breaks": [[-5, 0, 20]]}), [*whole, -6, -5, -1, 0, 19, 20], "integer")
    same(parse({"balanced": [4], "breaks": [[]]}), values, "number")


DATES = st.one_of(st.dates(), st.dates(dt.date(1999, 12, 20), dt.date(2011, 1, 10)))


@pytest.mark.parametrize(
    "units", [["day", "week"], ["day", "month", "quarter", "half", "year", "decade"]], ids=lambda units: units[1]
)
@given(days=st.lists(DATES, max_size=30))
def test_dates(units: list[str], days: list[dt.date]) -> None:
    hierarchy = parse({"dates": units})
    same(hierarchy, days, "date")
    same(hierarchy, [dt.datetime.combine(day, dt.time(23, 59, 59)) for day in days], "time")


def test_every_turn_of_a_year_is_in_the_week_it_belongs_to() -> None:
    days = [
        dt.date(year, month, day) for year in range(1, 9999, 7) for month, day in ((1, 1), (1, 3), (12, 29), (12, 31))
    ]
    same(parse({"dates": ["week"]}), days, "date")


@given(st.lists(st.one_of(st.text(st.characters(exclude_characters="\0")), st.from_regex(r"[0-9]{5}", fullmatch=True))))
def test_prefix(values: list[str]) -> None:
    same(parse({"prefix": [3, 1, 0]}), [v for v in values if v.isprintable()], "text")
    same(parse({"prefix": [3, 1]}), [53117, -5, 0, 7], "integer")


def test_a_prefix_of_a_broken_number_is_not_said() -> None:
    assert parse({"prefix": [3]}).sql(Typed("v", "number"), 1) is None


ODD = ["it's", 'say "no"', "back\\slash", "Köln", "", " ", "%", "a;b -- c", "NULL", "new\nline"]


def test_table_and_tree_with_odd_labels() -> None:
    rows = [[value, f"{value}'s \\ label", "*"] for value in ODD]
    same(parse({"rows": rows}), [*ODD, "unknown", "It's"], "text")
    tree = {"o'er": {"x\\": ODD[:4], "y": ODD[4:8]}, "rest": ODD[8:]}
    same(parse({"tree": tree}), [*ODD, "unknown"], "text")


LEAVES = ["1", "01", "-3", "0", "0.1", "1e3", "1000", "1000.0", "true", "2020-02-29", "20200229", "-0", "x"]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("integer", [1, -3, 0, 1000, 7, 2**62]),
        ("number", [1.0, -3.0, 0.0, -0.0, 0.1, 1000.0, 0.30000000000000004, 1e300]),
        ("boolean", [True, False]),
        ("date", [dt.date(2020, 2, 29), dt.date(2021, 1, 1)]),
        ("text", LEAVES),
    ],
)
def test_leaves_are_read_as_the_column_holds_them(kind: str, values: list[Any]) -> None:
    same(parse({"rows": [[leaf, f"was {leaf}", "*"] for leaf in LEAVES]}), values, kind)


def test_points_in_time_are_not_said() -> None:
    assert parse({"rows": [["2020-01-01 00:00:00", "x", "*"]]}).sql(Typed("v", "time"), 1) is None
    assert parse({"dates": ["year"]}).sql(Typed("v", "zoned"), 1) is None


@pytest.mark.parametrize("table", [{"intervals": [5]}, {"balanced": [2], "breaks": [[5]]}, {"dates": ["year"]}])
def test_what_is_not_covered_is_missing(table: dict[str, Any]) -> None:
    same(parse(table), ["5", "2020-01-01"], "text")
