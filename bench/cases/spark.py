"""The recipe of the spine on Spark (two cores of this machine) against DuckDB: what distribution costs, and that
it changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec

from bench.data import persons
from bench.harness import OUT, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000)
METRIC = "wall"
THREADS = 2


def skip() -> str | None:
    """Why this cannot run here."""
    if shutil.which("java") is None:
        return "there is no Java on the PATH"
    return "PySpark is not installed" if find_spec("pyspark") is None else None


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        contestants = tuple(_release(engine, str(persons(rows))) for engine in ("duckdb", "spark"))
        yield Round(f"{rows:,} x 12", contestants, rows, largest=rows == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        found = results.agreed(title, "digest")
        yield Requirement(f"equal digest at {title}", str(found)[:12], found is not None)


def _release(engine: str, path: str) -> Contestant:
    return Contestant(engine, call("release:release", path=path, out=OUT, engine=engine, threads=THREADS))
