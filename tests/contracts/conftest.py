"""What the contracts share: the example table in all its shapes, on every engine."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.run import Run
from schleier.testing import ROW_KEY, example_populations, example_schema, example_table

KEY = bytes(range(32))
IN_RECIPES: tuple[registry.Kind, ...] = ("method", "criterion", "measure", "attack")
COMPONENTS: tuple[registry.Kind, ...] = (*IN_RECIPES, "session", "detector", "service")
"""Kinds of components a user can name."""


def made(kind: Any, name: str) -> Any:
    """A component with its example parameters."""
    declared = registry.get(kind, name)
    try:
        return declared(**declared.example)
    except ValueError as error:
        pytest.fail(to_do(kind, name, f"set `example` to parameters that work on schleier.testing: {error}"))


def file_of(kind: Any, name: str) -> Path:
    """Where a component is declared."""
    return Path(inspect.getfile(registry.get(kind, name)))


def ours(kind: Any, name: str) -> bool:
    """Whether it is of the house or a wing; what others offer need not say as much."""
    return name in registry.ours(kind)


def to_do(kind: Any, name: str, what: str, file: Path | str | None = None) -> str:
    """What somebody who adds a component reads when a contract is broken: the file, and what belongs there."""
    place = file_of(kind, name) if file is None else file
    parts = place.parts if isinstance(place, Path) else ()
    shown = "/".join(parts[parts.index("schleier") - 1 :]) if "schleier" in parts else str(place)
    return f"{shown}: {what} (see CONTRIBUTING.md)"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `method`, `criterion`, `measure` or `component` runs for every registered one."""
    for kind in COMPONENTS:
        if kind in metafunc.fixturenames:
            metafunc.parametrize(kind, registry.names(kind))
    if "component" in metafunc.fixturenames:
        every = [(kind, name) for kind in COMPONENTS for name in registry.names(kind)]
        metafunc.parametrize("component", every, ids=[f"{kind}-{name}" for kind, name in every])


@pytest.fixture(scope="session")
def engine() -> Iterator[Any]:
    found = registry.get("engine", "duckdb")()
    yield found
    found.close()


@pytest.fixture(scope="session")
def distributed(spark: Any) -> Iterator[Any]:
    """One engine on Spark, which takes seconds to read the example and its populations."""
    found = registry.get("engine", "spark")()
    yield found
    found.close()


@pytest.fixture(scope="session")
def load(engine: Any) -> Callable[..., Dataset]:
    """The example table, or another one with its columns, as a dataset, with its population tables.

    A dataset is immutable, so that all tests share that of a shape; ``anew`` reads it once more. Other engines than the
    first must last as long as the tests, too.
    """
    people: dict[int, dict[str, Dataset]] = {}
    shared: dict[tuple[int, int], Dataset] = {}
    shaped = {id(table) for table in (example_table(), *shapes().values())}

    def load(table: pa.Table | None = None, on: Any = None, *, anew: bool = False) -> Dataset:
        where, rows = on or engine, example_table() if table is None else table
        known = id(where), id(rows)
        if known in shared and not anew:
            return shared[known]
        if id(where) not in people:
            people[id(where)] = example_populations(where)
        data = replace(Dataset.from_frame(rows, example_schema(), where), populations=people[id(where)])
        if id(rows) in shaped:
            shared.setdefault(known, data)
        return data

    return load


def result(step: Any, data: Dataset, key: bytes = KEY) -> dict[str, list[Any]]:
    """What a method makes of a dataset, by row key."""
    run = Run(key=key)
    with run.within(step.label(data.schema)):
        after = step.apply(data, run)
    names = (after.schema.key, *after.schema.names)
    return after.engine.arrays(after.frame.select(*names).sort(after.schema.key)).to_pydict()


@cache
def shapes() -> dict[str, pa.Table]:
    """Tables a component must survive: empty, one row, constant, all missing in a column, duplicated."""
    table = example_table()
    keys = table.column(ROW_KEY)
    constant = pa.table(
        {name: keys if name == ROW_KEY else table.column(name).take([0] * len(table)) for name in table.column_names}
    )
    gaps = {
        f"{name} all missing": table.set_column(
            table.column_names.index(name), name, pa.nulls(len(table), table.schema.field(name).type)
        )
        for name in table.column_names
        if name != ROW_KEY
    }
    doubled = pa.concat_tables([table, table])
    doubled = doubled.set_column(0, ROW_KEY, pa.array([f"d{i:05d}" for i in range(len(doubled))]))
    return {"empty": table.slice(0, 0), "one row": table.slice(0, 1), "constant": constant, "doubled": doubled, **gaps}
