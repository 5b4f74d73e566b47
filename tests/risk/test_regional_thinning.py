"""Combinations spread over places of some size."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case, Finding
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.risk.regional_thinning import RegionalThinning

SCHEMA = Schema(
    columns=(
        Column(name="x", role="quasi", scale="nominal"),
        Column(name="place", role="quasi", scale="place"),
    )
)


def look(sizes: list[int], places: list[str] | None = None, **parameters: Any) -> Finding:
    keys = [f"class {i}" for i, size in enumerate(sizes) for _ in range(size)]
    data = Dataset.from_frame(pa.table({"x": keys, "place": places or ["here"] * len(keys)}), SCHEMA)
    return RegionalThinning(**parameters).measure(Case(data, data), Run())


def codes(**parameters: Any) -> list[str]:
    return sorted(problem.code for problem in RegionalThinning(**parameters).problems(SCHEMA))


def test_worked_out_by_hand() -> None:
    """Ten places: nine records of one kind are expected 0.9 times in each, eleven 1.1 times."""
    one = look([9, 11], keys=["x"], inhabitants=200, population=2000)
    assert one.value == 9 / 20
    assert (one.detail["places"], one.detail["single"], one.detail["twins"]) == (10, 9, 100)
    assert one.detail["expected_alone"] == pytest.approx((9 * 0.9**8 + 11 * 0.9**10) / 20)
    assert look([10], keys=["x"], inhabitants=200, population=2000).value == 0.0  # exactly once is not less
    assert one.detail["unique_before"] == 0.0
    assert look([1, 1, 3], keys=["x"], inhabitants=200, population=2000).detail["unique_before"] == 2 / 5


def test_what_is_expected_and_what_is_found() -> None:
    places = ["a", "a", "b", "c"]
    one = look([4], places, region="place", inhabitants=10, fraction=0.1)
    assert one.detail["keys"] == ["x"] and one.detail["unique_before"] == 0.0
    assert one.detail["found_alone"] == 0.5
    assert one.detail["expected_alone"] == pytest.approx(0.75**3)


def test_smaller_places_leave_more_alone() -> None:
    found = [look([3, 30], keys=["x"], inhabitants=size, fraction=0.1).value for size in (330, 100, 20, 1)]
    assert found == [0.0, 3 / 33, 3 / 33, 1.0]


def test_everything_wrong_is_said_at_once() -> None:
    assert codes(inhabitants=0, fraction=3) == ["bad-fraction", "bad-inhabitants"]
    assert codes(inhabitants=20, population=10) == ["bad-inhabitants"]
    assert codes(inhabitants=20, fraction=0.1, keys=["place"], region="place") == ["no-keys"]
    assert codes(inhabitants=20, fraction=0.1, region="nowhere") == ["unknown-column"]
    assert codes(inhabitants=20) == ["no-fraction"]


def test_an_empty_file() -> None:
    assert look([], keys=["x"], inhabitants=10, population=100).value == 0.0
