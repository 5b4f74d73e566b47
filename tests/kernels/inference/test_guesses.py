"""Guesses from classes, against trying them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.inference.guesses import best_guess, gain, within_reach

amounts = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=5)


@given(st.lists(amounts, min_size=1, max_size=4), st.sampled_from([0.05, 0.3]))
def test_one_guess_near_every_amount(classes: list[list[float]], within: float) -> None:
    places = np.array([i for i, each in enumerate(classes) for _ in each])
    values = np.array([value for each in classes for value in each])

    def slowly(each: list[float]) -> bool:
        """The best guess is where the smallest of the intervals ends."""
        tries = [end for value in each for end in (value - within * abs(value), value + within * abs(value))]
        return any(all(abs(g - v) <= within * abs(v) + 1e-12 for v in each) for g in tries)

    assert within_reach(places, values, len(classes), within).tolist() == [slowly(each) for each in classes]


def test_class_without_a_value_tells_nothing() -> None:
    assert within_reach(np.array([1]), np.array([5.0]), 3, 0.1).tolist() == [False, True, False]
    assert best_guess(np.array([1, 1]), np.array([2, 5]), 3).tolist() == [0, 5, 0]


def test_gain_is_the_part_of_the_misses_that_is_avoided() -> None:
    assert gain(0.9, 0.6) == pytest.approx(0.75)
    assert gain(1.0, 0.2) == 1.0
    assert gain(0.5, 0.5) == gain(1.0, 1.0) == 0.0
