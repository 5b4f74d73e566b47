"""What every measure must honour."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError
from schleier.core.measure import Case
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.risk._sample import SampledMeasure
from schleier.testing import example_table

from .conftest import KEY, made, shapes

Load = Callable[..., Dataset]


@pytest.mark.parametrize("shape", shapes())
def test_measures_every_shape(measure: str, shape: str, load: Load) -> None:
    data, one = load(shapes()[shape]), made("measure", measure)
    if isinstance(one, SampledMeasure) and shape == "weight all missing":
        with pytest.raises(DataError, match="have no weight"):
            one.measure(Case(data, data), Run(key=KEY))
        return
    finding = one.measure(Case(data, data), Run(key=KEY))
    assert math.isfinite(finding.value)
    assert finding.text.endswith(".")
    assert finding.low is None or finding.low <= finding.value <= (finding.high or math.inf)
    assert type(finding).model_validate_json(finding.model_dump_json()) == finding


def test_first_look_needs_no_parameters(measure: str) -> None:
    declared = get("measure", measure)
    if declared.inspected:
        assert declared().kind == "risk"


def test_order_of_rows_does_not_matter(measure: str, load: Load) -> None:
    one, table = made("measure", measure), example_table()
    order = pa.array(np.random.default_rng(7).permutation(len(table)))
    data, shuffled = load(table), load(table.take(order))
    assert one.measure(Case(data, shuffled), Run(key=KEY)) == one.measure(Case(data, data), Run(key=KEY))


def test_tells_no_protected_value(measure: str, load: Load) -> None:
    data = load()
    said = made("measure", measure).measure(Case(data, data), Run(key=KEY)).model_dump_json()
    for column in data.schema:
        if column.protected and not column.numeric:
            # single letters would be found inside words: look at values nobody writes by chance
            values = {str(v) for v in data.to_arrow().column(column.name).to_pylist() if v is not None}
            assert not [value for value in values if len(value) > 3 and f'"{value}"' in said]


@pytest.mark.spark
def test_equal_on_spark(measure: str, load: Load, spark: Any) -> None:
    one, engine = made("measure", measure), get("engine", "spark")()
    try:
        here, there = load(), load(on=engine)
        assert one.measure(Case(there, there), Run(key=KEY)) == one.measure(Case(here, here), Run(key=KEY))
    finally:
        engine.close()
