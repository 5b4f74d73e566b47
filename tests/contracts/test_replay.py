"""What every method must honour when it is fitted already: on the same rows, on others, and in SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError
from schleier.core.run import Run
from schleier.core.sql import types_of
from schleier.flow.query import query
from schleier.flow.release.edge import canonical
from schleier.testing import example_table

from .conftest import KEY, made, result, shapes, to_do

Load = Callable[..., Dataset]


def fitted(name: str, data: Dataset) -> Any:
    step, run = made("method", name), Run(key=KEY)
    with run.within(step.label(data.schema)):
        return step.fit(data, run)


def test_again_on_the_same_rows_changes_nothing(method: str, load: Load) -> None:
    data = load()
    once = fitted(method, data)
    run = Run(key=KEY)
    with run.within(once.label(data.schema)):
        again = once.again().fit(data, run)
    told = to_do("method", method, "again() must keep what was learned, and fit() of a fitted step must learn nothing")
    assert again == once, told
    assert result(again, data) == result(once, data), told


def test_again_on_other_rows_works_or_refuses(method: str, load: Load) -> None:
    step = fitted(method, load()).again()
    for table in shapes().values():
        try:
            result(step, load(table))
        except InfeasibleError:
            continue


@pytest.fixture(scope="module")
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database of its own, as somebody has who takes the query elsewhere."""
    with duckdb.connect() as connection:
        yield connection


def test_sql_says_what_apply_does(method: str, load: Load, plain: duckdb.DuckDBPyConnection) -> None:
    data = load()
    step = fitted(method, data)
    if step.sql(data.schema, types_of(data)) is None:
        told = (
            "goes row by row and draws nothing, so write sql(schema, types): the same in DuckDB's SQL, see core/sql.py"
        )
        assert step.random or step.scales != "rows" or step.named_keys(), to_do("method", method, told)
        return
    said = query(data.schema, [step], types_of(data)).text
    for table in ({"as it is": example_table()} | shapes()).values():
        plain.register("input", table)
        found = plain.sql(said).to_arrow_table()
        plain.unregister("input")
        run = Run(key=KEY)
        with run.within(step.label(data.schema)):
            after = canonical(step.apply(load(table), run))
        assert rows(found) == rows(after.to_arrow()), to_do("method", method, "sql() and apply() differ on a table")


def rows(table: Any) -> list[str]:
    return sorted(map(repr, zip(*(column.to_pylist() for column in table.itercolumns()), strict=True)))
