"""Rounding: halves, signs, fractions, and a slow and obvious version."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.round_to import RoundTo
from schleier.testing import example_schema


def rounded(values: list[Any], base: float, scale: Any, kind: Any = None, engine: Any = None) -> list[Any]:
    schema = Schema(columns=[Column(name="x", scale=scale)])
    data = Dataset.from_frame(pa.table({"x": pa.array(values, kind)}), schema, engine)
    result: list[Any] = RoundTo(column="x", base=base).apply(data, Run()).to_arrow()["x"].to_pylist()
    return result


def test_halves_go_away_from_zero() -> None:
    values = [0, 24, 25, 74, 75, -24, -25, -75, None]
    wanted = [0, 0, 50, 50, 100, 0, -50, -100, None]
    assert rounded(values, 50, "discrete") == wanted
    assert rounded([v if v is None else float(v) for v in values], 50, "continuous") == wanted


def test_an_odd_base_has_no_halves() -> None:
    assert rounded([1, 2, 3, 4, -1, -2], 3, "discrete") == [0, 3, 3, 3, 0, -3]


def test_small_types_do_not_overflow() -> None:
    assert rounded([32767, -32768], 1000, "discrete", pa.int16()) == [33000, -33000]
    assert rounded([2**62 + 1], 2**40, "discrete") == [2**62]


def test_multiples_of_a_decimal_base_are_written_as_one_expects() -> None:
    assert rounded([0.29, 0.7, 1.12, -0.06], 0.1, "continuous") == [0.3, 0.7, 1.1, -0.1]
    assert rounded([0.024, 0.026, 3.33], 0.05, "continuous") == [0.0, 0.05, 3.35]
    assert rounded([3.0, 4.0], 2.5, "continuous") == [2.5, 5.0]


def test_numbers_too_large_to_round_stay() -> None:
    assert rounded([1e300, float("inf"), -1e300], 0.5, "continuous") == [1e300, float("inf"), -1e300]


def test_whole_numbers_may_be_declared_continuous() -> None:
    assert rounded([7, 8], 2.5, "continuous", pa.int64()) == [7.5, 7.5]


@given(st.lists(st.integers(-(10**12), 10**12) | st.none(), min_size=1, max_size=20), st.integers(1, 10**6))
def test_like_the_slow_version(values: list[int | None], base: int) -> None:
    def slow(value: int | None) -> int | None:
        if value is None:
            return None
        return int((Decimal(value) / base).quantize(Decimal(1), ROUND_HALF_UP)) * base

    assert rounded(values, base, "discrete", pa.int64()) == [slow(value) for value in values]


@pytest.mark.parametrize("base", [0, -5, float("nan"), float("inf")])
def test_the_base_must_be_positive(base: float) -> None:
    with pytest.raises(SchleierError):
        RoundTo(column="x", base=base)


@pytest.mark.parametrize(
    ("step", "codes"),
    [
        (RoundTo(column="sex", base=5), ["not-numeric"]),
        (RoundTo(column="age", base=2.5), ["not-whole"]),
        (RoundTo(column="agee", base=5), ["unknown-column"]),
        (RoundTo(column="age", base=5.0), []),
    ],
)
def test_problems(step: RoundTo, codes: list[str]) -> None:
    assert [problem.code for problem in step.problems(example_schema())] == codes


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    engine = get("engine", "spark")()
    values = [0.25, 0.75, -0.25, 1e19, float("inf"), 12345.678, None]
    assert rounded(values, 0.5, "continuous", engine=engine) == rounded(values, 0.5, "continuous")
    whole = [-7, 7, 2**60, None]
    assert rounded(whole, 5, "discrete", engine=engine) == rounded(whole, 5, "discrete")
    engine.close()
