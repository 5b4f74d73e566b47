"""Files of very many columns: what a run costs beside DuckDB, which only reads and writes them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import OUT, STORE, Contestant, Requirement, Results, Round, call

SIZES = (1_000, 3_000, 10_000)
METRIC = "cpu"
ROWS = 3


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


def requirements(results: Results) -> Iterator[Requirement]:
    for entry in results:
        yield Requirement(f"{entry.name}, {entry.round}", entry.failure or "done", not entry.failure)


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
