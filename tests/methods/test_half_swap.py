"""Halves that exchange values of equal rank."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from methods.swapping import codes, data, released
from schleier.kernels.change.exchange import halved
from schleier.methods.half_swap import HalfSwap


@given(st.integers(0, 41), st.integers(0, 9))
def test_pairs_of_neighbouring_rank(count: int, seed: int) -> None:
    """Everybody exchanges with one partner; of an odd number one stays."""
    place = halved(np.arange(count, dtype=np.float64), np.random.default_rng(seed))
    assert np.array_equal(place[place], np.arange(count))
    assert int((place == np.arange(count)).sum()) == count % 2


def test_every_column_has_halves_of_its_own() -> None:
    values = list(range(60))
    after = released(HalfSwap(columns=["x", "y"]), data({"x": values, "y": values}))
    assert after["x"] != values and after["x"] != after["y"]


def test_values_stay_near_where_they_are_dense() -> None:
    """The weakness the source names: neighbours in rank are alike among small values."""
    rng = np.random.default_rng(3)
    x = rng.lognormal(0, 1, 2000)
    after = np.array(released(HalfSwap(columns=["x"]), data({"x": x}))["x"])
    assert np.array_equal(np.sort(after), np.sort(x))
    change = np.abs(after - x) / x
    anybody = np.abs(rng.permutation(x) - x) / x
    assert np.median(change) < np.median(anybody) / 4


def test_ordinal_categories_have_ranks_when_numbered() -> None:
    of = data({"s": ["a", "b", "c", "d"] * 10}, ordinal=("s",))
    assert "not-numeric" in codes(HalfSwap(columns=["s"]), of)
    step = HalfSwap(columns=["s"], categories="number")
    assert codes(step, of) == set()
    after = released(step, of)["s"]
    assert sorted(after) == sorted(["a", "b", "c", "d"] * 10)
    assert all(abs(ord(a) - ord(b)) <= 1 for a, b in zip(after, ["a", "b", "c", "d"] * 10, strict=True))
