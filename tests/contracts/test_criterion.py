"""What every criterion must honour: verdicts on all shapes. That it keeps its promises: criteria/test_promises.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.testing import ROW_KEY, example_table

from .conftest import made, shapes

Load = Callable[..., Dataset]


@pytest.mark.parametrize("shape", shapes())
def test_judges_every_shape(criterion: str, shape: str, load: Load) -> None:
    verdict = made("criterion", criterion).check(load(shapes()[shape]))
    assert verdict.text.endswith(".")
    assert verdict.holds == (verdict.bad_classes == 0)
    assert type(verdict).model_validate_json(verdict.model_dump_json()) == verdict


def test_order_of_rows_does_not_matter(criterion: str, load: Load) -> None:
    one, table = made("criterion", criterion), example_table()
    order = pa.array(np.random.default_rng(7).permutation(len(table)))
    assert one.check(load(table.take(order))) == one.check(load(table))


def test_missing_keys_do_not_vanish(criterion: str, load: Load) -> None:
    """A row whose keys are missing is a row: the verdict looks at all of them."""
    table = example_table()
    one = made("criterion", criterion)
    key = next(name for keys in one.needs(load().schema) for name in keys.keys)
    values = table.column(key).to_pylist()
    gone = table.set_column(
        table.column_names.index(key), key, pa.array([None, *values[1:]], table.schema.field(key).type)
    )
    assert one.check(load(gone)).records == len(table)


def test_is_not_weaker_than_itself(criterion: str) -> None:
    one = made("criterion", criterion)
    assert not one.weaker_than(one.model_copy(update={"name": "other"}))


def test_row_key_is_no_key(criterion: str, load: Load) -> None:
    assert all(ROW_KEY not in request.keys for request in made("criterion", criterion).needs(load().schema))
