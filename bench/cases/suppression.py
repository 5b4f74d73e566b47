"""Local suppression on the adult census extract and on the example world, from the rows to the blanked rows.

Work is measured without imports and without compiling. sdcMicro's ``kAnon`` blanks 5,101 cells of the extract for
k = 3 and 7,883 for k = 5, in 34 to 78 seconds. ``wildcard`` counts on nobody else's gaps; ``lent`` does, as sdcMicro;
``category`` wants k records with the same gaps. Needs the extract in ``../shared/data/adult``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "adult"
SIZES = (3, 5, 1_000_000)
"""k for the extract, and the persons of the world."""
METRIC = "work"
ADULT = ("sex", "age", "race", "marital-status", "education")
WORLD = ("municipality", "age", "sex", "nationality", "marital", "schooling")
WAYS: dict[str, dict[str, Any]] = {
    "wildcard": {"missing": "wildcard"},
    "lent": {"missing": "wildcard", "lend": True},
    "category": {},
}
PEER = {3: 5_101, 5: 7_883}
LIMIT, WORLD_LIMIT, WORLD_K = 1.5, 15.0, 5
"""Seconds of work."""


def skip() -> str | None:
    return None if (FOLDER / "adult.csv").is_file() else f"there is no {FOLDER}"


def title(size: int) -> str:
    return f"adult, k = {size}" if size in PEER else f"{size:,} x {len(WORLD)} keys, k = {WORLD_K}"


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    from bench.cases.inspect import world

    for size in sizes:
        given = {"k": size} if size in PEER else {"k": WORLD_K, "folder": str(world(size))}
        found = tuple(Contestant(way, call("cases.suppression:ours", way=way, **given)) for way in WAYS)
        yield Round(title(size), found, size, largest=size not in PEER, warm=size in PEER)


def requirements(results: Results) -> Iterator[Requirement]:
    for size in SIZES:
        found = {way: results.get(title(size), way) for way in WAYS}
        if not all(found.values()):
            continue
        limit = LIMIT if size in PEER else WORLD_LIMIT
        for way, entry in found.items():
            if entry:
                cells, work = entry.samples[0].facts.get("cells", 0), entry.median("work")
                bound = entry.samples[0].facts.get("bound")
                text = entry.failure or f"{work:.2f} s, {cells:,} cells" + (
                    f" of at least {bound:,.0f}" if bound else ""
                )
                yield Requirement(f"{way} within {limit:g} s: {title(size)}", text, work <= limit)
                holds = entry.said("holds") == {True}
                yield Requirement(f"{way} holds: {title(size)}", str(holds), holds)
        if size in PEER and (lent := found["lent"]):
            cells = lent.samples[0].facts.get("cells", 0)
            yield Requirement(f"at most {PEER[size]:,} cells: {title(size)}", f"{cells:,}", cells <= PEER[size])


def ours(way: str, k: int, folder: str | None = None) -> dict[str, Any]:
    """Count, choose, blank, and fetch the result; the second time counts."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    import schleier as sl
    from schleier.core.registry import get

    keys = WORLD if folder else ADULT
    if folder:
        table = pq.read_table(f"{folder}/population.parquet", columns=list(keys))
    else:
        parse = pc.ParseOptions(delimiter=";")
        table = pc.read_csv(FOLDER / "adult.csv", parse_options=parse).select(list(keys))
    schema = sl.Schema(columns=[sl.Column(name=name, role="quasi", scale="nominal") for name in keys])
    data, step = sl.Dataset.from_frame(table, schema), get("method", "suppress_local")(k=k, **WAYS[way])
    for _ in range(2):
        run = sl.Run(key=bytes(range(32)))
        start, cpu = time.perf_counter(), time.process_time()
        fitted = step.fit(data, run)
        after = fitted.apply(data, run).to_arrow()
        work, cpu = time.perf_counter() - start, time.process_time() - cpu
    check = get("criterion", "k_anonymity")(k=k, missing=step.missing).check(sl.Dataset.from_frame(after, schema))
    facts = {"cells": sum(fitted.cells.values()), "bound": fitted.at_least, "records": fitted.records}
    return {"work": work, "busy": cpu, "holds": check.holds, **facts}
