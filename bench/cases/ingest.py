"""A text file into typed Parquet, checked value by value, against DuckDB's own reader told all the types.

Schleier detects the layout, refuses what DuckDB forgives ("5.7" as a whole number) and counts what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import CORES, OUT, Contestant, Requirement, Results, Round, call
from bench.texts import OPTIONS, TYPES, Style, text_file

SIZES = (100_000, 1_000_000)
METRIC = "wall"
SCALES = {"BIGINT": "discrete", "DOUBLE": "continuous", "DATE": "time", "VARCHAR": "nominal"}
STYLES: tuple[Style, ...] = ("plain", "german")


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    after = call("cases.ingest:digest", out=OUT)
    for rows in sizes:
        for style in STYLES:
            path = str(text_file(rows, style))
            contestants = (
                Contestant("DuckDB read_csv", call("cases.ingest:bare", path=path, style=style, out=OUT), after),
                Contestant("sl.read and write", call("cases.ingest:ours", path=path, out=OUT), after),
            )
            yield Round(f"{rows:,} x 10, {style}", contestants, rows)


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        found = results.agreed(title, "digest")
        yield Requirement(f"equal values: {title}", str(found)[:12], found is not None)


def bare(path: str, style: Style, out: str) -> None:
    """What a user who knows all about the file would write."""
    import duckdb

    types = ", ".join(f"'{name}': '{kind}'" for name, kind in TYPES.items())
    duckdb.execute(f"SET threads = {CORES}")
    duckdb.execute(f"""
        COPY (SELECT * FROM read_csv('{path}', header = true, columns = {{{types}}}, {OPTIONS[style]}))
        TO '{out}/rows.parquet' (FORMAT parquet)""")


def ours(path: str, out: str) -> None:
    """Layout detected, types from the schema, every value checked."""
    import schleier as sl
    from schleier.core.engine import Resources
    from schleier.engine.duckdb import Duckdb

    data = sl.read(path, _schema(), Duckdb(Resources(Path(out), threads=CORES)))
    data.engine.write(data.frame, Path(out) / "rows.parquet", [data.schema.key], data.schema.names)


def digest(out: str) -> dict[str, Any]:
    """The values, whatever the types of the file that holds them."""
    from schleier.flow.digest import digest_of
    from schleier.flow.edge import batches

    return {"digest": digest_of(batches(Path(out) / "rows.parquet"), _schema()).hexdigest()}


def _schema() -> Any:
    import schleier as sl

    return sl.Schema(columns=[sl.Column(name=name, scale=SCALES[kind]) for name, kind in TYPES.items()])
