"""A small table with three keys and hierarchies, and everything about its lattice from the definitions."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.hierarchy import ROOT, parse
from schleier.core.schema import Column, Schema

HIERARCHIES = {
    "a": parse({"rows": [["p", "P", "X", "*"], ["q", "P", "X", "*"], ["r", "R", "X", "*"], ["s", "S", "Y", "*"]]}),
    "b": parse({"rows": [["u", "U", "*"], ["v", "U", "*"], ["w", "W", "*"]]}),
    "c": parse({"rows": [["0", "*"], ["1", "*"]]}),
}
SCHEMA = Schema(
    columns=[
        *(Column(name=name, role="quasi", scale="nominal", hierarchy=name) for name in HIERARCHIES),
        Column(name="ill", role="sensitive", scale="nominal"),
    ],
    hierarchies=HIERARCHIES,
)
LEAVES = {"a": ["p", "q", "r", "s"], "b": ["u", "v", "w"], "c": ["0", "1"]}
cell = {name: st.sampled_from([*leaves, None]) for name, leaves in LEAVES.items()}
rows = st.lists(st.tuples(*cell.values(), st.sampled_from(["flu", "cold", "cough"])), min_size=1, max_size=30)
Row = tuple[Any, ...]


def dataset(records: list[Row], schema: Schema = SCHEMA) -> Dataset:
    names = schema.names
    columns = {name: pa.array([row[i] for row in records], pa.string()) for i, name in enumerate(names)}
    return Dataset.from_frame(pa.table(columns), schema)


def label(name: str, value: str | None, level: int) -> str | None:
    """The label from the rows of the hierarchy; missing joins only the root."""
    if level == HIERARCHIES[name].depth:
        return ROOT
    if value is None or level == 0:
        return value
    return next(row[level] for row in HIERARCHIES[name].rows if row[0] == value)  # type: ignore[attr-defined]


def cell_loss(name: str, value: str | None, level: int) -> float:
    """Leaves below the label less one, of leaves in all less one; what is missing loses only at the root."""
    if level == HIERARCHIES[name].depth:
        return 1.0
    if value is None or level == 0:
        return 0.0
    below = [row for row in HIERARCHIES[name].rows if row[level] == label(name, value, level)]  # type: ignore[attr-defined]
    return (len(below) - 1) / (len(LEAVES[name]) - 1)


def apart(some: list[str], every: list[str]) -> float:
    """Half the sum of absolute differences of shares."""
    return sum(abs(some.count(v) / len(some) - every.count(v) / len(every)) for v in set(every)) / 2


def nodes() -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(HIERARCHIES[name].depth + 1) for name in LEAVES))


def keys_at(records: list[Row], levels: tuple[int, ...]) -> list[Row]:
    return [tuple(label(n, row[i], levels[i]) for i, n in enumerate(LEAVES)) for row in records]


def failing(
    keys: list[Row], ills: list[str], every: list[str], k: int, different: int = 1, far: float = 1.0
) -> list[bool]:
    """Which records are in a class that fails."""
    sizes, held = Counter(keys), dict[Row, list[str]]()
    for key, ill in zip(keys, ills, strict=True):
        held.setdefault(key, []).append(ill)
    fails = {
        key: sizes[key] < k or len(set(some)) < different or apart(some, every) > far + 1e-9
        for key, some in held.items()
    }
    return [fails[key] for key in keys]


def mean_loss(records: list[Row], levels: tuple[int, ...], bad: list[bool]) -> float:
    cells = [
        1.0 if gone else cell_loss(n, row[i], levels[i])
        for row, gone in zip(records, bad, strict=True)
        for i, n in enumerate(LEAVES)
    ]
    return sum(cells) / len(cells)


def exhaustive(records: list[Row], k: int, budget: int, different: int = 1, far: float = 1.0) -> float | None:
    """The least loss over all nodes, from the definitions: good for the search, and for who sees the release alone."""
    best = None
    ills = [row[3] for row in records]
    for levels in nodes():
        keys = keys_at(records, levels)
        bad = failing(keys, ills, ills, k, different, far)
        while any(bad) and not all(bad):
            left = [i for i, gone in enumerate(bad) if not gone]
            seen = [ills[i] for i in left]
            new = failing([keys[i] for i in left], seen, seen, k, different, far)
            if not any(new):
                break
            for i, gone in zip(left, new, strict=True):
                bad[i] = gone
        if sum(bad) > budget or all(bad):
            continue
        loss = mean_loss(records, levels, bad)
        best = loss if best is None else min(best, loss)
    return best


def weighed_loss(records: list[Row], levels: tuple[int, ...], bad: list[bool], name: str, balance: float) -> float:
    """What a column loses when coarsening and suppressing count differently, from the definition, record by record."""
    own, share, i = min(1.0, 2 - 2 * balance), min(1.0, 2 * balance), list(LEAVES).index(name)
    lost = [cell_loss(name, row[i], levels[i]) for row in records]
    cells = [cost + share * (1 - cost) if gone else own * cost for cost, gone in zip(lost, bad, strict=True)]
    return sum(cells) / len(cells)
