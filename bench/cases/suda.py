"""Minimal uniques of ten columns of the example world, against their definition with pandas: one group-by a subset.

Work is measured from the rows to the finding, without imports and without compiling.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000)
METRIC = "work"
PEER, OURS = "pandas, by definition", "Schleier"
KEYS = (
    "land",
    "age",
    "sex",
    "nationality",
    "marital",
    "schooling",
    "occupation",
    "industry",
    "disease",
    "household_size",
)
LIMIT = {(100_000, 4): 2.0, (100_000, 10): 6.0, (1_000_000, 4): 20.0}
"""Seconds of work, by rows and columns of the largest combination."""
TITLE = "{:,} x 10 keys, up to {} columns"


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    from bench.cases.inspect import world

    for rows, most in LIMIT:
        if rows in sizes:
            given: dict[str, Any] = {"path": str(world(rows) / "population.parquet"), "most": most}
            ours = Contestant(OURS, call("cases.suda:ours", **given))
            peer = (Contestant(PEER, call("cases.suda:by_definition", **given)),) if rows == min(SIZES) else ()
            yield Round(TITLE.format(rows, most), (*peer, ours), rows, largest=most == len(KEYS))


def requirements(results: Results) -> Iterator[Requirement]:
    for (rows, most), limit in LIMIT.items():
        title = TITLE.format(rows, most)
        if entry := results.get(title, OURS):
            work = entry.median("work")
            yield Requirement(f"less than {limit:g} s: {title}", entry.failure or f"{work:.2f} s", work < limit)
        if results.get(title, PEER):
            found = results.agreed(title, "minimal_uniques")
            yield Requirement(f"as many minimal uniques: {title}", f"{found or 0:,}", found is not None)


def by_definition(path: str, most: int) -> dict[str, Any]:
    """Who is alone in each subset of columns, and in no part of it."""
    import numpy as np
    import pandas as pd

    data = pd.read_parquet(path, columns=list(KEYS)).apply(lambda column: pd.factorize(column)[0])
    start, found, here = time.perf_counter(), 0, {(): np.zeros(len(data), dtype=bool)}
    for size in range(1, most + 1):
        smaller, here = here, {}
        for columns in combinations(KEYS, size):
            known = np.any([smaller[part] for part in combinations(columns, size - 1)], axis=0)
            alone = (data.groupby(list(columns), sort=False)[columns[0]].transform("size") == 1).to_numpy()
            found += int((alone & ~known).sum())
            here[columns] = alone
    return {"work": time.perf_counter() - start, "minimal_uniques": found}


def ours(path: str, most: int) -> dict[str, Any]:
    """The whole measure; the second time counts."""
    import pyarrow.parquet as pq

    import schleier as sl
    from schleier.core.measure import Case
    from schleier.core.registry import get

    schema = sl.Schema(columns=[sl.Column(name=name, role="quasi", scale="nominal") for name in KEYS])
    data, one = sl.Dataset.from_frame(pq.read_table(path, columns=list(KEYS)), schema), get("measure", "suda")
    for _ in range(2):
        start = time.perf_counter()
        finding = one(most=most, fraction=0.01).measure(Case(data, data), sl.Run(key=bytes(32)))
        work = time.perf_counter() - start
    return {"work": work, "minimal_uniques": finding.detail["minimal_uniques"]}
