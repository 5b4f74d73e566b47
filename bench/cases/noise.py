"""Noise on one column of 10 million against the same in plain NumPy, whose draws hang on the order of the rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from bench.harness import CORES, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000, 10_000_000)
METRIC = "work"
PLAIN = "NumPy"
CONTROLLED, ADDED = "multiply_noise controlled", "add_noise"
LIMIT, SECONDS, MEMORY = 10_000_000, 6.0, 3.0
"""So many rows may take so long after the first call, and so many times the memory of column and row key."""


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        for kind in (CONTROLLED, ADDED):
            contestants = (
                Contestant(PLAIN, call("cases.noise:by_hand", rows=rows, kind=kind)),
                Contestant("Schleier", call("cases.noise:ours", rows=rows, kind=kind, threads=CORES)),
            )
            yield Round(f"{kind}, {rows:,} rows", contestants, rows, largest=rows == max(SIZES), warm=rows == SIZES[0])


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        entry = results.get(title, "Schleier")
        if entry is None or entry.failure or entry.rows != LIMIT:
            continue
        seconds = entry.median("work")
        yield Requirement(f"below {SECONDS:g} s: {title}", f"{seconds:.1f} s", seconds < SECONDS)
        beyond = max(sample.facts["beyond"] for sample in entry.samples)
        yield Requirement(f"at most {MEMORY:g} times the input: {title}", f"{beyond:.1f}", beyond <= MEMORY)


def _column(rows: int) -> Any:
    import numpy as np

    return np.exp(np.random.default_rng(1).standard_normal(rows) * 1.5)


def by_hand(rows: int, kind: str) -> dict[str, Any]:
    """A loop over sorted values would take minutes: signs in turn, which controls nothing but takes the same steps."""
    import numpy as np

    x = _column(rows)
    rng = np.random.default_rng(2)
    start = time.perf_counter()
    if kind == CONTROLLED:
        order = np.argsort(-np.abs(x), kind="stable")
        signs = np.empty(rows)
        signs[order] = np.where(np.arange(rows) % 2, 1.0, -1.0)
        after = x * (1 + 0.11 * signs + 0.03 * rng.standard_normal(rows))
    else:
        after = x + np.sqrt(0.1) * x.std() * rng.standard_normal(rows)
    return {"work": time.perf_counter() - start, "mean": float(after.mean())}


def ours(rows: int, kind: str, threads: int) -> dict[str, Any]:
    """The method and the rows computed, in an engine that is there already and kernels that are compiled."""
    from resource import RUSAGE_SELF, getrusage

    import pyarrow as pa

    import schleier as sl
    from schleier.core.engine import Resources
    from schleier.core.registry import get

    engine = get("engine", "duckdb")(Resources(threads=threads))
    schema = sl.Schema(columns=(sl.Column(name="x", role="sensitive", scale="continuous"),))
    methods = sl.methods
    made = {
        CONTROLLED: lambda: methods.MultiplyNoise(columns=("x",), kind="controlled", f=0.11, s=0.03),
        ADDED: lambda: methods.AddNoise(columns=("x",), kind="correlated", d=0.1),
    }
    step, table = made[kind](), pa.table({"x": _column(rows)})
    step.apply(sl.Dataset.from_frame(table.slice(0, 1000), schema, engine), sl.Run(key=bytes(32))).to_arrow()
    data = sl.Dataset.from_frame(table, schema, engine).kept()
    before, start = getrusage(RUSAGE_SELF).ru_maxrss, time.perf_counter()
    after = step.apply(data, sl.Run(key=bytes(32))).kept()
    seconds = time.perf_counter() - start
    grown = (getrusage(RUSAGE_SELF).ru_maxrss - before) * 1024
    return {"work": seconds, "rows": after.rows, "beyond": grown / (16 * rows)}
