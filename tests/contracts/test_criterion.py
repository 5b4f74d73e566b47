"""What every criterion must honour: verdicts on all shapes. That it keeps its promises: criteria/test_promises.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.testing import ROW_KEY, example_table

from .conftest import made, shapes, to_do

Load = Callable[..., Dataset]


@pytest.mark.parametrize("shape", shapes())
def test_judges_every_shape(criterion: str, shape: str, load: Load) -> None:
    verdict = made("criterion", criterion).check(load(shapes()[shape]))
    assert verdict.text.endswith("."), to_do("criterion", criterion, "the text of a verdict is a sentence")
    counted = "a verdict holds exactly when bad_classes is 0"
    assert verdict.holds == (verdict.bad_classes == 0), to_do("criterion", criterion, counted)
    lost = "a verdict does not survive JSON: put no nan, no infinity and only plain values into it"
    assert type(verdict).model_validate_json(verdict.model_dump_json()) == verdict, to_do("criterion", criterion, lost)


@pytest.mark.parametrize("rows", [3, 12, 60, 240])
@pytest.mark.parametrize("times", [1, 4])
def test_a_bad_class_alone_breaks_it(criterion: str, rows: int, times: int, load: Load) -> None:
    """A search suppresses bad classes one by one: it would suppress too much where the table as a whole decides."""
    one, part = made("criterion", criterion), pa.concat_tables([example_table(rows)] * times)
    part = part.set_column(0, ROW_KEY, pa.array([f"r{i:05d}" for i in range(len(part))]))
    data = load(part)
    tables = [data.classes(request) for request in one.needs(data.schema)]
    told = "it holds although bad() marks a class: mark none where only the whole table decides, and judge() does"
    assert not (one.judge(tables).holds and any(one.bad(table).any() for table in tables)), to_do(
        "criterion", criterion, told
    )


def test_order_of_rows_does_not_matter(criterion: str, load: Load) -> None:
    one, table = made("criterion", criterion), example_table()
    order = pa.array(np.random.default_rng(7).permutation(len(table)))
    told = to_do("criterion", criterion, "the verdict depends on the order of rows: judge classes, not positions")
    assert one.check(load(table.take(order))) == one.check(load(table)), told


def test_missing_keys_do_not_vanish(criterion: str, load: Load) -> None:
    """A row whose keys are missing is a row: the verdict looks at all of them."""
    table = example_table()
    one = made("criterion", criterion)
    keys = [name for request in one.needs(load().schema) for name in request.keys]
    empty = "needs() asks for no key: let `example` name columns, or take schema.quasi where the recipe names none"
    assert keys, to_do("criterion", criterion, empty)
    values = table.column(keys[0]).to_pylist()
    gone = table.set_column(
        table.column_names.index(keys[0]), keys[0], pa.array([None, *values[1:]], table.schema.field(keys[0]).type)
    )
    told = "a record whose key is missing is not looked at: verdict.records must count all of them"
    assert one.check(load(gone)).records == len(table), to_do("criterion", criterion, told)


def test_is_not_weaker_than_itself(criterion: str) -> None:
    one = made("criterion", criterion)
    told = to_do("criterion", criterion, "weaker_than() calls it weaker than itself under another name")
    assert not one.weaker_than(one.model_copy(update={"name": "other"})), told


def test_row_key_is_no_key(criterion: str, load: Load) -> None:
    asked = made("criterion", criterion).needs(load().schema)
    told = to_do("criterion", criterion, "needs() asks for the row key, by which every record is alone")
    assert all(ROW_KEY not in request.keys for request in asked), told
