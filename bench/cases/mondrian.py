"""Mondrian on eight keys of the example world against the bare GROUP BY of these keys.

Work is measured without imports and without compiling. The search alone, without counting and joining, is told too:
it must grow with the number of classes, not of rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import CORES, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000)
METRIC = "work"
BARE, OURS = "DuckDB GROUP BY", "mondrian"
TITLE = "{:,} x 8 keys"
HIERARCHIES = ("municipality", "nationality", "marital", "schooling", "occupation")
KEYS = {
    "municipality": "place",
    "age": "discrete",
    "sex": "nominal",
    "nationality": "nominal",
    "marital": "nominal",
    "schooling": "ordinal",
    "occupation": "nominal",
    "household_size": "discrete",
}
K = 5
LIMIT = {1_000_000: 10.0}
"""Seconds of work, by rows."""


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    from bench.cases.inspect import world

    for persons in sizes:
        arguments = {"folder": str(world(persons)), "threads": CORES}
        contestants = (
            Contestant(BARE, call("cases.mondrian:bare", **arguments)),
            Contestant(OURS, call("cases.mondrian:ours", **arguments)),
        )
        yield Round(TITLE.format(persons), contestants, persons, largest=persons == max(SIZES), warm=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        found = results.agreed(title, "classes")
        yield Requirement(f"as many classes: {title}", f"{found or 0:,}", found is not None)
    for persons, limit in LIMIT.items():
        ours = results.get(TITLE.format(persons), OURS)
        if ours:
            work = ours.median("work")
            yield Requirement(f"less than {limit:g} s: {ours.round}", ours.failure or f"{work:.1f} s", work < limit)


def bare(folder: str, threads: int) -> dict[str, Any]:
    """The GROUP BY, fetched as Arrow."""
    import duckdb
    import pyarrow  # noqa: F401  # loading it is no work

    connection = duckdb.connect(config={"threads": threads})
    keys, start = ", ".join(KEYS), time.perf_counter()
    query = f"SELECT {keys}, count(*) AS n FROM read_parquet('{folder}/population.parquet') GROUP BY {keys}"
    table = connection.sql(query).to_arrow_table()
    return {"work": time.perf_counter() - start, "classes": len(table)}


def ours(folder: str, threads: int) -> dict[str, Any]:
    """Count the classes, cut them, join the labels with all rows."""
    import schleier as sl
    from schleier.core.classes.request import Request
    from schleier.core.engine import Resources
    from schleier.core.hierarchy import parse
    from schleier.engine.duckdb import Duckdb

    place = Path(folder) / "hierarchies"
    hierarchies = {name: parse({"table": f"{name}.csv"}).located(place) for name in HIERARCHIES}
    columns = [
        sl.Column(name=name, role="quasi", scale=scale, hierarchy=name if name in HIERARCHIES else None)  # type: ignore[arg-type]
        for name, scale in KEYS.items()
    ]
    schema = sl.Schema(columns=columns, hierarchies=hierarchies, others="drop", row_key="person")
    step, run = sl.methods.Mondrian(criteria=[{"criterion": "k_anonymity", "k": K}]), sl.Run(bytes(32))
    data = sl.read(str(Path(folder) / "population.parquet"), schema, Duckdb(Resources(threads=threads)))
    import narwhals as nw

    step.apply(data.filter(nw.col("age") == 30), run)  # loads everything, which is no work
    start = time.perf_counter()
    classes = data.classes(Request(keys=schema.quasi))
    counted = time.perf_counter()
    fitted = step.fit(data, run)
    found = time.perf_counter()
    fitted.apply(data, run).kept()
    work = time.perf_counter() - counted
    return {"work": work, "classes": len(classes), "search": found - counted - (counted - start), "parts": fitted.parts}
