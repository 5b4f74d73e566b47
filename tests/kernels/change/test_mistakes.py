"""Errors in arrays: every chance adds up, gaps stay, and a wrong value is another one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.change.mistakes import changed_codes, errors, near_categories, other_categories

SIZES = st.integers(1, 12)


@given(SIZES, st.floats(0.01, 50))
def test_chances_add_up_and_nobody_stays(size: int, spread: float) -> None:
    for chances in (other_categories(size), near_categories(size, spread)):
        assert np.diag(chances).tolist() == [0.0] * size
        assert chances.sum(axis=1) == pytest.approx(np.ones(size) if size > 1 else np.zeros(1))


@given(SIZES, st.integers(0, 2**32))
def test_a_wrong_code_is_another_one_and_a_gap_stays(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, size, 60)
    hit, where = rng.random(60), rng.random(60)
    where[:2] = np.nextafter(1, 0), 0.0  # the ends of what can be drawn
    rates = rng.random(size)
    found = changed_codes(codes, rates, other_categories(size), hit, where)
    wrong = (codes >= 0) & (hit < np.append(rates, 0)[codes]) & (size > 1)
    assert np.array_equal(found != codes, wrong)
    assert ((found >= 0) == (codes >= 0)).all() and (found < size).all()


def test_neighbours_are_likelier_the_nearer_they_are() -> None:
    middle = near_categories(9, 2.0)[4]
    assert middle[5] > middle[6] > middle[7] > middle[8] > 0
    assert middle[3::-1] == pytest.approx(middle[5:])


@given(st.floats(0.01, 100))
def test_whole_errors_are_normal_but_never_nothing(deviation: float) -> None:
    draws = (np.arange(20_000) + 0.5) / 20_000
    found = errors(draws, deviation, whole=True)
    assert (found == np.rint(found)).all() and (found != 0).all()
    assert (np.diff(found) >= 0).all()  # the larger the draw, the larger the error
    assert abs(found.mean()) < 0.01 * max(deviation, 1)
    if deviation > 5:
        assert found.std() == pytest.approx(deviation, rel=0.1)
    assert errors(draws, deviation, whole=False).std() == pytest.approx(deviation, rel=0.01)
