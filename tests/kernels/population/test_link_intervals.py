"""Intervals of right links: they hold chance, and are wider where a model has been wrong."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.population.individual_risk import Model
from schleier.kernels.population.link_intervals import FRACTIONS, OFF, LinkSum, doubts, link_sum, off_by
from schleier.kernels.population.links import SMALL

MODELS: tuple[Model, ...] = get_args(Model)


@given(st.floats(0, 1), st.integers(0, 10**6), st.floats(0, 1), st.floats(0, 5), st.floats(0, 1e3), st.floats(0, 6))
def test_an_interval_holds_its_estimate(
    part: float, of: int, unit: float, error: float, known: float, off: float
) -> None:
    found = LinkSum(part * of, of, unit * part * of, error, known, 0.01 * known)
    low, high = found.interval(off)
    assert 0 <= low <= part * of + known + 1e-9 and part * of + known - 1e-9 <= high
    assert high <= known + of + 1.96 * math.sqrt(0.01 * known) + 1e-9


@pytest.mark.parametrize(("of", "unit"), [(40, 1), (600, 1), (600, 4)])
def test_the_interval_holds_chance(of: int, unit: int) -> None:
    """f/F is 1/unit or zero with chances of a tenth: 95 %, less at most four standard errors of 2000 draws."""
    rng = np.random.default_rng(2)
    chances = np.full(of, 0.1)
    found = link_sum(chances / unit, chances * (1 - chances) / unit**2, np.ones(of, int), 0.0)
    low, high = found.interval(0.0)
    drawn = rng.binomial(of, 0.1, 2000) / unit
    assert ((low <= drawn) & (drawn <= high)).mean() > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 2000)
    assert high - low < 6 * math.sqrt(of * 0.09) / unit


def test_what_a_model_was_off_and_does_not_know_widens() -> None:
    bare = LinkSum(20.0, 100, 5.0, 0.0)
    wide, unsure = bare.interval(0.5), LinkSum(20.0, 100, 5.0, 6.0).interval(0.0)
    low, high = bare.interval(0.0)
    for other in (wide, unsure):
        assert other[0] < low and high < other[1]
    odds = bare.odds(wide[1] - bare._half) - bare.odds(20.0)
    assert odds == pytest.approx(1.96 * math.hypot(bare.spread, 0.5), rel=1e-3)


def test_large_classes_are_known() -> None:
    """However wrong a model has been about small classes, classes with many records tell their size."""
    sizes = np.array([SMALL + 1, 4000])
    found = link_sum(np.array([0.01, 0.01]), np.array([1e-6, 1e-8]), sizes, 0.0)
    low, high = found.interval(5.0)
    assert (found.of, found.guessed) == (0, 0.0)
    assert low == pytest.approx(0.02 - 1.96 * math.sqrt(1.01e-6), rel=1e-3) and high < 0.0221


def test_a_model_that_says_that_all_are_found() -> None:
    low, high = LinkSum(50.0, 50, 0.0, 0.0).interval(1.0)
    assert low <= 50.0 == high


def test_off_is_read_between_the_fractions_tried() -> None:
    assert set(OFF) == set(MODELS)
    for model, values in OFF.items():
        assert len(values) == len(FRACTIONS) and values[-1] == 0
        assert [off_by(model, part) for part in FRACTIONS] == pytest.approx(values)
        assert off_by(model, 0.0001) == values[0]
        assert min(values[1:3]) <= off_by(model, 0.02) <= max(values[1:3])


def test_doubts() -> None:
    sizes = np.array([1] * 20)
    assert doubts("margins", sizes, 2, 0.05) == []
    assert doubts("negative_binomial", sizes, 1, 0.01) == ["off"]
    assert doubts("poisson", sizes, 2, 0.001) == ["off", "small_fraction"]
    assert doubts("margins", sizes[:19], 1, 0.05) == ["few", "one_key"]
    assert doubts("margins", sizes + SMALL, 1, 0.05) == doubts("margins", sizes, 1, 1.0) == []
    for model in MODELS:
        assert ("off" in doubts(model, sizes, 2, 0.01)) == (OFF[model][1] > math.log(2))
