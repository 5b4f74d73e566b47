"""Groups drawn by lot, and what is expected on average."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from methods.swapping import KEY, data, released
from methods.test_microaggregate import matrix, skewed
from schleier.core.run import Run
from schleier.methods.microaggregate import Microaggregate


def test_random_groupings_follow_the_key() -> None:
    of = data(skewed())
    for grouping, differs in (("random", True), ("bootstrap", True), ("mdav", False)):
        step = Microaggregate(columns=["a"], k=3, grouping=grouping)  # type: ignore[arg-type]
        same = released(step, of, Run(key=KEY)) == released(step, of, Run(key=bytes(32)))
        assert same != differs


def test_random_groups_scale_all_covariances_alike() -> None:
    """M10: E Cov(X^a) = Cov(X^o) (g-1)/(n-1); the mean over 40 keys, within five standard errors."""
    table = skewed(120, 5)
    of, before = data(table), np.cov(matrix(table).T, bias=True)
    step = Microaggregate(columns=["a", "b", "c"], k=3, grouping="random")
    many = [np.cov(matrix(released(step, of, Run(key=bytes([i] * 32)))).T, bias=True) for i in range(40)]
    factor = np.array([np.diag(one).sum() for one in many]) / np.diag(before).sum()
    assert factor.mean() == pytest.approx(39 / 119, abs=5 * factor.std() / math.sqrt(40))


def test_bootstrap_keeps_means_on_average() -> None:
    """M11: the mean of 40 keys, within five standard errors."""
    table = skewed(120, 5)
    step = Microaggregate(columns=["a"], k=3, grouping="bootstrap")
    of = data(table)
    found = [np.mean(released(step, of, Run(key=bytes([i] * 32)))["a"]) for i in range(40)]
    assert np.mean(found) == pytest.approx(table["a"].mean(), abs=5 * np.std(found) / math.sqrt(40))
    assert np.std(found) > 0


def test_moore_predicts_the_correlation() -> None:
    """M14 for columns treated independently: R(xa, ya) near R(xo, xa) R(yo, ya) R(xo, yo) (L851)."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=1200)
    y = 0.7 * x + math.sqrt(0.51) * rng.normal(size=1200)
    after = released(Microaggregate(columns=["x", "y"], k=60, grouping="individual"), data({"x": x, "y": y}))
    xa, ya = np.array(after["x"]), np.array(after["y"])

    def r(a: Any, b: Any) -> float:
        return float(np.corrcoef(a, b)[0, 1])

    assert r(xa, ya) == pytest.approx(r(x, xa) * r(y, ya) * r(x, y), abs=4 / math.sqrt(1200))
    assert r(x, xa) < 0.999
