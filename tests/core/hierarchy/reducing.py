"""Runs the engine-side half of a hierarchy on a real engine."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import duckdb
import narwhals as nw
import pyarrow as pa

from schleier.core.hierarchy import Hierarchy


@functools.cache
def _engine() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def in_duckdb(table: pa.Table) -> nw.LazyFrame[Any]:
    frame: nw.LazyFrame[Any] = nw.from_native(_engine().from_arrow(table))
    return frame


def reduced(
    hierarchy: Hierarchy,
    values: pa.Array,
    *levels: int,
    engine: Callable[[pa.Table], nw.LazyFrame[Any]] = in_duckdb,
) -> list[pa.Array]:
    """The representatives the engine computes at some levels, in the order of the values."""
    frame = engine(pa.table({"row": pa.array(range(len(values)), pa.int64()), "v": values}))
    exprs = [hierarchy.reduce(nw.col("v"), level).alias(f"v{level}") for level in levels]
    result = frame.select("row", *exprs).sort("row").collect(backend="pyarrow").to_native()
    return [result[f"v{level}"].combine_chunks() for level in levels]


def same_after_reduce(
    hierarchy: Hierarchy, values: pa.Array, engine: Callable[[pa.Table], nw.LazyFrame[Any]] = in_duckdb
) -> None:
    """Reducing in the engine changes no label at any level."""
    levels = range(1, hierarchy.depth + 1)
    for level, after in zip(levels, reduced(hierarchy, values, *levels, engine=engine), strict=True):
        expected = hierarchy.labels(values, level).to_pylist()
        assert hierarchy.labels(after, level).to_pylist() == expected, f"level {level}"


def nested(hierarchy: Hierarchy, values: pa.Array) -> None:
    """What is one class at a level is one class at the next; the root is one class."""
    for level in range(1, hierarchy.depth):
        fine, coarse = hierarchy.labels(values, level), hierarchy.labels(values, level + 1)
        pairs = set(zip(fine.to_pylist(), coarse.to_pylist(), strict=True))
        assert len(pairs) == len({label for label, _ in pairs}), f"level {level}"
    assert set(hierarchy.labels(values, hierarchy.depth).to_pylist()) <= {"*", None}
