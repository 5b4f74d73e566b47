"""Rounding that leaves a total alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.change.rounding import controlled, nearest_multiple


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), max_size=40), st.integers(0, 2))
def test_controlled_rounding_keeps_the_total(values: list[float], decimals: int) -> None:
    numbers = np.array(values)
    found = controlled(numbers, decimals)
    held = ~np.isnan(numbers)
    assert (np.isnan(found) == ~held).all()
    unit = 10.0**-decimals
    assert abs(found[held].sum() - numbers[held].sum()) <= unit / 2 + 1e-5
    assert (np.abs(found[held] - numbers[held]) < unit + 1e-6).all()


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_nearest_is_never_half_a_unit_away(values: list[float]) -> None:
    numbers = np.array(values)
    assert (np.abs(nearest_multiple(numbers, 1) - numbers) <= 0.05 + 1e-9).all()


@given(st.lists(st.integers(0, 999), min_size=1, max_size=12))
def test_the_last_digit_of_a_sum_does_not_decide(tenths: list[int]) -> None:
    """As with fractions: a total of exactly one half goes up, however the doubles add up."""
    exact = sum(Fraction(n, 10) for n in tenths)
    found = controlled(np.array(tenths) / 10)
    assert int(found.sum()) == int(exact + Fraction(1, 2))


def test_half_in_doubles() -> None:
    """Five tenths are 0.5, but the remainders of 7.1 add up to a little less."""
    values = np.full(5, 7.1)
    assert (values - 7).sum() < 0.5
    assert controlled(values).tolist() == [8, 7, 7, 7, 7]
    many = np.full(35, 0.7)  # 24.5, and a little less in doubles
    assert controlled(many).sum() == 25


def test_the_largest_remainders_go_up_and_earlier_ones_first() -> None:
    values = np.array([1.2, 3.6, np.nan, 5.2, 0.5, 2.5])
    assert np.array_equal(controlled(values), [1, 4, np.nan, 5, 1, 2], equal_nan=True)
    assert controlled(np.array([1.0, 2.0])).tolist() == [1, 2]
    assert controlled(np.array([0.25, 0.25, 0.5]), 1).tolist() == [0.3, 0.2, 0.5]
