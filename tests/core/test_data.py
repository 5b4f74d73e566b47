"""Frames in and out, and array code on groups against a slow version."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.core.data import Dataset, tally
from schleier.core.errors import DataError, EngineError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.engine._groups import arrow_type, consecutive_groups
from schleier.engine.duckdb import Duckdb

SCHEMA = Schema(
    columns=(
        Column(name="home", role="unit", scale="nominal"),
        Column(name="pay", role="sensitive", scale="continuous"),
        Column(name="age", role="quasi", scale="discrete"),
        Column(name="word", scale="text"),
    ),
    row_key="id",
)
TABLE = pa.table(
    {
        "id": [3, 1, 2],
        "home": ["b", None, "a"],
        "pay": [1.5, 2.5, None],
        "age": pa.array([7, None, 9], pa.int64()),
        "word": ["ä", "", None],
    }
)
SORTED = {"home": [None, "a", "b"], "pay": [2.5, None, 1.5], "age": [None, 9, 7], "word": ["", None, "ä"]}


@pytest.mark.parametrize(
    "frame",
    [TABLE, TABLE.to_pandas(), pl.from_arrow(TABLE), pl.from_arrow(TABLE).lazy()],  # type: ignore[union-attr]
    ids=["arrow", "pandas", "polars", "polars lazy"],
)
def test_every_frame_comes_back_as_every_frame(frame: Any, engine: Duckdb) -> None:
    data = Dataset.from_frame(frame, SCHEMA, engine)
    assert data.to_arrow().to_pydict() == SORTED
    assert data.to_polars().to_dict(as_series=False) == SORTED
    shown = data.to_pandas()
    assert list(shown.columns) == list(SORTED)
    assert pd.isna(shown["pay"][1]) and shown["home"].tolist()[1:] == ["a", "b"]


def test_the_order_of_pandas_is_kept_and_its_index_counts_only_as_the_row_key(engine: Duckdb) -> None:
    frame = pd.DataFrame({"x": [3, 1, 2]}, index=[9, 9, 7])
    data = Dataset.from_frame(frame, Schema(columns=(Column(name="x", scale="discrete"),)), engine)
    assert data.to_arrow()["x"].to_pylist() == [3, 1, 2]
    named = frame.set_index(pd.Index([30, 10, 20], name="id"))
    schema = Schema(columns=(Column(name="x", scale="discrete"),), row_key="id")
    assert Dataset.from_frame(named, schema, engine).to_arrow()["x"].to_pylist() == [1, 2, 3]


def test_what_is_no_frame_is_refused(engine: Duckdb) -> None:
    with pytest.raises(DataError, match="this is a list"):
        Dataset.from_frame([1, 2], SCHEMA, engine)


def test_a_dataset_is_not_changed_by_its_verbs(engine: Duckdb) -> None:
    data = Dataset.from_frame(TABLE, SCHEMA, engine)
    assert data.mutate(age=nw.col("age") + 1).to_arrow()["age"].to_pylist() == [None, 10, 8]
    assert data.filter(nw.col("age") > 8).rows == 1
    assert data.drop("age", "home").schema.names == ("pay", "word")
    assert data.kept().to_arrow().to_pydict() == SORTED
    assert data.to_arrow().to_pydict() == SORTED and data.rows == 3


def test_totals_and_counts_leave_missing_out(engine: Duckdb) -> None:
    data = Dataset.from_frame(TABLE, SCHEMA, engine)
    assert data.totals(n=tally(nw.col("age") > 7), all=nw.len()) == {"n": 1, "all": 3}
    values, counts = data.counts(nw.col("home"))
    assert (values.to_pylist(), counts.tolist()) == (["a", "b"], [1, 1])


def test_replacing_makes_everything_else_missing(engine: Duckdb) -> None:
    data = Dataset.from_frame(TABLE, SCHEMA, engine)
    replaced = data.replace("age", nw.col("age"), pa.array([7]), pa.array(["seven"]))
    assert replaced.to_arrow()["age"].to_pylist() == [None, None, "seven"]
    assert replaced.to_arrow()["word"].to_pylist() == SORTED["word"]


def ranks_from_the_end(columns: Any) -> dict[str, Any]:
    """A kernel that depends on the order, the size and the values of its group."""
    pay, count = columns["pay"], len(columns["pay"])
    total = float(np.nansum(pay))
    word = np.array([f"{count - i} of {count}" if i % 3 else None for i in range(count)], dtype=object)
    age = np.where(np.isnan(pay), np.nan, np.arange(count))
    return {"pay": pay + total, "word": word, "age": age}


def slow(rows: list[tuple[int, Any, Any]], by: list[str]) -> dict[int, tuple[Any, Any, Any]]:
    """The same, one group and one row after the other."""
    groups = defaultdict(list)
    for key, home, pay in sorted(rows, key=lambda row: row[0]):
        groups[home if by else None].append((key, pay))
    expected = {}
    for members in groups.values():
        total = float(sum(pay for _, pay in members if pay is not None))
        for i, (key, pay) in enumerate(members):
            word = f"{len(members) - i} of {len(members)}" if i % 3 else None
            expected[key] = (None, word, None) if pay is None else (pay + total, word, i)
    return expected


CHANGES: dict[str, Any] = {"pay": nw.Float64(), "word": nw.String(), "age": nw.Int64()}
homes = st.sampled_from(["a", "b", "c", "ä", "", None])
pays = st.sampled_from([0.5, 1.0, -2.25, None])  # sums of quarters are exact in any order


@pytest.mark.parametrize("by", [["home"], []])
@given(rows=st.lists(st.tuples(homes, pays), max_size=25), seed=st.integers(0, 9))
@settings(max_examples=25)
def test_groups_across_batch_borders(rows: Any, seed: int, by: list[str], engine: Duckdb) -> None:
    order = np.random.default_rng(seed).permutation(len(rows))
    keyed = [(int(i), home, pay) for i, (home, pay) in zip(order, rows, strict=True)]
    table = pa.table(
        {
            "id": pa.array([row[0] for row in keyed], pa.int64()),
            "home": pa.array([row[1] for row in keyed], pa.string()),
            "pay": pa.array([row[2] for row in keyed], pa.float64()),
            "age": pa.nulls(len(rows), pa.int64()),
            "word": pa.nulls(len(rows), pa.string()),
        }
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("schleier.engine.duckdb.GROUP_BATCH", 4)
        data = Dataset.from_frame(table, SCHEMA, engine).map_groups(by, ranks_from_the_end, CHANGES)
    found = engine.arrays(data.frame.sort("id")).to_pydict()
    expected = slow(keyed, by)
    assert {
        k: (p, w, a) for k, p, w, a in zip(*(found[n] for n in ("id", "pay", "word", "age")), strict=True)
    } == expected
    assert dict(zip(found["id"], found["home"], strict=True)) == {row[0]: row[1] for row in keyed}


def test_a_kernel_sees_what_it_is_given_and_nothing_else(engine: Duckdb) -> None:
    seen: list[set[str]] = []

    def kernel(columns: Any) -> Any:
        seen.append(set(columns))
        return {"pay": columns["pay"]}

    data = Dataset.from_frame(TABLE, SCHEMA, engine)
    data.map_groups(["home"], kernel, {"pay": nw.Float64()}, given=["age"]).to_arrow()
    assert seen == [{"home", "pay", "age"}] * 3


@pytest.mark.parametrize("kernel", [lambda columns: {"pay": columns["pay"][:-1]}, lambda columns: {}])
def test_a_kernel_that_loses_rows_or_columns_is_stopped(kernel: Any, engine: Duckdb) -> None:
    with pytest.raises(EngineError, match="could not do this step"):
        Dataset.from_frame(TABLE, SCHEMA, engine).map_groups([], kernel, {"pay": nw.Float64()})


def test_a_kernel_changes_columns_to_plain_types_only() -> None:
    assert arrow_type(nw.Boolean()) == pa.bool_()
    with pytest.raises(TypeError, match="not Date"):
        arrow_type(nw.Date())


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=20), st.integers(1, 6), st.booleans())
def test_splitting_keeps_every_row_and_no_group_twice(homes: list[str | None], size: int, grouped: bool) -> None:
    ordered = sorted(homes, key=lambda home: (home is None, home or ""))
    table = pa.table({"home": pa.array(ordered, pa.string()), "n": range(len(ordered))})
    parts = list(consecutive_groups(table.to_batches(max_chunksize=size), ["home"] if grouped else []))
    assert [n for part in parts for n in part["n"].to_pylist()] == list(range(len(ordered)))
    assert [set(part["home"].to_pylist()) for part in parts] == (
        [{home} for home in dict.fromkeys(ordered)] if grouped else ([set(ordered)] if ordered else [])
    )


def test_many_steps_on_few_rows_are_computed_from_time_to_time(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"age": [17, 44]})
    data = Dataset.from_frame(table, Schema(columns=[Column(name="age", scale="discrete")]))
    monkeypatch.setattr("schleier.core.data.PLANNED", 3)
    assert data.settled(2) is data
    assert data.settled(3).frame is not data.frame
    assert data.settled(3).to_arrow().equals(data.to_arrow())
    assert data.drop("age").settled(3).rows == 2  # no column is left
    monkeypatch.setattr("schleier.core.data.LIGHT", 1)
    assert data.settled(3) is data


def test_rows_are_counted_once_while_their_number_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema(columns=[Column(name="age", role="quasi", scale="discrete")])
    data = Dataset.from_frame(pa.table({"age": [1, 2, 3]}), schema)
    assert data.rows == 3
    same = Run(key=bytes(32)).draw(data.mutate(age=nw.col("age") + 1).kept(), "_draw_")
    fewer = same.filter(nw.col("age") > 2)
    asked: list[int] = []
    count = Dataset.totals

    def counted(self: Dataset, /, **exprs: nw.Expr) -> dict[str, Any]:
        asked.append(id(self))
        return count(self, **exprs)

    monkeypatch.setattr(Dataset, "totals", counted)
    assert (same.rows, fewer.rows) == (3, 2)
    assert asked == [id(fewer)]
