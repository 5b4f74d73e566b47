"""Intervals learned from known populations: what they promise, and the regression they come from by brute force."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from schleier.kernels.population.models import MODELS, TOO_FAR
from schleier.kernels.population.unique_intervals import learned

STORED = Path(__file__).parents[3] / "bench" / "population_calibration.json"


@given(st.sampled_from(MODELS), st.floats(0, 1), st.integers(1, 10**6), st.floats(0.001, 0.999))
def test_an_interval_holds_its_estimate_and_what_is_possible(model: str, part: float, of: int, fraction: float) -> None:
    low, high = learned(model).interval(part * of, of, fraction)
    assert 0 <= low <= part * of <= high <= of


@pytest.mark.parametrize("model", MODELS)
def test_numbers_that_make_sense(model: str) -> None:
    one = learned(model)
    assert one.high[0] > 0 > one.low[0] and len(one.off) == len(one.fractions)
    assert one.tried(0.01) and one.tried(0.3) and not one.tried(0.0001) and not one.tried(0.9)
    few, many = (one.interval(0.1 * of, of, 0.1) for of in (50, 5_000))
    assert few[1] / 5 >= many[1] / 500 or model != "margins", "few uniques tell less"


def test_what_was_left_out_is_covered() -> None:
    """Upper ends learned without a population hold 95 % of all samples and 90 % of every larger part of them."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    assert stored["all"]["covered"] >= 0.95 and stored["all"]["ratio"] <= 3
    assert len(stored["populations"]) >= 6, "four that are read, two that are drawn from tables"
    parts = {
        (part, name): one
        for part in ("population", "fraction", "keys", "drawn")
        for name, one in stored[part].items()
        if one["cells"] >= 30 and name != "establishments"
    }
    assert {part for part, _ in parts} == {"population", "fraction", "keys", "drawn"}
    assert {key: one["covered"] for key, one in parts.items() if one["covered"] < 0.9} == {}
    # Below what is promised; and a population with few uniques, where the models contradict each other.
    far = {key for key, one in parts.items() if one["ratio"] > 3}
    assert far == {("fraction", "0.3 %"), ("population", "maryland")}


def test_only_margins_is_trusted_for_small_samples() -> None:
    trusted = [model for model in MODELS if learned(model).off_by(0.01) <= TOO_FAR]
    assert trusted == ["margins"]


def pinball(x: NDArray[np.float64], y: NDArray[np.float64], end: NDArray[np.float64], quantile: float) -> float:
    above = y - x @ end
    return float(np.where(above > 0, quantile * above, (quantile - 1) * above).sum())


def test_the_quantile_regression_by_brute_force() -> None:
    """Some two points lie on the best line: try all pairs."""
    from bench.population_calibration import quantile_fit

    rng = np.random.default_rng(3)
    x = np.stack([np.ones(30), rng.random(30)], axis=1)
    y = x @ np.array([0.3, 1.0]) + rng.normal(size=30) * x[:, 1]
    lines = [np.linalg.solve(x[list(two)], y[list(two)]) for two in combinations(range(30), 2)]
    for quantile in (0.5, 0.9):
        found = quantile_fit(x, y, np.ones(30), quantile)
        assert pinball(x, y, found, quantile) == pytest.approx(min(pinball(x, y, line, quantile) for line in lines))
        assert abs((y <= x @ found + 1e-9).mean() - quantile) < 0.08
