"""What of the original a release shows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.engine import Source
from schleier.core.measure import Case
from schleier.core.schema import Column, Schema
from schleier.core.visible import visible_original

SCHEMA = Schema(columns=(Column(name="pay", scale="continuous"), Column(name="who", scale="nominal")), row_key="id")


def seen(after: dict[str, list[Any]]) -> tuple[dict[str, list[Any]], int, dict[str, int]]:
    before = pa.table({"id": [1, 2, 3, 4], "pay": [1.0, 5.0, 900.0, None], "who": ["a", "b", "c", "d"]})
    original = Dataset.from_frame(before, SCHEMA)
    released = original.engine.read(Source(pa.table(after)))
    found = visible_original(Case(original, Dataset(released, SCHEMA, original.engine)))
    rows = found.data.engine.arrays(found.data.frame).sort_by("id")
    return rows.select(["pay", "who"]).to_pydict(), found.records, found.cells


def test_what_was_capped_blanked_or_left_out_is_not_there() -> None:
    shown, gone, cells = seen({"id": [1, 2, 3], "pay": [1.0, 5.0, 50.0], "who": ["a", None, "c"]})
    assert shown == {"pay": [1.0, 5.0, 50.0], "who": ["a", None, "c"]}
    assert gone == 1 and cells == {"pay": 1, "who": 1}


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_what_bounds_nothing_does_not_show_the_largest(odd: float) -> None:
    """The largest released number clips the original; NaN is the largest of all to an engine."""
    shown, _, _ = seen({"id": [1, 2, 3], "pay": [odd, 5.0, 50.0], "who": ["a", "b", "c"]})
    assert shown["pay"] == [5.0, 5.0, 50.0]


def test_of_nothing_but_infinity_nothing_is_shown() -> None:
    shown, _, cells = seen({"id": [1, 2, 3], "pay": [float("inf")] * 3, "who": ["a", "b", "c"]})
    assert shown["pay"] == [None, None, None] and cells == {"pay": 3}
