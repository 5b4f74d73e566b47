"""The equivalence classes of six keys against the bare GROUP BY, both in Arrow or NumPy memory at the end.

Ratios are of the work alone, without imports: the classes are one small part of a run.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from bench.data import persons
from bench.harness import CORES, Contestant, Requirement, Results, Round, call

SIZES = (1_000_000, 10_000_000)
METRIC = "work"
KEYS = {
    "fine": ("age", "sex", "region", "edu", "nat", "kids"),
    "coarse": ("age", "sex", "hours", "edu", "nat", "kids"),
}
"""Keys with nearly as many classes as rows, and keys with far fewer (age and hours in steps of ten)."""
TENS = ("age", "hours")


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        path = str(persons(rows))
        for title, keys in KEYS.items():
            arguments = {"path": path, "keys": keys, "coarse": title == "coarse", "threads": CORES}
            contestants = (
                Contestant("DuckDB GROUP BY", call("cases.classes:bare", **arguments)),
                Contestant("Dataset.classes", call("cases.classes:ours", **arguments)),
            )
            yield Round(f"{rows:,}, {title} keys", contestants, rows, largest=rows == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        found = results.agreed(title, "classes")
        yield Requirement(f"as many classes: {title}", f"{found or 0:,}", found is not None)


def bare(path: str, keys: list[str], coarse: bool, threads: int) -> dict[str, Any]:
    """The GROUP BY, fetched as Arrow."""
    import duckdb
    import pyarrow  # noqa: F401  # loading it is no work

    connection = duckdb.connect(config={"threads": threads})
    chosen = [f"{key} // 10 AS {key}" if coarse and key in TENS else key for key in keys]
    start = time.perf_counter()
    rows = connection.sql(f"SELECT {', '.join(chosen)} FROM read_parquet('{path}')")
    table = rows.aggregate(", ".join([*keys, "count(*) AS n"])).to_arrow_table()
    return {"work": time.perf_counter() - start, "classes": len(table)}


def ours(path: str, keys: list[str], coarse: bool, threads: int) -> dict[str, Any]:
    """The same as a table of classes, coded and in order."""
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.compute

    import schleier as sl
    from schleier.core.classes.request import Request
    from schleier.core.engine import Resources
    from schleier.engine.duckdb import Duckdb

    pa.array([0])  # the first array loads pandas where that is installed, which is no work either
    columns = tuple(sl.Column(name=key, role="quasi", scale="nominal") for key in keys)
    engine = Duckdb(Resources(threads=threads))
    data = sl.read(path, sl.Schema(columns=columns, others="drop"), engine)
    if coarse:
        data = data.mutate(**{key: nw.col(key) // 10 for key in TENS})
    start = time.perf_counter()
    classes = data.classes(Request(keys=tuple(keys)))
    return {"work": time.perf_counter() - start, "classes": len(classes)}
