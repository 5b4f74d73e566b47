"""What the tests of swapping and simulation share: small tables, and what a step makes of them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema

KEY = bytes(range(32))
SCALES = {"integer": "discrete", "double": "continuous", "string": "nominal", "date32[day]": "time", "bool": "nominal"}

numbers = st.one_of(st.sampled_from([0.0, 1.0, -2.0, 7.0]), st.just(float("nan")), st.integers(-50, 50).map(float))
"""Many ties, zeros and gaps."""
columns = st.lists(numbers, min_size=0, max_size=40)


def data(table: dict[str, Any] | pa.Table, **given: Any) -> Dataset:
    """A table whose scales follow from its types; ``unit``, ``ordinal`` name columns, ``hierarchies`` are passed on."""
    table = table if isinstance(table, pa.Table) else pa.table(table)
    unit, ordinal = given.pop("unit", ()), given.pop("ordinal", ())
    tree = given.pop("tree", {})
    described = []
    for field in table.schema:
        kind = "integer" if pa.types.is_integer(field.type) else str(field.type)
        scale = "ordinal" if field.name in ordinal else "nominal" if field.name in unit else SCALES[kind]
        role = "unit" if field.name in unit else "weight" if field.name == "weight" else "sensitive"
        described.append(Column(name=field.name, role=role, scale=scale, hierarchy=tree.get(field.name)))
    return Dataset.from_frame(table, Schema(columns=described, **given))


def released(step: Any, of: Dataset, run: Run | None = None) -> dict[str, list[Any]]:
    run = run or Run(key=KEY)
    with run.within(step.label(of.schema)):
        found: dict[str, list[Any]] = step.apply(of, run).to_arrow().to_pydict()
    return found


def refusal(step: Any, of: Dataset) -> str:
    with pytest.raises(SchleierError) as error:
        released(step, of)
    return error.value.problems[0].code


def codes(step: Any, of: Dataset) -> set[str]:
    return {problem.code for problem in step.problems(of.schema)}
