"""First contact with a file of one's own: describe it, run the recipe that was drafted for it, inspect it.

Two files are invented: persons with 24 mixed columns (names, dates, codes, amounts), and a labour force survey with 77,
most of them coded answers. Whole processes are compared with the bare GROUP BY over the columns that outsiders may know.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import CORES, OUT, STORE, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 300_000, 1_000_000)
SURVEY = 50_000
METRIC = "cpu"
BARE, DESCRIBE, FROM_CSV, RUN, INSPECT = (
    "DuckDB GROUP BY",
    "schleier describe",
    "schleier describe (CSV)",
    "schleier run of the draft",
    "schleier inspect",
)
PEOPLE, WIDE = "{:,} x 24 columns", "{:,} x 77 columns"
LIMITS = {
    PEOPLE.format(1_000_000): {DESCRIBE: 10.0, FROM_CSV: 10.0, RUN: 30.0},
    WIDE.format(SURVEY): {DESCRIBE: 15.0, FROM_CSV: 15.0, RUN: 15.0, INSPECT: 15.0},
}
"""Seconds of wall time."""
RATIO = 8.0
"""What inspecting may cost, in CPU of the bare GROUP BY, where there are a million records."""
KNOWN = ("sex", "born", "age", "postcode", "region", "nationality", "marital_status", "education", "occupation", "industry")


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        yield _round(PEOPLE.format(rows), "people", rows, KNOWN, largest=rows == max(SIZES))
    yield _round(WIDE.format(SURVEY), "survey", SURVEY, ("sex", "age", "region", *CODED), largest=True)


def _round(title: str, kind: str, rows: int, known: tuple[str, ...], *, largest: bool) -> Round:
    """A file described, the draft of it run, and the file inspected."""
    command = str(Path(sys.executable).parent / "schleier")
    folder = files(kind, rows)
    parquet, csv = (str(folder / f"{kind}.{ending}") for ending in ("parquet", "csv"))
    described = (command, "describe", "-o", f"{OUT}/schema.toml", "--quiet")
    contestants = (
        Contestant(BARE, call("cases.first_contact:bare", path=parquet, keys=known, threads=CORES)),
        Contestant(DESCRIBE, (*described, parquet)),
        Contestant(FROM_CSV, (*described, csv)),
        Contestant(RUN, (command, "run", str(folder / "recipe.toml"), "--out", f"{OUT}/release", "--quiet")),
        Contestant(INSPECT, (command, "inspect", parquet, "--html", f"{OUT}/risk.html", "--quiet")),
    )
    return Round(title, contestants, rows, largest=largest)
