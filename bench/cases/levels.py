"""The levels of k-anonymity, l-diversity and t-closeness on eight keys, against the bare GROUP BY of keys and illness.

Ratios are of the work alone, without imports and compiling.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.data import persons
from bench.harness import CORES, STORE, Contestant, Requirement, Results, Round, call

SIZES = (1_000_000, 10_000_000)
METRIC = "work"
BARE, OURS = "DuckDB GROUP BY", "k, l and t"
COARSE = {
    "age": "CAST(age // 20 AS SMALLINT)",
    "sex": "sex",
    "land": "region[:2]",
    "edu": "edu",
    "nat": "nat",
    "kids": "kids",
    "hours": "CAST(hours // 20 AS SMALLINT)",
    "rent": "CAST(rent // 600 AS SMALLINT)",
    "illness": "job[:1]",
}
KEYS = tuple(name for name in COARSE if name != "illness")
LIMIT = 2.0


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        arguments = {"path": str(coarse(rows)), "threads": CORES}
        contestants = (
            Contestant(BARE, call("cases.levels:bare", **arguments)),
            Contestant(OURS, call("cases.levels:ours", **arguments)),
        )
        yield Round(f"{rows:,} x 8 keys", contestants, rows, largest=rows == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        bare, ours = results.get(title, BARE), results.get(title, OURS)
        if bare and ours:
            ratio = ours.median("work") / bare.median("work")
            yield Requirement(f"within {LIMIT:g} of the GROUP BY: {title}", f"{ratio:.2f}", ratio <= LIMIT)


def coarse(rows: int) -> Path:
    """The made-up persons with coarser keys, made once."""
    import duckdb

    path = STORE / f"coarse-1-{rows}.parquet"
    if not path.exists():
        partial = path.with_suffix(f".{os.getpid()}")
        columns = ", ".join(f"{expression} AS {name}" for name, expression in COARSE.items())
        duckdb.sql(f"COPY (SELECT {columns} FROM '{persons(rows)}') TO '{partial}' (FORMAT parquet)")
        partial.rename(path)
    return path


def bare(path: str, threads: int) -> dict[str, Any]:
    """The GROUP BY, fetched as Arrow."""
    import duckdb
    import pyarrow  # noqa: F401  # loading it is no work

    connection = duckdb.connect(config={"threads": threads})
    start, names = time.perf_counter(), ", ".join(COARSE)
    table = connection.sql(
        f"SELECT {names}, count(*) AS n FROM read_parquet('{path}') GROUP BY {names}"
    ).to_arrow_table()
    return {"work": time.perf_counter() - start, "groups": len(table)}


def ours(path: str, threads: int) -> dict[str, Any]:
    """Three criteria, judged on one class table."""
    import narwhals as nw

    import schleier as sl
    from schleier.core.classes.judgement import judge_all
    from schleier.core.engine import Resources
    from schleier.criteria.k_anonymity import KAnonymity
    from schleier.criteria.l_diversity import LDiversity
    from schleier.criteria.t_closeness import TCloseness
    from schleier.engine.duckdb import Duckdb

    columns = [sl.Column(name=name, role="quasi", scale="nominal") for name in KEYS]
    columns.append(sl.Column(name="illness", role="sensitive", scale="nominal"))
    data = sl.read(path, sl.Schema(columns=columns), Duckdb(Resources(threads=threads)))
    criteria = [KAnonymity(k=5), LDiversity(l=3), TCloseness(t=0.2)]
    judge_all(data.filter(nw.col("age") == 0), criteria)  # compiles, which is no work
    start = time.perf_counter()
    verdicts = judge_all(data, criteria)
    work = time.perf_counter() - start
    return {"work": work} | {verdict.criterion: verdict.level for verdict in verdicts}
