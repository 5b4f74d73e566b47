"""Microaggregation: time against MDAV with plain NumPy, and the information that every grouping loses.

The losses need the tax records in ``../shared/data/casc``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
METRIC = "work"
HAND, OURS, LOSS = "NumPy by hand", "Schleier", "Schleier, per cent lost"
COLUMNS, PIECES, BY_HAND = 10, 2_000, 10_000
CASC = Path(__file__).parents[3] / "shared" / "data" / "casc" / "CASCrefmicrodata.csv"
MOST = {
    "mdav 10,000 x 10, k = 3": 0.3,
    "mdav 100,000 x 10, k = 3": 12.0,
    "mdav 100,000 x 10, k = 10": 6.0,
    "mdav in pieces 1,000,000 x 10, k = 3": 60.0,
    "individual 10,000,000 x 1, k = 3": 6.0,
    "optimal 10,000,000 x 1, k = 3": 6.0,
}


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        several = {1_000: (3,), 10_000: (3,), 100_000: (3, 10)}.get(rows, ())
        for k in several:
            yield _round("mdav", rows, COLUMNS, k)
        if rows == 1_000_000:
            yield _round("mdav in pieces", rows, COLUMNS, 3)
        if rows == 10_000_000:
            yield _round("individual", rows, 1, 3)
            yield _round("optimal", rows, 1, 3)
    if CASC.exists():
        for k in (3, 5, 10):
            contestant = Contestant(LOSS, call("cases.microaggregation:losses", path=str(CASC), k=k))
            yield Round(f"loss, casc, k = {k}", (contestant,), 1_080, largest=True)


def _round(what: str, rows: int, columns: int, k: int) -> Round:
    names = (HAND, OURS) if rows <= BY_HAND or columns == 1 else (OURS,)
    arguments = {"what": what, "rows": rows, "columns": columns, "k": k}
    contestants = tuple(Contestant(n, call("cases.microaggregation:run", who=n, **arguments)) for n in names)
    return Round(f"{what} {rows:,} x {columns}, k = {k}", contestants, rows, largest=rows > BY_HAND, warm=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for title, most in MOST.items():
        ours = results.get(title, OURS)
        if ours is not None and not ours.failure:
            took = ours.median("work")
            yield Requirement(f"{title} below {most:g} s", f"{took:.2f} s", took < most)
    for k in (3, 5, 10):
        entry = results.get(f"loss, casc, k = {k}", LOSS)
        if entry is not None and not entry.failure:
            facts = entry.samples[0].facts
            lost = ", ".join(f"{name} {value:.2f}" for name, value in facts["loss"].items())
            better = facts["loss"]["best"] <= facts["loss"]["mdav"]
            yield Requirement(f"casc, k = {k}: best loses no more than mdav", lost, better)


def losses(path: str, k: int) -> dict[str, Any]:
    """100 SSE / SST on standardised columns for every grouping."""
    from typing import get_args

    import numpy as np
    import pyarrow.csv as pc

    import schleier as sl
    from bench.release import KEY

    table = pc.read_csv(path)
    schema = sl.Schema(columns=[sl.Column(name=name, scale="continuous") for name in table.column_names])
    data = sl.Dataset.from_frame(table, schema)
    before = _matrix(data.to_arrow())
    method, found, start = sl.methods.Microaggregate, {}, time.perf_counter()
    for grouping in get_args(method.model_fields["grouping"].annotation):
        after = method(columns=table.column_names, k=k, grouping=grouping).apply(data, sl.Run(key=KEY))
        gap = (_matrix(after.to_arrow()) - before) / before.std(axis=0)
        found[grouping] = round(float(100 * np.sum(gap * gap) / before.size), 4)
    return {"work": time.perf_counter() - start, "loss": found}


def _matrix(table: Any) -> Any:
    import numpy as np

    return np.column_stack([table.column(name).to_numpy().astype(float) for name in table.column_names])


def run(who: str, what: str, rows: int, columns: int, k: int) -> dict[str, Any]:
    """Normal columns (no structure to profit from), or one of incomes; how long the grouping and the means take."""
    import numpy as np

    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, columns)) if columns > 1 else rng.lognormal(size=(rows, 1))
    if who == HAND:
        start = time.perf_counter()
        _mdav_by_hand(x, k) if columns > 1 else _neighbours_by_hand(x[:, 0], k)
        return {"work": time.perf_counter() - start}
    return _ours(x, what, k)


def _ours(x: Any, what: str, k: int) -> dict[str, Any]:
    import pyarrow as pa

    import schleier as sl
    from bench.release import KEY

    names = [f"x{j}" for j in range(x.shape[1])]
    table = pa.table({name: x[:, j] for j, name in enumerate(names)})
    schema = sl.Schema(columns=[sl.Column(name=name, role="sensitive", scale="continuous") for name in names])
    pieces = PIECES if "pieces" in what else None
    step: Any = sl.methods.Microaggregate(columns=names, k=k, grouping=what.split(maxsplit=1)[0], pieces_of=pieces)
    step.apply(sl.Dataset.from_frame(table.slice(0, 5000), schema), sl.Run(key=KEY)).kept()  # compiled code is loaded
    data, start = sl.Dataset.from_frame(table, schema).kept(), time.perf_counter()
    step.apply(data, sl.Run(key=KEY)).kept()
    return {"work": time.perf_counter() - start}


def _mdav_by_hand(x: Any, k: int) -> Any:
    """All distances of all that is left, for every group."""
    import numpy as np

    z, left, result = (x - x.mean(axis=0)) / x.std(axis=0), np.arange(len(x)), x.copy()

    def gather(point: Any) -> None:
        nonlocal left
        near = np.argpartition(((z[left] - point) ** 2).sum(axis=1), k - 1)[:k]
        result[left[near]] = x[left[near]].mean(axis=0)
        left = np.delete(left, near)

    while len(left) >= 3 * k:
        first = z[left[np.argmax(((z[left] - z[left].mean(axis=0)) ** 2).sum(axis=1))]]
        gather(first)
        gather(z[left[np.argmax(((z[left] - first) ** 2).sum(axis=1))]])
    result[left] = x[left].mean(axis=0)
    return result


def _neighbours_by_hand(x: Any, k: int) -> Any:
    import numpy as np

    order, whole = np.argsort(-x, kind="stable"), len(x) // k * k
    result = np.empty_like(x)
    result[order[:whole]] = np.repeat(x[order[:whole]].reshape(-1, k).mean(axis=1), k)
    result[order[whole:]] = x[order[whole:]].mean() if whole < len(x) else 0
    return result
