"""Numbers multiplied by the factor of their unit."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.keys import Key
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.scale_numbers import ScaleNumbers

KEY = Key(bytes(range(32)))


def scaled(rows: list[tuple[str | None, float | None]], key: Key = KEY, spread: float = 0.2) -> list[float | None]:
    schema = Schema(
        row_key="id",
        columns=[
            Column(name="firm", role="unit", scale="nominal"),
            Column(name="sales", role="plain", scale="continuous"),
        ],
    )
    firm, sales = ([row[i] for row in rows] for i in range(2))
    table = pa.table(
        {"id": range(len(rows)), "firm": pa.array(firm, pa.string()), "sales": pa.array(sales, pa.float64())}
    )
    step = ScaleNumbers(columns=["sales"], by="firm", key="k", domain="d", spread=spread)
    after = step.apply(Dataset.from_frame(table, schema), Run(keys={"k": key}))
    found: list[float | None] = after.engine.arrays(after.frame.sort("id"))["sales"].to_pylist()
    return found


def test_a_unit_has_one_factor_between_half_the_spread_and_all_of_it() -> None:
    factors = [new for new in scaled([(f"f{i}", 1.0) for i in range(500)]) if new is not None]
    assert all(0.1 <= abs(factor - 1) <= 0.2 for factor in factors) and len(set(factors)) == 500
    assert 180 < sum(factor > 1 for factor in factors) < 320
    one, two, zero, gap = scaled([("a", 3.0), ("a", -6.0), ("a", 0.0), ("a", None)])
    assert one is not None and two == pytest.approx(-2 * one) and zero == 0 and gap is None


def test_the_key_decides_and_other_tables_agree() -> None:
    assert scaled([("a", 2.0), ("b", 2.0)])[1:] == scaled([("b", 2.0)])
    assert scaled([("a", 2.0)]) != scaled([("a", 2.0)], Key(bytes(range(1, 33))))
    assert scaled([(None, 2.0)]) == [None]


def test_two_released_amounts_do_not_tell_the_two_true_ones() -> None:
    amounts = [99.58, 120.93]
    one, two = scaled([("a", value) for value in amounts])
    assert one is not None and two is not None
    quotient = Fraction(9958, 12093)
    assert Fraction(one / two).limit_denominator(10**6) == quotient, "products to the last bit tell both in cents"
    assert Fraction(round(one, 2) / round(two, 2)).limit_denominator(10**6) != quotient
    step = ScaleNumbers(columns=["sales"], by="firm", key="k", domain="d", spread=0.2)
    for decimals, codes in ((None, ["exact-products"]), (2, [])):
        sales = Column(name="sales", role="plain", scale="continuous", decimals=decimals)
        schema = Schema(columns=[Column(name="firm", role="unit", scale="nominal"), sales])
        assert [one.code for one in step.problems(schema)] == codes
