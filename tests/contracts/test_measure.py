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

from .conftest import KEY, made, shapes, to_do

Load = Callable[..., Dataset]


@pytest.mark.parametrize("shape", shapes())
def test_measures_every_shape(measure: str, shape: str, load: Load) -> None:
    data, one = load(shapes()[shape]), made("measure", measure)
    if isinstance(one, SampledMeasure) and shape == "weight all missing":
        with pytest.raises(DataError, match="have no weight"):
            one.measure(Case(data, data), Run(key=KEY))
        return
    finding = one.measure(Case(data, data), Run(key=KEY))
    infinite = f"the value for a table that is '{shape}' is no number: say 0 where there is nothing to measure"
    assert math.isfinite(finding.value), to_do("measure", measure, infinite)
    assert finding.text.endswith("."), to_do("measure", measure, "the text of a finding is a sentence")
    inside = finding.low is None or finding.low <= finding.value <= (finding.high or math.inf)
    assert inside, to_do("measure", measure, "the value lies outside its interval")
    lost = "a finding does not survive JSON: put no nan, no infinity and only plain values into its detail"
    assert type(finding).model_validate_json(finding.model_dump_json()) == finding, to_do("measure", measure, lost)


def test_says_what_it_measures(measure: str) -> None:
    kind = getattr(get("measure", measure), "kind", None)
    assert kind in ("risk", "utility"), to_do("measure", measure, 'declare kind: ClassVar = "risk" or "utility"')


def test_first_look_needs_no_parameters(measure: str) -> None:
    declared = get("measure", measure)
    if declared.inspected:
        told = to_do(
            "measure", measure, "only a risk that needs no parameters has a place in the first look: inspected"
        )
        assert declared().kind == "risk", told


def test_order_of_rows_does_not_matter(measure: str, load: Load) -> None:
    one, table = made("measure", measure), example_table()
    order = pa.array(np.random.default_rng(7).permutation(len(table)))
    data, shuffled = load(table), load(table.take(order))
    told = to_do("measure", measure, "the finding depends on the order of rows: join by the row key, and sort by it")
    assert one.measure(Case(data, shuffled), Run(key=KEY)) == one.measure(Case(data, data), Run(key=KEY)), told


def test_tells_no_protected_value(measure: str, load: Load) -> None:
    data = load()
    said = made("measure", measure).measure(Case(data, data), Run(key=KEY)).model_dump_json()
    for column in data.schema:
        if column.protected and not column.numeric:
            # single letters would be found inside words: look at values nobody writes by chance
            values = {str(v) for v in data.to_arrow().column(column.name).to_pylist() if v is not None}
            quoted = [value for value in values if len(value) > 3 and f'"{value}"' in said]
            told = f"the finding quotes values of '{column.name}': name columns and count records, nothing else"
            assert not quoted, to_do("measure", measure, told)


@pytest.mark.spark
def test_equal_on_spark(measure: str, load: Load, distributed: Any) -> None:
    one = made("measure", measure)
    here, there = load(), load(on=distributed)
    told = to_do("measure", measure, "Spark finds something else: sums of floats depend on the order, use integers")
    assert one.measure(Case(there, there), Run(key=KEY)) == one.measure(Case(here, here), Run(key=KEY)), told
