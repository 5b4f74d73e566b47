"""Curves of hits and false alarms: slow oracles, ties, both directions, and intervals that hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from schleier.kernels.statistics.roc import Curve

SCORES = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=12)


@settings(max_examples=200, deadline=None)
@given(SCORES, SCORES)
def test_the_area_is_the_share_of_pairs_in_order_with_ties_half(mine: list[float], theirs: list[float]) -> None:
    pairs = [(a > b) + (a == b) / 2 for a in mine for b in theirs]
    curve = Curve(np.array(mine), np.array(theirs))
    area = curve.area
    assert area.share == pytest.approx(np.mean(pairs))
    assert 0 <= area.low <= area.share + 1e-9 and area.share - 1e-9 <= area.high <= 1
    assert curve.turned().area.share == pytest.approx(area.share)


@settings(max_examples=200, deadline=None)
@given(SCORES, SCORES, st.floats(0.001, 0.999))
def test_hits_equal_the_slow_way(mine: list[float], theirs: list[float], alarms: float) -> None:
    """Threshold by threshold from the top; where one is taken in part, everybody on it has the same chance."""
    left, found = alarms * len(theirs), 0.0
    for score in sorted({*mine, *theirs}, reverse=True):
        here, there = mine.count(score), theirs.count(score)
        if there > left + 1e-12:
            found += here * left / there
            break
        found, left = found + here, left - there
    rate = Curve(np.array(mine), np.array(theirs)).hits(alarms)
    assert rate.share == pytest.approx(found / len(mine), abs=1e-6)
    assert 0 <= rate.low <= rate.share + 1e-9 and rate.share - 1e-9 <= rate.high <= 1


def test_equal_scores_are_at_chance_whatever_their_order() -> None:
    curve = Curve(np.zeros(500), np.zeros(400))
    assert curve.area.share == 0.5
    assert curve.hits(0.01).share == pytest.approx(0.01)
    assert curve.caught(0.01) == (0, 0)  # no threshold alarms so few


def test_who_is_caught() -> None:
    curve = Curve(np.array([9.0, 5.0, 5.0, 1.0]), np.arange(100.0) / 20)  # the highest other is at 4.95
    assert curve.caught(0.01) == (3, 1)
    assert curve.caught(0.001) == (3, 0)
    assert curve.caught(1.0) == (4, 100)


@pytest.mark.parametrize(("members", "others", "shift"), [(1000, 1000, 1.0), (200, 2000, 3.0), (500, 500, 0.0)])
def test_intervals_hold_the_truth(members: int, others: int, shift: float) -> None:
    """Of 400 samples of normal scores, about 95 % (four standard errors less) hold the true hits and the true area."""
    rng, hits, areas = np.random.default_rng(4), 0, 0
    truth, area = norm.cdf(shift - norm.ppf(0.99)), norm.cdf(shift / np.sqrt(2))
    for _ in range(400):
        curve = Curve(rng.normal(shift, 1, members), rng.normal(0, 1, others))
        rate, whole = curve.hits(0.01), curve.area
        hits += rate.low <= truth <= rate.high
        areas += whole.low <= area <= whole.high
    least = 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400)
    assert hits / 400 > least and areas / 400 > least


def test_few_others_make_the_interval_wide() -> None:
    """Everybody is found, but with 100 others nobody knows whether at 1 % false alarms or at far fewer."""
    few, many = (Curve(np.ones(1000), np.zeros(n)).hits(0.01) for n in (100, 10_000))
    assert few.share == many.share == 1.0
    assert few.low < 0.2 and many.low > 0.99
    assert Curve(np.ones(50), np.zeros(50)).area.low > 0.9


def test_nobody_to_compare_tells_nothing() -> None:
    empty, one = np.empty(0), np.ones(3)
    for curve in (Curve(empty, one), Curve(one, empty)):
        assert (curve.area.low, curve.area.high) == (0.0, 1.0)
        assert (curve.hits(0.01).low, curve.hits(0.01).high) == (0.0, 1.0)
