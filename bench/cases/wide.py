"""Files of very many columns: what a run costs beside DuckDB, which only reads and writes them, and describing one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import OUT, STORE, Contestant, Requirement, Results, Round, call

SIZES = (1_000, 3_000, 10_000)
METRIC = "cpu"
ROWS, DESCRIBED = 3, 1_000
"""Rows of the files that are released, and of those that are described."""
SECONDS, PEAK = 60, 2e9


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for columns in sizes:
        path = wide_file(columns)
        command = (
            str(Path(sys.executable).parent / "schleier"),
            "run",
            str(path.with_suffix(".toml")),
            "-o",
            f"{OUT}/release",
        )
        contestants = (
            Contestant("DuckDB alone", call("cases.wide:alone", path=str(path), out=OUT)),
            Contestant("schleier run", (*command, "--quiet")),
        )
        yield Round(f"{columns:,} columns", contestants, columns, largest=columns == max(SIZES))
        path = mixed_file(columns)
        describe = (command[0], "describe", str(path), "-o", f"{OUT}/schema.toml", "--quiet")
        contestants = (
            Contestant("DuckDB alone", call("cases.wide:alone", path=str(path), out=OUT)),
            Contestant("schleier describe", describe),
        )
        yield Round(f"{columns:,} mixed columns", contestants, columns, largest=columns == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for entry in results:
        yield Requirement(f"{entry.name}, {entry.round}", entry.failure or "done", not entry.failure)
        if entry.name == "schleier describe" and entry.rows == max(SIZES) and not entry.failure:
            wall, peak = min(s.wall for s in entry.samples), max(s.peak for s in entry.samples)
            yield Requirement(f"describe below {SECONDS} s", f"{wall:.1f} s", wall < SECONDS)
            yield Requirement(f"describe below {PEAK / 1e9:g} GB", f"{peak / 1e9:.2f} GB", peak < PEAK)


def alone(path: str, out: str) -> dict[str, Any]:
    """Read and write it."""
    import duckdb

    Path(out).mkdir(exist_ok=True)
    duckdb.sql(f"COPY (FROM read_csv('{path}')) TO '{out}/data.parquet'")
    return {}


def wide_file(columns: int) -> Path:
    """A text file of few rows and very many columns, with its recipe beside it."""
    STORE.mkdir(exist_ok=True)
    path, names = STORE / f"wide-{columns}.csv", [f"c{i}" for i in range(columns)]
    lines = [",".join(names), *(",".join(str(i + j) for i in range(columns)) for j in range(ROWS))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    told = "\n".join(f'  {{ name = "{name}", scale = "discrete" }},' for name in names)
    recipe = f'[data]\nfile = "{path.name}"\n[schema]\ncolumns = [\n{told}\n]\n'
    path.with_suffix(".toml").write_text(recipe, encoding="utf-8")
    return path


def mixed_file(columns: int) -> Path:
    """A text file of a thousand rows with numbers, words, dates and codes, drawn alike each time."""
    import numpy as np

    STORE.mkdir(exist_ok=True)
    path, random = STORE / f"mixed-{columns}.csv", np.random.default_rng(columns)
    if path.exists():
        return path
    makers = (
        lambda: random.integers(0, 50, DESCRIBED).astype(str),
        lambda: np.round(random.normal(0, 100, DESCRIBED), 2).astype(str),
        lambda: random.choice(["red", "green", "blue", "NA"], DESCRIBED),
        lambda: np.datetime_as_string(np.datetime64("2010-01-01") + random.integers(0, 5000, DESCRIBED)),
        lambda: np.char.add("w", random.integers(0, 10**6, DESCRIBED).astype(str)),
    )
    table = np.stack([makers[random.integers(0, len(makers))]() for _ in range(columns)], axis=1)
    lines = [",".join(f"c{i}" for i in range(columns)), *(",".join(row) for row in table)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
