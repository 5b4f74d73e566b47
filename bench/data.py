"""Made-up persons: the same rows for the same number on every machine (Philox, one stream per block)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bench.harness import STORE

BLOCK = 1_000_000
SEED = 20_240_501
VERSION = 1
"""Part of the file name: raise it when the generator changes."""
LAENDER, DISTRICTS, JOBS = 16, 25, 300


def persons(rows: int) -> Path:
    """A Parquet file of ``rows`` persons and 12 columns, made once; fewer rows are the first of more."""
    import pyarrow.parquet as pq

    path = STORE / f"persons-{VERSION}-{rows}.parquet"
    if path.exists():
        return path
    STORE.mkdir(exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}")
    writer = None
    for block, start in enumerate(range(0, rows, BLOCK)):
        table = _block(block).slice(0, min(BLOCK, rows - start))
        writer = writer or pq.ParquetWriter(partial, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()
    partial.rename(path)
    return path


def _block(block: int) -> Any:
    import numpy as np
    import pyarrow as pa

    rng = np.random.Generator(np.random.Philox(key=[SEED, block]))

    def coded(words: list[str], shares: Any = None) -> Any:
        """Text from a list of words; all are equally frequent when no shares are given."""
        if shares is None:
            codes = rng.integers(0, len(words), BLOCK, dtype=np.int32)
        else:
            limits = np.cumsum(shares) / np.sum(shares)
            codes = np.searchsorted(limits, rng.random(BLOCK), side="right").astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words)).cast(pa.string())

    regions = [f"{land:02d}{district:02d}" for land in range(1, LAENDER + 1) for district in range(DISTRICTS)]
    return pa.table(
        {
            "id": np.arange(block * BLOCK, (block + 1) * BLOCK),
            "age": rng.integers(0, 100, BLOCK).astype(np.int16),
            "sex": coded(["f", "m"]),
            "region": coded(regions),
            "job": coded([f"{job // 30}{job % 30:02d}0" for job in range(JOBS)]),
            "income": np.round(rng.lognormal(8.0, 0.6, BLOCK), 2),
            "rent": np.round(rng.lognormal(6.0, 0.4, BLOCK), 2),
            "weight": np.round(rng.uniform(50, 150, BLOCK), 3),
            "hours": rng.integers(0, 60, BLOCK).astype(np.int16),
            "edu": coded([f"e{level}" for level in range(6)], [30, 25, 20, 12, 10, 3]),
            "nat": coded([f"n{nation:02d}" for nation in range(30)], 1 / np.arange(1, 31) ** 2),
            "kids": rng.geometric(0.5, BLOCK).clip(1, 6).astype(np.int8) - np.int8(1),
        }
    )
