"""What every criterion must honour: verdicts on all shapes, and truthful declarations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core import registry
from schleier.core.classes import Classes
from schleier.core.data import Dataset
from schleier.kernels.classes import add_up
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


sizes = st.lists(st.integers(1, 9), min_size=2, max_size=12)


def table_of(amounts: list[int]) -> Classes:
    count = len(amounts)
    return Classes(
        keys=("k",),
        values=(pa.array([str(i) for i in range(count)]),),
        codes=np.arange(count, dtype=np.int32)[:, None],
        sizes=np.array(amounts, dtype=np.int64),
        weights=np.array(amounts, dtype=np.float64),
        squares=np.array(amounts, dtype=np.float64),
    )


@given(sizes, st.data())
def test_monotone_means_merging_good_stays_good(amounts: list[int], data: st.DataObject) -> None:
    for name in registry.names("criterion"):
        one = made("criterion", name)
        if not one.monotone:
            continue
        classes = table_of(amounts)
        if classes.histograms or one.bad(classes).any():
            continue
        place = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(amounts), max_size=len(amounts))))
        place = np.unique(place, return_inverse=True)[1]
        merged = replace(
            table_of([1] * (int(place.max()) + 1)), sizes=add_up(classes.sizes, place, int(place.max()) + 1)
        )
        merged = replace(merged, weights=merged.sizes.astype(float))
        assert not one.bad(merged).any()


@given(st.integers(1, 20), st.integers(1, 20))
def test_hereditary_means_parts_of_bad_are_bad(first: int, second: int) -> None:
    for name in registry.names("criterion"):
        one = made("criterion", name)
        if one.hereditary and one.bad(table_of([first + second]))[0]:
            assert one.bad(table_of([first, second])).all()


def test_row_key_is_no_key(criterion: str, load: Load) -> None:
    assert all(ROW_KEY not in request.keys for request in made("criterion", criterion).needs(load().schema))
