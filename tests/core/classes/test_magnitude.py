"""Contributions to the totals of classes, against adding up every row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria.firms import Firm, contributions, contributors, dataset, firms, schema
from schleier.core import registry
from schleier.core.classes import Classes
from schleier.core.classes.magnitude import TOP
from schleier.core.classes.request import Request
from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.schema import Column, Schema
from schleier.engine.duckdb import Duckdb

WANTED = Request(("place",), magnitudes=("turnover",))
COARSER: dict[str | None, list[str | None]] = {"x": ["x", "xy", "*"], "y": ["y", "xy", "*"], "z": ["z", "zz", "*"]}
COARSER[None] = [None, None, "*"]


def told(classes: Classes) -> dict[Any, tuple[list[int], int, int]]:
    """Largest contributions, total and number of contributors by place."""
    found = classes.magnitudes["turnover"]
    places = [None if code < 0 else classes.values[0][int(code)].as_py() for code in classes.codes[:, 0]]
    return {
        place: (top.tolist(), int(total), int(many))
        for place, top, total, many in zip(places, found.largest(), found.sums, found.contributors, strict=True)
    }


def expected(rows: list[Firm], owners: bool, level: int, scale: int) -> dict[Any, tuple[list[int], int, int]]:
    result = {}
    for place in {COARSER[row[0]][level] for row in rows}:
        part = contributions([row for row in rows if COARSER[row[0]][level] == place], owners=owners)
        amounts = [amount * scale for amount in part]
        here = [row for row in rows if COARSER[row[0]][level] == place]
        result[place] = ((amounts + [0] * TOP)[:TOP], sum(amounts), contributors(here, owners=owners))
    return result


@given(rows=firms, owners=st.booleans())
@settings(max_examples=60, deadline=None)
def test_rolling_up_adds_up_every_row(engine: Duckdb, rows: list[Firm], owners: bool) -> None:
    finest = dataset(rows, owners=owners, engine=engine).classes(WANTED)
    for level in range(3):
        assert told(finest.at((level,))) == expected(rows, owners, level, 10_000)  # millionths of hundredths


@given(rows=firms, owners=st.booleans(), gone=st.sampled_from(["x", "y", None]))
@settings(max_examples=40, deadline=None)
def test_classes_left_out_take_their_contributions_along(
    engine: Duckdb, rows: list[Firm], owners: bool, gone: str | None
) -> None:
    classes = dataset(rows, owners=owners, engine=engine).classes(WANTED)
    places = [None if code < 0 else classes.values[0][int(code)].as_py() for code in classes.codes[:, 0]]
    kept = classes.only(np.array([place != gone for place in places], dtype=bool))
    rest = [row for row in rows if row[0] != gone]
    assert told(kept) == expected(rest, owners, 0, 10_000)
    assert told(kept.at((2,))) == expected(rest, owners, 2, 10_000)


def test_declared_decimals_and_whole_numbers_are_exact(engine: Duckdb) -> None:
    rows: list[Firm] = [("x", "a", 1.25), ("x", "b", 3.0)]
    data = dataset(rows, owners=False, engine=engine)
    hundredths = data.described(schema(owners=False).changed("turnover", decimals=2)).classes(WANTED)
    assert told(hundredths) == {"x": ([300, 125, 0], 425, 2)}
    table = pa.table({"place": ["x", "x"], "owner": ["a", "b"], "turnover": [7, 2**60]})
    whole = Dataset.from_frame(table, schema(owners=False).changed("turnover", scale="discrete"), engine)
    assert told(whole.classes(WANTED)) == {"x": ([2**60, 7, 0], 2**60 + 7, 2)}


def test_infinite_amounts_are_an_error(engine: Duckdb) -> None:
    with pytest.raises(DataError, match="column 'turnover' holds infinite amounts"):
        dataset([("x", "a", float("inf"))], owners=False, engine=engine).classes(WANTED)


def test_names_with_blanks_and_no_keys_at_all(engine: Duckdb) -> None:
    columns = (Column(name=" place ", scale="nominal"), Column(name=" pay", scale="continuous"))
    table = pa.table({" place ": ["x", "y", None], " pay": [1.0, 2.0, None]})
    data = Dataset.from_frame(table, Schema(columns=columns), engine)
    classes = data.classes(Request((" place ",), magnitudes=(" pay",)))
    assert classes.magnitudes[" pay"].contributors.tolist() == [0, 1, 1]
    everything = data.classes(Request((), magnitudes=(" pay",)))
    assert everything.magnitudes[" pay"].largest().tolist() == [[2_000_000, 1_000_000, 0]]


@pytest.fixture(scope="module")
def cluster(spark: Any) -> Iterator[Any]:
    found = registry.get("engine", "spark")()
    yield found
    found.close()


@pytest.mark.spark
def test_equal_on_spark(engine: Duckdb, cluster: Any) -> None:
    rng = np.random.default_rng(3)
    rows: list[Firm] = [
        (["x", "y", "z", None][a], ["a", "b", "c", "d", None][b], None if c > 90 else float(c) / 7)
        for a, b, c in zip(rng.integers(0, 4, 300), rng.integers(0, 5, 300), rng.integers(-50, 99, 300), strict=True)
    ]
    for owners, level in product((False, True), range(3)):
        wanted = Request(("place",), ("turnover",), joint=(("owner", "turnover"),), magnitudes=("turnover",))
        one, other = (dataset(rows, owners=owners, engine=e).classes(wanted).at((level,)) for e in (engine, cluster))
        assert told(one) == told(other)
        for name, spread in one.histograms.items():
            there = other.histograms[name]
            assert spread.values.to_pylist() == there.values.to_pylist()
            for part in ("classes", "codes", "counts", "totals"):
                assert getattr(spread, part).tolist() == getattr(there, part).tolist()
