"""Combinations spread over places at random."""

from __future__ import annotations

import numpy as np
import pytest

from schleier.kernels.classes.thinning import alone_by_place, expected_per_place


def test_spread_at_random() -> None:
    """Records put into places by lot: how many there are per place, and how many are alone."""
    rng, places, records, runs = np.random.Generator(np.random.Philox(key=7)), 20, 15, 4000
    where = rng.integers(0, places, (runs, records))
    alone = np.mean([np.bincount(one, minlength=places)[one] == 1 for one in where])
    wanted = float(alone_by_place([records], 5, 5 * places)[0])
    assert expected_per_place([records], 5, 5 * places)[0] == pytest.approx(records / places)
    assert alone == pytest.approx(wanted, abs=4 * 0.5 / np.sqrt(runs))


def test_one_place_thins_nothing() -> None:
    assert expected_per_place([3, 7], 100, 100).tolist() == [3.0, 7.0]
    assert alone_by_place([1, 2], 100, 100).tolist() == [1.0, 0.0]
    assert len(expected_per_place([], 1, 10)) == 0


def test_everything_wrong_at_once() -> None:
    message = "2 counts are negative; a place has more than no inhabitants; a population has more than no persons"
    with pytest.raises(ValueError, match=message):
        expected_per_place([-1, 3, -2], 0, -5)


def test_as_many_records_as_places_are_one_in_each() -> None:
    """A combination is single when it is expected less than once, and rounding must not decide that."""
    places = np.arange(1, 2000)
    assert all(expected_per_place([n], 1, n)[0] == 1.0 for n in places.tolist())
