"""The example world against bare random columns of the same shape, made and written by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.harness import OUT, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000, 10_000_000)
METRIC = "wall"
BARE, OURS = "DuckDB, independent columns", "Schleier, one core"
TITLE = "{:,} persons"
WANTED = 200_000


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for persons in sizes:
        contestants = (
            Contestant(BARE, call("cases.world:bare", persons=persons, out=OUT)),
            Contestant(OURS, call("cases.world:ours", persons=persons, out=OUT)),
        )
        yield Round(TITLE.format(persons), contestants, persons, largest=persons == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        ours = results.get(title, OURS)
        if ours and not ours.failure:
            speed = int(title.split()[0].replace(",", "")) / ours.median("work")
            yield Requirement(f"more than {WANTED:,} a second: {title}", f"{speed:,.0f}", speed > WANTED)


def bare(persons: int, out: str) -> dict[str, Any]:
    """Sixteen columns that know nothing of each other, one file."""
    import duckdb

    words = ", ".join(f"'w' || (random() * {10 * i})::INT AS w{i}" for i in range(1, 10))
    numbers = ", ".join(f"(random() * 1000)::INT AS n{i}" for i in range(6))
    query = f"SELECT i, {words}, {numbers} FROM range({persons}) t(i)"
    duckdb.connect(config={"threads": 1}).execute(f"COPY ({query}) TO '{out}/bare.parquet' (COMPRESSION zstd)")
    return {}


def ours(persons: int, out: str) -> dict[str, Any]:
    """The whole world: population, survey, file with names, truth and hierarchies."""
    import time
    from pathlib import Path

    import pyarrow

    from schleier.world.files import write_world

    pyarrow.set_cpu_count(1)
    write_world(1_000, Path(out) / "first", bytes(32))  # loads everything, which is no work
    start = time.process_time()
    write_world(persons, Path(out) / "world", bytes(32))
    return {"work": time.process_time() - start}
