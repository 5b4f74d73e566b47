"""An SPSS file read as a dataset, against pyreadstat alone, which hands over a pandas frame of floating numbers.

Both are warm: one process reads the file once before the clock starts. Schleier also turns codes whole, makes
declared codes missing, converts dates, checks every value and stages the rows as Parquet.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.harness import STORE, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000)
METRIC = "work"
BARE, OURS = "pyreadstat.read_sav", "sl.read"
WANTED = 2.0
VERSION = 1
"""Part of the file name: raise it when the file changes."""
CODES = ("sex", "region", "job", "answer", "trust")
REPEAT = 3
PACKED: dict[str, dict[str, bool]] = {"sav": {"row_compress": True}, "zsav": {"compress": True}}


def skip() -> str | None:
    missing = [name for name in ("pyreadstat", "pandas") if find_spec(name) is None]
    return f"{', '.join(missing)} not installed" if missing else None


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        for suffix in PACKED:
            path = str(spss_file(rows, suffix))
            contestants = (
                Contestant(BARE, call("cases.packages:bare", path=path)),
                Contestant(OURS, call("cases.packages:ours", path=path)),
            )
            yield Round(f"{rows:,} x 10, {suffix}", contestants, rows)


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        sums = results.agreed(title, "sum")
        yield Requirement(f"equal sums: {title}", str(sums), sums is not None)
        ours = results.get(title, OURS)
        if ours and not ours.failure:
            ratio = results.ratio(ours, "work")
            yield Requirement(f"at most {WANTED:g} times as long: {title}", f"{ratio:.2f}", ratio <= WANTED)


def bare(path: str) -> dict[str, Any]:
    """What a user writes."""
    import pyreadstat

    work = best(lambda: pyreadstat.read_sav(path))
    return {"work": work, "sum": int(pyreadstat.read_sav(path)[0][list(CODES)].sum().sum())}


def ours(path: str) -> dict[str, Any]:
    """Types by the schema, declared codes missing, every value checked."""
    import narwhals as nw

    import schleier as sl

    scales = dict.fromkeys(CODES, "nominal") | {
        "id": "discrete",
        "income": "continuous",
        "weight": "continuous",
        "place": "place",
        "born": "time",
    }
    schema = sl.Schema(columns=[sl.Column(name=name, scale=scale) for name, scale in scales.items()])  # type: ignore[arg-type]
    work = best(lambda: sl.read(path, schema))
    totals = sl.read(path, schema).totals(**{name: nw.col(name).sum() for name in CODES})
    return {"work": work, "sum": sum(totals.values())}


def best(read: Callable[[], Any]) -> float:
    """Seconds of the quickest of a few readings, after one that loads everything."""
    read()
    found = []
    for _ in range(REPEAT):
        start = time.perf_counter()
        read()
        found.append(time.perf_counter() - start)
    return min(found)


def spss_file(rows: int, suffix: str) -> Path:
    """Five codes with gaps, a number, two amounts, a text and a date; made once."""
    import numpy as np
    import pandas as pd
    import pyreadstat

    path = STORE / f"spss-{VERSION}-{rows}.{suffix}"
    if path.exists():
        return path
    STORE.mkdir(exist_ok=True)
    rng = np.random.Generator(np.random.Philox(key=[VERSION, rows]))
    codes = {name: rng.integers(1, 6, rows).astype(float) for name in CODES}
    codes["answer"][::11], codes["trust"][::7] = -9.0, np.nan
    frame = pd.DataFrame(
        codes
        | {
            "id": np.arange(rows, dtype=float),
            "income": np.round(rng.lognormal(8.0, 0.6, rows), 2),
            "weight": rng.uniform(50, 150, rows),
            "place": rng.integers(10_000, 99_999, rows).astype(str),
            "born": rng.integers(0, 20_000, rows) * 86_400.0 + 12_219_379_200.0,
        }
    )
    partial = path.with_name(f"{os.getpid()}-{path.name}")
    formats = {"born": "DATE11"} | dict.fromkeys((*CODES, "id"), "F8.0")
    pyreadstat.write_sav(frame, partial, missing_ranges={"answer": [-9.0]}, variable_format=formats, **PACKED[suffix])
    partial.rename(path)
    return path
