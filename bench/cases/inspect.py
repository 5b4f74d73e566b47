"""The risk of a file as it is, against the bare GROUP BY of all its keys: three kinds of counts, 175 combinations, and
the three changes that would reduce the risk most; then also with a further measure and the risk of each record.

The file is the population of the example world. Whole processes are compared: what a user waits for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import CORES, OUT, STORE, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000, 4_000_000)
METRIC = "wall"
BARE, OURS, MORE = "DuckDB GROUP BY", "schleier inspect", "schleier inspect --records"
TITLE = "{:,} x 10 keys"
KEYS = (
    "land",
    "municipality",
    "age",
    "sex",
    "nationality",
    "marital",
    "schooling",
    "occupation",
    "industry",
    "household_size",
)
SCALES = {"age": "discrete", "household_size": "discrete", "land": "place", "municipality": "place"}
SENSITIVE = ("income", "rent", "disease")
LIMIT = {1_000_000: 10.0}
"""Seconds of wall time, by rows."""


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    command = str(Path(sys.executable).parent / "schleier")
    for persons in sizes:
        folder = world(persons)
        file, schema = str(folder / "population.parquet"), str(folder / "inspect.toml")
        arguments = (command, "inspect", file, "--schema", schema, "--html", f"{OUT}/risk.html", "--quiet")
        contestants = (
            Contestant(BARE, call("cases.inspect:bare", path=file, threads=CORES)),
            Contestant(OURS, arguments),
            Contestant(MORE, (*arguments, "--measure", "prosecutor", "--records", f"{OUT}/records.parquet")),
        )
        yield Round(TITLE.format(persons), contestants, persons, largest=persons == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for persons, limit in LIMIT.items():
        ours = results.get(TITLE.format(persons), OURS)
        if ours:
            wall, cpu = ours.median("wall"), ours.median("cpu")
            found = ours.failure or f"{wall:.1f} s (CPU {cpu:.1f} s)"
            yield Requirement(f"less than {limit:g} s at {ours.round}", found, wall < limit)


def world(persons: int) -> Path:
    """The example world of so many persons, made once, with a schema of its population."""
    from schleier.world.files import write_world

    folder = STORE / f"world-{persons}"
    if not (folder / "population.parquet").exists():
        write_world(persons, folder, bytes(32))
    roles = dict.fromkeys(KEYS, "quasi") | dict.fromkeys(SENSITIVE, "sensitive")
    columns = [
        f'[[schema.columns]]\nname = "{name}"\nrole = "{role}"\nscale = "{SCALES.get(name, "nominal")}"\n'
        for name, role in roles.items()
    ]
    text = '[schema]\nothers = "drop"\n' + "\n".join(columns)
    (folder / "inspect.toml").write_text(text, encoding="utf-8")
    return folder


def bare(path: str, threads: int) -> dict[str, Any]:
    """How many records are unique in all keys, by hand."""
    import duckdb

    keys = ", ".join(KEYS)
    groups = f"SELECT count(*) AS n FROM read_parquet('{path}') GROUP BY {keys}"
    found = duckdb.connect(config={"threads": threads}).execute(f"SELECT count(*) FROM ({groups}) WHERE n = 1")
    return {"unique": (found.fetchone() or (0,))[0]}
