"""The individual risk of five million records with eight keys and weights, against the bare GROUP BY of the keys.

Nearly every record is a class of its own, which is the most there can be to do.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from bench.data import persons
from bench.harness import CORES, Contestant, Requirement, Results, Round, call

SIZES = (1_000_000, 5_000_000)
METRIC = "work"
KEYS = ("age", "sex", "region", "job", "edu", "nat", "kids", "hours")
MODELS = ("margins", "negative_binomial", "poisson", "poisson_inverse_gaussian")
TITLE = "{:,} x 8 keys"
LIMIT = {5_000_000: 15.0}
"""Seconds of work, by rows."""


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        arguments = {"path": str(persons(rows)), "threads": CORES}
        models = (Contestant(model, call("cases.individual_risk:ours", model=model, **arguments)) for model in MODELS)
        contestants = (Contestant("DuckDB GROUP BY", call("cases.individual_risk:bare", **arguments)), *models)
        yield Round(TITLE.format(rows), contestants, rows, largest=rows == max(SIZES), warm=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for rows, limit in LIMIT.items():
        for model in MODELS:
            ours = results.get(TITLE.format(rows), model)
            if ours:
                found = ours.failure or f"{ours.median('work'):.1f} s"
                yield Requirement(
                    f"{model} in less than {limit:g} s at {ours.round}", found, ours.median("work") < limit
                )


def bare(path: str, threads: int) -> dict[str, Any]:
    """Records and weights of each combination of keys, fetched as Arrow."""
    import duckdb
    import pyarrow  # noqa: F401  # loading it is no work

    connection = duckdb.connect(config={"threads": threads})
    start = time.perf_counter()
    rows = connection.sql(f"SELECT * FROM read_parquet('{path}')")
    table = rows.aggregate(", ".join([*KEYS, "count(*) AS n", "sum(weight) AS w"])).to_arrow_table()
    return {"work": time.perf_counter() - start, "classes": len(table)}


def ours(path: str, model: str, threads: int) -> dict[str, Any]:
    """The whole measure: weights checked, classes, risks with and without weights, interval."""
    import pyarrow as pa
    import pyarrow.compute

    import schleier as sl
    from schleier.core.engine import Resources
    from schleier.core.measure import Case
    from schleier.engine.duckdb import Duckdb

    pa.array([0])  # the first array loads pandas where that is installed, which is no work
    columns = [sl.Column(name=key, role="quasi", scale="nominal") for key in KEYS]
    weight = sl.Column(name="weight", role="weight", scale="continuous")
    schema = sl.Schema(columns=(*columns, weight), others="drop")
    data = sl.read(path, schema, Duckdb(Resources(threads=threads)))
    measure = sl.measures.IndividualRisk(model=model)
    start = time.perf_counter()
    finding = measure.measure(Case(data, data), sl.Run())
    return {"work": time.perf_counter() - start, "risk": finding.value}
