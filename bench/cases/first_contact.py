"""First contact with a file of one's own: describe it, run the recipe that was drafted for it, inspect it.

Two files are invented: persons with 24 mixed columns (names, dates, codes, amounts), and a labour force survey with 77,
most of them coded answers. Whole processes are compared with the bare GROUP BY over columns that outsiders may know.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.contact import ANSWERS, files
from bench.harness import CORES, OUT, Contestant, Requirement, Results, Round, call

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
KNOWN = {
    "sex": "nominal",
    "born": "time",
    "age": "discrete",
    "postcode": "place",
    "region": "place",
    "nationality": "nominal",
    "marital_status": "nominal",
    "education": "nominal",
    "occupation": "nominal",
    "industry": "nominal",
}
"""Ten columns of the persons that outsiders may know, and their scales."""


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        yield _round(PEOPLE.format(rows), "people", rows, tuple(KNOWN), largest=rows == max(SIZES))
    yield _round(WIDE.format(SURVEY), "survey", SURVEY, ("sex", "age", "region", *ANSWERS[:36]), largest=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for entry in results:
        if (limit := LIMITS.get(entry.round, {}).get(entry.name)) is not None:
            wall, cpu = entry.median("wall"), entry.median("cpu")
            found = entry.failure or f"{wall:.1f} s (CPU {cpu:.1f} s)"
            yield Requirement(f"{entry.name}, {entry.round}: less than {limit:g} s", found, wall < limit)
        if (entry.round, entry.name) == (PEOPLE.format(1_000_000), INSPECT):
            ratio = results.ratio(entry, "cpu")
            found = entry.failure or f"{ratio:.1f} times"
            yield Requirement(f"{INSPECT}: at most {RATIO:g} times the CPU of the {BARE}", found, ratio <= RATIO)


def _round(title: str, kind: str, rows: int, known: tuple[str, ...], *, largest: bool) -> Round:
    """A file described, the draft of it run, and the file inspected: the persons on ten keys, the survey as drafted."""
    command = str(Path(sys.executable).parent / "schleier")
    parquet, csv = (str(files(kind, rows) / f"{kind}.{ending}") for ending in ("parquet", "csv"))
    folder = drafted(parquet)
    schema = folder / "schema.toml" if kind == "survey" else ten_keys(folder)
    described = (command, "describe", "-o", f"{OUT}/schema.toml", "--quiet")
    inspected = (command, "inspect", parquet, "--schema", str(schema), "--html", f"{OUT}/risk.html", "--quiet")
    contestants = (
        Contestant(BARE, call("cases.first_contact:bare", path=parquet, keys=known, threads=CORES)),
        Contestant(DESCRIBE, (*described, parquet)),
        Contestant(FROM_CSV, (*described, csv)),
        Contestant(RUN, (command, "run", str(folder / "recipe.toml"), "--out", f"{OUT}/release", "--quiet")),
        Contestant(INSPECT, inspected),
    )
    return Round(title, contestants, rows, largest=largest)


def drafted(file: str) -> Path:
    """A folder beside a file with what describing it drafts, made anew: the draft is part of what is measured."""
    from schleier.draft.describe import describe
    from schleier.draft.writing import write_draft

    folder = Path(file).parent / "draft"
    folder.mkdir(exist_ok=True)
    write_draft(describe(file), folder / "schema.toml", folder / "recipe.toml", "en", force=True)
    return folder


def ten_keys(folder: Path) -> Path:
    """A schema of the persons with ten keys and three sensitive columns."""
    scales = KNOWN | {"income": "continuous", "rent": "continuous", "disease": "nominal"}
    roles = dict.fromkeys(scales, "sensitive") | dict.fromkeys(KNOWN, "quasi")
    columns = [
        f'[[schema.columns]]\nname = "{name}"\nrole = "{roles[name]}"\nscale = "{scale}"\n'
        for name, scale in scales.items()
    ]
    path = folder / "ten.toml"
    path.write_text('[schema]\nothers = "drop"\n' + "\n".join(columns), encoding="utf-8")
    return path


def bare(path: str, keys: list[str], threads: int) -> dict[str, Any]:
    """How many records are unique in some columns, by hand."""
    import duckdb

    groups = f"SELECT count(*) AS n FROM read_parquet('{path}') GROUP BY {', '.join(keys)}"
    found = duckdb.connect(config={"threads": threads}).execute(f"SELECT count(*) FROM ({groups}) WHERE n = 1")
    return {"unique": (found.fetchone() or (0,))[0]}
