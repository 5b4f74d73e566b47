"""How likely candidates are: by hand, that chances add up, and that the share of those who are there is learnt."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.linkage.posteriors import listed, posteriors


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-20, 20)), max_size=30), st.floats(0.01, 0.99))
def test_chances_are_those_of_a_slow_way_and_add_up_to_one_at_most(
    pairs: list[tuple[int, float]], share: float
) -> None:
    pairs.sort(key=lambda pair: pair[0])
    target, weight = np.array([t for t, _ in pairs], dtype=np.int64), np.array([w for _, w in pairs])
    found, told = posteriors(target, weight, 5, 50, contained=share)
    assert told == share
    for t in range(5):
        own = np.exp(weight[target == t]) * share / 50
        assert found[target == t] == pytest.approx(own / (own.sum() + 1 - share))
        assert found[target == t].sum() <= 1 + 1e-12


def test_alike_records_share_the_chance_also_with_those_that_were_cut_off() -> None:
    target, weight = np.zeros(20, dtype=np.int64), np.full(20, np.log(50.0))
    found, _ = posteriors(target, weight, 1, 1000, contained=0.5)
    assert found == pytest.approx(np.full(20, 0.025))
    cut, _ = posteriors(target, weight, 1, 1000, contained=0.5, many=20)
    assert cut == pytest.approx(np.full(20, 0.05 * 0.5 / (0.5 + 0.5 * (1 + 0.98))))


@pytest.mark.parametrize("true", [0.2, 0.5, 0.9])
def test_the_share_of_those_who_are_there_is_learnt(true: float) -> None:
    rng = np.random.default_rng(11)
    there = rng.random(4000) < true
    # Log weights of true pairs and of strangers that belong together: exp(weight) is the ratio of both densities.
    weight = np.where(there, rng.normal(4.5, 3.0, 4000), rng.normal(-4.5, 3.0, 4000))
    _, share = posteriors(np.arange(4000), weight, 4000, 1)
    assert share == pytest.approx(true, abs=0.03)


def test_nobody_and_nothing() -> None:
    found, share = posteriors(np.zeros(0, dtype=np.int64), np.zeros(0), 3, 10)
    assert len(found) == 0 and share == 0
    near = listed(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), 2, 3)
    assert near.record.tolist() == [[-1], [-1]] and near.tied.tolist() == [0, 0]


def test_ties_are_counted_also_beyond_the_list() -> None:
    near = listed(np.array([0, 0, 0]), np.array([7, 5, 6]), np.array([0.5, 0.5, 0.5 + 1e-9]), 1, 2)
    assert near.record.tolist() == [[5, 7]] and near.tied.tolist() == [3]
