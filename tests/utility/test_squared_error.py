from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.utility.squared_error import SquaredError

RUN = Run(key=bytes(32))
NUMBERS = [1.0, 3.0, 5.0, 11.0]  # mean 5, squares 16 + 4 + 0 + 36 = 56


def firms(turnover: list[Any], scale: str = "continuous") -> Dataset:
    columns = (Column(name="turnover", scale=scale), Column(name="staff", scale="discrete"))  # type: ignore[arg-type]
    table = {"id": list("abcd")[: len(turnover)], "turnover": turnover, "staff": [7] * len(turnover)}
    return Dataset.from_frame(pa.table(table), Schema(row_key="id", columns=columns))


def lost(released: Dataset) -> float:
    return SquaredError().measure(Case(firms(NUMBERS), released), RUN).value


def test_released_numbers_are_taken_as_they_are() -> None:
    assert lost(firms(NUMBERS)) == 0.0
    assert lost(firms([2.0, 2.0, 8.0, 8.0])) == pytest.approx((1 + 1 + 9 + 9) / 56)
    assert lost(firms([11.0, 5.0, 3.0, 1.0])) == pytest.approx((100 + 4 + 4 + 100) / 56)  # worse than nothing


def test_labels_stand_for_the_mean_behind_them() -> None:
    assert lost(firms(["low", "low", "high", "high"], "nominal")) == pytest.approx((1 + 1 + 9 + 9) / 56)


def test_what_is_gone_is_as_good_as_the_mean() -> None:
    assert lost(firms([1.0, 3.0, 5.0])) == pytest.approx(36 / 56)
    assert lost(firms([1.0, None, 5.0, 11.0])) == pytest.approx(4 / 56)
    assert lost(firms(NUMBERS).drop("turnover")) == 1.0


def test_columns_that_do_not_differ_are_named() -> None:
    found = SquaredError().measure(Case(firms(NUMBERS), firms(NUMBERS)), RUN)
    assert found.detail == {"columns": {"turnover": 0.0}, "constant": ["staff"]}
    problems = SquaredError(weights={"turnover": -1.0}).problems(firms(NUMBERS).schema)
    assert [problem.code for problem in problems] == ["bad-weight"]


@pytest.mark.parametrize("scale", [float(2**60), 1e307])
def test_very_large_numbers(scale: float) -> None:
    large = [number * scale for number in NUMBERS]
    released = firms([2 * scale, 2 * scale, 8 * scale, 8 * scale])
    assert SquaredError().measure(Case(firms(large), released), RUN).value == pytest.approx(20 / 56)
    whole = [int(number) * 2**59 + 1 for number in NUMBERS]
    assert SquaredError().measure(Case(firms(whole), firms(whole)), RUN).value == 0.0
