"""A text file into typed Parquet, checked value by value, against DuckDB's own reader.

DuckDB finds out layout and types by itself (German numbers stay text), or is told both. Schleier finds out the
layout, is told the types by the schema, refuses what DuckDB forgives ("5.7" as a whole number) and counts what is
wrong. All are timed in a process that has read a small file before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.harness import CORES, OUT, Contestant, Requirement, Results, Round, call
from bench.texts import OPTIONS, TYPES, Style, text_file

SIZES = (100_000, 1_000_000, 4_000_000)
METRIC = "work"
SCALES = {"BIGINT": "discrete", "DOUBLE": "continuous", "DATE": "time", "VARCHAR": "nominal"}
STYLES: tuple[Style, ...] = ("plain", "german")
ALONE, TOLD, READ, KEYED = "DuckDB alone", "DuckDB, told the types", "sl.read", "sl.read with a row key"
MOST, FROM = 1.5, 1_000_000
"""How much longer than DuckDB alone it may take, and from how many rows on."""


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    after = call("cases.ingest:digest", out=OUT)
    for rows in sizes:
        for style in STYLES:
            given = {"path": str(text_file(rows, style)), "warm": str(text_file(1000, style)), "out": OUT}
            contestants = (
                Contestant(ALONE, call("cases.ingest:alone", **given)),
                Contestant(TOLD, call("cases.ingest:told", style=style, **given), after),
                Contestant(READ, call("cases.ingest:ours", **given), after),
                Contestant(KEYED, call("cases.ingest:ours", key="id", **given)),
            )
            yield Round(f"{rows:,} x {len(TYPES)}, {style}", contestants, rows, warm=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        entries = [entry for entry in results if entry.round == title]
        said = set[Any]().union(*(entry.said("digest") for entry in entries if entry.name in (TOLD, READ)))
        yield Requirement(f"equal values: {title}", str(next(iter(said)))[:12], len(said) == 1 and None not in said)
        for entry in entries:
            if entry.name == READ and entry.rows >= FROM:
                ratio = results.ratio(entry, "work")
                text = f"at most {MOST} times as long as DuckDB alone: {title}"
                yield Requirement(text, f"{ratio:.2f}", ratio <= MOST)


def alone(path: str, warm: str, out: str) -> dict[str, Any]:
    """What anybody would write."""
    return _timed(lambda file: _copy(f"read_csv('{file}')", out), warm, path)


def told(path: str, warm: str, style: Style, out: str) -> dict[str, Any]:
    """What a user who knows all about the file would write."""
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in TYPES.items())
    options = f"header = true, columns = {{{types}}}, {OPTIONS[style]}"
    return _timed(lambda file: _copy(f"read_csv('{file}', {options})", out), warm, path)


def ours(path: str, warm: str, out: str, key: str | None = None) -> dict[str, Any]:
    """Layout detected, types from the schema, every value checked."""
    import schleier as sl
    from schleier.core.engine import Resources
    from schleier.engine.duckdb import Duckdb

    engine = Duckdb(Resources(Path(out), threads=CORES))
    facts = _timed(lambda file: sl.read(file, _schema(key), engine), warm, path)
    data = facts.pop("result")
    data.engine.write(data.frame, Path(out) / "rows.parquet", [data.schema.key], data.schema.names)
    return facts


def digest(out: str) -> dict[str, Any]:
    """The values, whatever the types of the file that holds them."""
    from schleier.flow.release.digest import digest_of
    from schleier.flow.release.edge import batches

    return {"digest": digest_of(batches(Path(out) / "rows.parquet"), _schema()).hexdigest()}


def _timed(read: Callable[[str], Any], warm: str, path: str) -> dict[str, Any]:
    """Seconds of the second reading; what the first one loads and compiles is there already."""
    read(warm)
    start = time.perf_counter()
    result = read(path)
    work = time.perf_counter() - start
    return {"work": work} if result is None else {"work": work, "result": result}


def _copy(rows: str, out: str) -> None:
    import duckdb

    duckdb.execute(f"SET threads = {CORES}")
    duckdb.execute(f"COPY (SELECT * FROM {rows}) TO '{out}/rows.parquet' (FORMAT parquet)")


def _schema(key: str | None = None) -> Any:
    import schleier as sl

    columns = [sl.Column(name=name, scale=SCALES[kind]) for name, kind in TYPES.items() if name != key]
    return sl.Schema(columns=columns, row_key=key)
