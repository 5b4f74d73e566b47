"""Runs the engine-side half of a hierarchy on a real engine."""

from __future__ import annotations

import duckdb
import narwhals as nw
import pyarrow as pa

from schleier.core.hierarchy import Hierarchy


def reduced(hierarchy: Hierarchy, values: pa.Array, level: int) -> pa.Array:
    """The representatives DuckDB computes, in the order of the values."""
    table = pa.table({"row": pa.array(range(len(values)), pa.int64()), "v": values})
    with duckdb.connect() as engine:
        frame = nw.from_native(engine.from_arrow(table))
        result = frame.select("row", hierarchy.reduce(nw.col("v"), level).alias("v")).sort("row")
        return result.to_native().to_arrow_table()["v"].combine_chunks()


def same_after_reduce(hierarchy: Hierarchy, values: pa.Array) -> None:
    """Reducing in the engine changes no label at any level."""
    for level in range(1, hierarchy.depth + 1):
        after = hierarchy.labels(reduced(hierarchy, values, level), level)
        assert after.to_pylist() == hierarchy.labels(values, level).to_pylist(), f"level {level}"


def nested(hierarchy: Hierarchy, values: pa.Array) -> None:
    """What is one class at a level is one class at the next; the root is one class."""
    for level in range(1, hierarchy.depth):
        fine, coarse = hierarchy.labels(values, level), hierarchy.labels(values, level + 1)
        pairs = {(f, c) for f, c in zip(fine.to_pylist(), coarse.to_pylist(), strict=True)}
        assert len(pairs) == len({f for f, _ in pairs}), f"level {level}"
    assert set(hierarchy.labels(values, hierarchy.depth).to_pylist()) <= {"*", None}
