"""Two values for each group, against the slow way, and what must hold whatever the values are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.grouping.two_values import AS_IT_IS, ENLARGED, MIXED, PLAIN, by_sign, preserved, two_values

amounts = st.lists(st.one_of(st.just(0.0), st.integers(0, 9), st.integers(0, 5000)).map(float), min_size=4, max_size=40)


def slow(values: list[float], k: int) -> list[float]:
    """Group by group, without looking at zero."""
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    count, new = len(values) // k, [0.0] * len(values)
    for g in range(count):
        who = order[g * k : (g + 1) * k if g < count - 1 else len(values)]
        upper = len(who) // 2
        low, high = two_values(np.array([values[i] for i in who]), len(who) - upper)
        for rank, i in enumerate(who):
            new[i] = high if rank < upper else low
    return new


@given(amounts, st.integers(4, 7))
def test_equals_the_slow_way_where_nothing_falls_below_zero(values: list[float], k: int) -> None:
    if len(values) >= k:
        new, how = preserved(np.array(values), k, floor=False)
        assert new == pytest.approx(slow(values, k), rel=1e-9, abs=1e-6) and (how == AS_IT_IS).all()


@given(amounts, st.integers(4, 7))
def test_mean_variance_sign_and_company(values: list[float], k: int) -> None:
    if len(values) < k:
        return
    x = np.array(values)
    new, how = by_sign(x, k)
    assert new.mean() == pytest.approx(x.mean(), abs=1e-6)
    assert (new >= 0).all()
    if (how != PLAIN).all():
        assert new.std() == pytest.approx(x.std(), rel=1e-9, abs=1e-5)
    else:
        assert new.std() < x.std() + 1e-6
    assert min(Counter(new.tolist()).values()) >= 2


@given(st.lists(st.integers(1, 5000).map(float), min_size=6, max_size=40), st.integers(4, 6))
def test_negative_values_are_the_mirror(values: list[float], k: int) -> None:
    assert (by_sign(-np.array(values), k)[0] == -by_sign(np.array(values), k)[0]).all()


def test_the_ladder() -> None:
    # three and three would fall below zero, four and two do not
    group = np.array([1.0, 1, 1, 2, 9, 9])
    assert two_values(group, 3)[0] < 0.2 < two_values(group, 4)[0]
    skewed = np.array([0.0, 0, 0, 1, 9, 9])
    assert two_values(skewed, 3)[0] < 0 < 1e-9 + two_values(skewed, 4)[0]
    new, how = preserved(skewed, 6, floor=True)
    assert Counter(new.round(6).tolist()).most_common()[0][1] == 4 and (how == AS_IT_IS).all()
    assert new.std() == pytest.approx(skewed.std())
    # the smaller neighbour helps where there is no larger one
    low = np.array([46.0, 5, 5, 4, 3, 2, 2, 1, 1, 0, 0, 0])
    new, how = by_sign(low, 6)
    assert (how == ENLARGED).all() and new.min() >= 0
    assert (new.mean(), new.std()) == pytest.approx((low.mean(), low.std()))
    # and where nothing helps only this group loses its variance
    new, how = by_sign(np.array([60.0] + [1.0] * 11), 6)
    assert how.tolist() == [PLAIN] * 6 + [AS_IT_IS] * 6 and new[:6] == pytest.approx([65 / 6] * 6)


def test_signs_stay_apart_when_there_are_enough_of_both() -> None:
    x = np.array([-9.0, -8, -3, -1, 2, 3, 5, 7])
    new, how = by_sign(x, 4)
    assert (np.sign(new) == np.sign(x)).all() and (how == AS_IT_IS).all()
    assert (new[:4].mean(), new[:4].std()) == pytest.approx((x[:4].mean(), x[:4].std()))
    few = np.array([-1.0, 2, 3, 5, 7, 9])
    new, how = by_sign(few, 4)
    assert (how == MIXED).all()
    assert (new.mean(), new.std()) == pytest.approx((few.mean(), few.std()))


def test_kept_zeros_are_left_out() -> None:
    x = np.array([0.0, 0, 0, 5, 6, 8, 9])
    new, _ = by_sign(x, 4, keep_zeros=True)
    assert new[:3].tolist() == [0, 0, 0]
    assert (new[3:].mean(), new[3:].std()) == pytest.approx((7.0, x[3:].std()))


def test_large_numbers_do_not_cancel_out() -> None:
    x = 1e12 + np.arange(8.0)
    new, _ = preserved(x, 4, floor=True)
    assert (new - 1e12).std() == pytest.approx(np.arange(8.0).std(), rel=1e-4)


def test_too_few_values_are_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        preserved(np.arange(3.0), 4, floor=True)
    with pytest.raises(ValueError, match="too few"):
        preserved(np.arange(9.0), 3, floor=True)
