"""A release that blanks rare combinations of five keys against the same with window counts in DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.data import persons
from bench.harness import CORES, OUT, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000, 10_000_000)
METRIC = "wall"
KEYS = ("age", "sex", "region", "edu", "nat")
FEWEST = 5
HAND, OURS = "DuckDB by hand", "Schleier"


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    from bench.release import prefix

    for rows in sizes:
        path = str(persons(rows))
        arguments = {"path": path, "out": OUT, "threads": CORES}
        contestants = (
            Contestant(HAND, call("cases.rare:by_hand", prefix=prefix(path), **arguments)),
            Contestant(OURS, call("cases.rare:ours", **arguments)),
        )
        yield Round(f"{rows:,} x 12, five keys", contestants, rows, largest=rows == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        found = results.agreed(title, "blanked")
        yield Requirement(f"as many rows blanked: {title}", f"{found or 0:,}", found is not None)


def by_hand(path: str, out: str, prefix: str, threads: int) -> dict[str, Any]:
    """Count each combination with a window, blank the rare ones, order by the keyed hash."""
    import duckdb

    connection = duckdb.connect(config={"temp_directory": f"{out}/spill", "threads": threads})
    keys = ", ".join(KEYS)
    blanks = ", ".join(f"CASE WHEN n >= {FEWEST} THEN {key} END AS {key}" for key in KEYS)
    connection.execute(f"""
        CREATE TEMP VIEW counted AS
        SELECT * REPLACE (age // 10 AS age, region[1:2] AS region), count(*) OVER (PARTITION BY age // 10, sex,
               region[1:2], edu, nat) AS n FROM read_parquet('{path}')""")
    connection.execute(f"""
        COPY (SELECT {blanks}, * EXCLUDE (id, n, {keys}), n < {FEWEST} AS blanked FROM counted
              ORDER BY CAST(CAST('0x' || substr(sha256('{prefix}' || id), 1, 13) AS UBIGINT) AS DOUBLE), id)
        TO '{out}/hand.parquet' (FORMAT parquet)""")
    count = connection.execute(f"SELECT count(*) FROM '{out}/hand.parquet' WHERE blanked").fetchone()
    return {"blanked": count[0] if count else None}


def ours(path: str, out: str, threads: int) -> dict[str, Any]:
    """The same through a recipe: with classes, criterion, digest and report."""
    from pathlib import Path

    import schleier as sl
    from bench.release import KEY, RECIPE

    head = RECIPE.read_text(encoding="utf-8").partition("[[steps]]")[0]
    steps = f"""
        [[steps]]
        method = "recode"
        column = "age"
        level = 2
        [[steps]]
        method = "recode"
        column = "region"
        level = 2
        [[steps]]
        method = "suppress_rare"
        columns = {list(KEYS)}
        min_count = {FEWEST}
        [[criteria]]
        criterion = "k_anonymity"
        k = {FEWEST}
        keys = [{list(KEYS)}]
        [engine]
        threads = {threads}
    """
    release = sl.Recipe.from_toml(head + steps).run(path, out=Path(out) / "release", key=KEY)
    facts = next(step.facts for step in release.report.steps if step.method == "suppress_rare")
    return {"blanked": next(value for fact in facts for name, value in fact.items() if "blank" in name)}
