"""Small tables for testing methods."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.core.schema import Column, Schema

KEY = bytes(range(32))


def small(table: dict[str, Any], **columns: Any) -> Dataset:
    """A table whose columns have a scale, or a scale and a role: ``x="discrete"``, ``u=("nominal", "unit")``."""
    described = []
    for name in table:
        given = columns.get(name, "continuous")
        scale, role = given if isinstance(given, tuple) else (given, "plain")
        described.append(Column(name=name, scale=scale, role=role))
    return Dataset.from_frame(pa.table(table), Schema(columns=described))


def done(step: Any, data: Dataset, key: bytes = KEY) -> dict[str, list[Any]]:
    """What a step makes of a table, in row-key order."""
    run = Run(key=key)
    with run.within(step.label(data.schema)):
        after = step.apply(data, run)
    assert after.schema == step.after(data.schema)
    return after.to_arrow().to_pydict()


def codes(step: Any, schema: Schema) -> list[str]:
    """Codes of what is wrong with a step for a schema."""
    return [problem.code for problem in step.problems(schema)]
