"""Ranks exchanged and categories redrawn in one column of persons, against the same with plain NumPy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from bench.data import persons
from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000, 10_000_000)
METRIC = "work"
LARGEST = max(SIZES)
HAND, OURS, DRAWS = "NumPy by hand", "Schleier", "the keyed draws alone"
WINDOW, ALPHA = 1.0, 0.2
MOST_SECONDS, MOST_BEYOND, MOST_MEMORY = {"rank_swap": 6.0, "pram": 10.0}, 4.0, 3.0


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        path = str(persons(rows))
        for method, draws in (("rank_swap", ()), ("pram", (DRAWS,))):
            names = (HAND, OURS, *draws)
            contestants = tuple(
                Contestant(n, call("cases.swapping:run", path=path, method=method, who=n)) for n in names
            )
            yield Round(f"{method} {rows:,} x 1", contestants, rows, largest=rows == LARGEST, warm=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for method, most in MOST_SECONDS.items():
        title = f"{method} {LARGEST:,} x 1"
        ours, draws = results.get(title, OURS), results.get(title, DRAWS)
        if ours is None or ours.failure:
            continue
        took = ours.median("work")
        yield Requirement(f"{title} below {most:g} s", f"{took:.1f} s", took < most)
        if draws is not None:
            beyond = took - draws.median("work")
            yield Requirement(
                f"{title} beyond the draws below {MOST_BEYOND:g} s", f"{beyond:.1f} s", beyond < MOST_BEYOND
            )
        grown = max(float(sample.facts["grown"]) for sample in ours.samples)
        text = f"{title} memory at most {MOST_MEMORY:g} x beyond the input"
        yield Requirement(text, f"{grown:.1f} x", grown <= MOST_MEMORY)


def run(path: str, method: str, who: str) -> dict[str, Any]:
    """Read one column, change it, and say how long the change took and what it needed beyond the input."""
    import pyarrow.parquet as pq

    column = {"rank_swap": "income", "pram": "edu"}[method]
    table = pq.read_table(path, columns=[column])
    if who == HAND:
        start = time.perf_counter()
        _by_hand(table.column(column), method)
        return {"work": time.perf_counter() - start}
    return _ours(table, column, method, who)


def _by_hand(column: Any, method: str) -> Any:
    """Neighbours in rank exchanged in blocks; categories redrawn with a matrix. No key, no strata, no missing."""
    import numpy as np

    rng = np.random.default_rng(1)
    if method == "rank_swap":
        values = column.to_numpy()
        order = np.argsort(-values, kind="stable")
        far = max(int(WINDOW * len(values) / 100), 1)
        blocks = np.arange(len(values)) // (2 * far)
        new = values[order][np.lexsort((rng.random(len(values)), blocks))]
        result = np.empty_like(values)
        result[order] = new
        return result
    coded = column.combine_chunks().dictionary_encode()
    codes = coded.indices.to_numpy()
    shares = np.bincount(codes) / len(codes)
    matrix = (1 - ALPHA) * np.eye(len(shares)) + ALPHA * shares
    limits = np.cumsum(matrix, axis=1)
    fresh = (rng.random(len(codes))[:, None] > limits[codes]).sum(axis=1)
    return coded.dictionary.take(fresh.clip(0, len(shares) - 1))


def _ours(table: Any, column: str, method: str, who: str) -> dict[str, Any]:
    import resource

    import schleier as sl
    from bench.release import KEY

    scale = "continuous" if method == "rank_swap" else "nominal"
    schema = sl.Schema(columns=[sl.Column(name=column, role="sensitive", scale=scale)])
    steps: dict[str, Any] = {
        "rank_swap": lambda: sl.methods.RankSwap(columns=[column], window=WINDOW),
        "pram": lambda: sl.methods.Pram(columns=[column], alpha=ALPHA),
    }
    step, run = steps[method](), sl.Run(key=KEY)
    few = sl.Dataset.from_frame(table.slice(0, 1000), schema)
    step.apply(few, run).kept()  # compiled code is loaded
    data = sl.Dataset.from_frame(table, schema).kept()
    size = table.nbytes + 8 * len(table)  # the column and its row key
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    (run.draw(data, "_draw_") if who == DRAWS else step.apply(data, run)).kept()
    took = time.perf_counter() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / size
    return {"work": took, "grown": grown}
