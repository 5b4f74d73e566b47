"""The lattice of eight keys of the example world: 12,960 nodes, against looking at every node.

Every node is estimated from a few of them, spread over the lattice. A file with all its rows twice has the same
classes: the search must take as long. Work is from built classes, compiled.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.harness import CORES, Contestant, Requirement, Results, Round, call

SIZES = (300_000, 1_200_000)
METRIC = "work"
EVERY, OURS, TWICE = "every node (estimated)", "search", "search, all rows twice"
TITLE = "{:,} x 8 keys, k = 5, {} % left out"
SHARES = (0, 4)
FILES = ("municipality", "nationality", "marital", "schooling", "occupation")
STEPS = {"age": [5, 20], "household_size": [3]}
KEYS = (*FILES, "age", "household_size", "sex")
LIMIT = {1_200_000: 15.0}
"""Seconds of work, by rows."""
SAMPLE = 24


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    from bench.cases.inspect import world

    for persons in sizes:
        for share in SHARES:
            arguments = {"folder": str(world(persons)), "share": share / 100, "threads": CORES}
            contestants = (
                Contestant(EVERY, call("cases.lattice_world:every_node", **arguments)),
                Contestant(OURS, call("cases.lattice_world:searched", **arguments)),
                Contestant(TWICE, call("cases.lattice_world:searched_twice", **arguments)),
            )
            yield Round(TITLE.format(persons, share), contestants, persons, largest=persons == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        ours, twice = results.get(title, OURS), results.get(title, TWICE)
        if ours and twice:
            growth = twice.median("work") / max(ours.median("work"), 1e-9)
            yield Requirement(f"all rows twice, less than 10 % longer: {title}", f"{growth - 1:+.1%}", growth < 1.1)
    for persons, limit in LIMIT.items():
        for share in SHARES:
            found = results.get(TITLE.format(persons, share), OURS)
            if found:
                work = found.median("work")
                yield Requirement(
                    f"less than {limit:g} s: {found.round}", found.failure or f"{work:.1f} s", work < limit
                )


def prepared(folder: str, share: float, threads: int, times: int = 1) -> Any:
    """The search on built classes; with ``times`` every class has so many times its records, and k is as much more."""
    import schleier as sl
    from schleier.core import registry
    from schleier.core.engine import Resources
    from schleier.core.hierarchy import parse
    from schleier.engine.duckdb import Duckdb
    from schleier.search._goals import demands_of, request_of
    from schleier.search._optimum import Search
    from schleier.utility.generalised_loss import GeneralisedLoss

    place = Path(folder) / "hierarchies"
    hierarchies = {name: parse({"table": f"{name}.csv"}).located(place) for name in FILES}
    hierarchies |= {name: parse({"intervals": steps}) for name, steps in STEPS.items()}
    hierarchies["sex"] = parse({"rows": [["female", "*"], ["male", "*"]], "outside": "root"})
    columns = [
        sl.Column(name=name, role="quasi", scale="discrete" if name in STEPS else "nominal", hierarchy=name)
        for name in KEYS
    ]
    schema = sl.Schema(columns=columns, hierarchies=hierarchies, others="drop", row_key="person")
    data = sl.read(str(Path(folder) / "population.parquet"), schema, Duckdb(Resources(threads=threads)))
    demands = demands_of([registry.get("criterion", "k_anonymity")(k=5)], (), data.schema, KEYS)
    start = time.perf_counter()
    classes = data.classes(request_of(KEYS, demands))
    counted = time.perf_counter() - start
    classes = replace(classes, sizes=classes.sizes * times)
    budget = int(share * classes.records)
    return (lambda: Search(classes, demands, GeneralisedLoss(), budget, KEYS)), counted


def searched(folder: str, share: float, threads: int, times: int = 1) -> dict[str, Any]:
    make, counted = prepared(folder, share, threads, times)
    small = make()  # compile on a tiny part, which is no work
    replace(small, classes=small.classes.only(small.classes.sizes > max(small.classes.sizes.max() // 2, 1))).best()
    start = time.perf_counter()
    search = make()
    best = search.best()
    work = time.perf_counter() - start
    return {
        "work": work, "loss": round(best.cost, 9), "nodes": search.looked_at, "lattice": search.nodes,
        "per_second": round(search.looked_at / work), "classes": len(search.classes), "counted": counted,
        "proven": best.cost <= search.bound, "levels": str(best.levels),
    }  # fmt: skip


def searched_twice(folder: str, share: float, threads: int) -> dict[str, Any]:
    return searched(folder, share, threads, times=2)


def every_node(folder: str, share: float, threads: int) -> dict[str, Any]:
    """A few nodes, rolled up from the classes and judged; times the size of the lattice."""
    import itertools

    make, _ = prepared(folder, share, threads)
    search = make()
    levels = list(itertools.product(*(range(key.top + 1) for key in search.keys)))
    chosen = levels[:: len(levels) // SAMPLE]
    start = time.perf_counter()
    for one in chosen:
        search.judged(one)
    work = (time.perf_counter() - start) * len(levels) / len(chosen)
    return {"work": work, "nodes": len(levels), "lattice": len(levels), "looked_at": len(chosen)}
