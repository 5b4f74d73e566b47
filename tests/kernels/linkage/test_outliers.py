"""Robust outliers against scikit-learn, and what must hold of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from schleier.kernels.linkage.outliers import CUT, fit_bulk, outliers, steady

Floats = NDArray[np.float64]


def crowd(n: int, d: int, bad: int, seed: int) -> Floats:
    """Correlated normal records, the first few far off."""
    rng = np.random.default_rng(seed)
    values: Floats = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    values[:bad] += 20
    return values


@pytest.mark.parametrize(("n", "d", "bad"), [(200, 2, 40), (300, 1, 60), (500, 5, 100), (400, 3, 0)])
def test_the_same_outliers_as_scikit_learn(n: int, d: int, bad: int) -> None:
    covariance = pytest.importorskip("sklearn.covariance")
    values = crowd(n, d, bad, 3)
    found = outliers(values)
    assert found is not None
    theirs = covariance.MinCovDet(random_state=0).fit(values).dist_ > chi2.ppf(CUT, d)
    assert (found != theirs).sum() <= n // 100  # their starts are random, ours are not
    assert found[:bad].all()


def test_a_third_of_far_records_hides_nobody() -> None:
    """The mean and the ordinary covariance are pulled so far that they show hardly any of them."""
    values = crowd(300, 2, 100, 5)
    found = outliers(values)
    assert found is not None
    assert found[:100].all()
    centred = values - values.mean(axis=0)
    plain = np.einsum("ij,jk,ik->i", centred, np.linalg.inv(np.cov(values, rowvar=False)), centred)
    assert (plain > chi2.ppf(CUT, 2))[:100].mean() < 0.1


def test_normal_records_are_outliers_as_rarely_as_they_should() -> None:
    found = outliers(crowd(20_000, 4, 0, 8))
    assert found is not None
    # 2.5 % expected; four standard errors of 20,000 draws, and as much for the estimated covariance
    assert abs(found.mean() - 0.025) < 8 * np.sqrt(0.025 * 0.975 / 20_000)


def test_scale_and_shift_change_nothing() -> None:
    values = crowd(300, 3, 30, 11)
    turned = values * np.array([1e6, 1e-3, -2.0]) + np.array([5.0, 1e4, 0.0])
    first, second = outliers(values), outliers(turned)
    assert first is not None
    assert second is not None
    assert (first == second).all()


def test_a_column_that_follows_from_others_adds_nothing() -> None:
    values = crowd(300, 2, 30, 2)
    again = np.column_stack([values, values[:, 0] + values[:, 1]])
    bulk = fit_bulk(again)
    assert bulk is not None
    assert bulk.directions.shape == (3, 2)
    found = outliers(again)
    assert found is not None
    assert found[:30].all()


def test_too_few_or_nothing() -> None:
    assert outliers(np.zeros((0, 2))) is None
    assert outliers(np.zeros((10, 0))) is None
    assert outliers(crowd(10, 2, 0, 1)) is None  # five for each column are not enough, one more is needed
    assert outliers(np.ones((50, 2))) is None


def test_a_column_with_one_value_for_most_cannot_be_judged() -> None:
    zeros = np.array([0.0] * 6 + [1.0, 2.0, 3.0, 4.0])
    even = np.arange(10.0)
    gaps = np.full(10, np.nan)
    assert steady(np.stack([zeros, even, gaps], axis=1)).tolist() == [False, True, False]
