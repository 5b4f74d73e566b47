"""Which columns of a release an attack of itself looks at: seen by an attack on totals after records were removed."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from schleier.attacks.total_deficit import TotalDeficit
from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.engine.duckdb import Duckdb
from schleier.methods.restrict import Restrict

COLUMNS = {
    "id": (None, None, [1, 2, 3, 4]),
    "age": ("quasi", "discrete", [30, 40, 50, 60]),
    "area": ("quasi", "place", ["a", "a", "b", "b"]),
    "branch": ("quasi", "nominal", ["x", "y", "x", "y"]),
    "hours": ("plain", "discrete", [10, 20, 30, 40]),
    "pay": ("sensitive", "continuous", [1.0, 2.0, 3.0, 4.0]),
    "code": ("sensitive", "discrete", [5, 6, 7, 8]),
    "ill": ("sensitive", "nominal", ["p", "q", "p", "q"]),
    "w": ("weight", "continuous", [1.0, 1.0, 1.0, 1.0]),
}


def loaded(engine: Duckdb, names: list[str], **scales: Any) -> Dataset:
    columns = [
        Column(name=name, role=COLUMNS[name][0], scale=scales.get(name, COLUMNS[name][1]))
        for name in names
        if name != "id"
    ]
    return Dataset.from_frame(
        pa.table({name: COLUMNS[name][2] for name in names}), Schema(row_key="id", columns=columns), engine
    )


def test_amounts_and_the_first_grouping_that_both_sides_have(engine: Duckdb) -> None:
    """The area is not in the original, the code was no number there; what is sensitive comes first."""
    original = loaded(engine, ["id", "age", "branch", "hours", "pay", "code", "ill", "w"], code="nominal")
    names = ["id", "age", "area", "branch", "hours", "pay", "code", "ill", "w"]
    step = Restrict(where=[{"column": "age", "at_least": 40}])
    released = step.apply(loaded(engine, names), Run())
    assert released.rows == 3
    found = TotalDeficit.fitting(Case(original, released, steps=(step,)))
    assert [(one.sensitive, one.by, one.whom) for one in found] == [
        ("pay", ("branch",), "hidden"),
        ("hours", ("branch",), "hidden"),
    ]
    every = TotalDeficit.fitting(Case(loaded(engine, names), released, steps=(step,)))
    assert [(one.sensitive, one.by) for one in every] == [("pay", ("area",)), ("code", ("area",)), ("hours", ("area",))]
