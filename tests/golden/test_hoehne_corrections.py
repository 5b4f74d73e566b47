"""Corrections an analyst makes to estimates from a release (Höhne 2010)."""

from __future__ import annotations

import numpy as np
import pytest

from schleier.kernels.change.corrections import (
    additive_covariance,
    exchanged_counts,
    multiplied_covariance,
    multiplied_variance,
)
from schleier.methods._factor_correction import factor_variance

TURNOVER = 1289556816.0
"""The standard deviation before noise (L2360)."""


@pytest.mark.parametrize(
    ("mean", "sd", "corrected", "before", "after"),
    [
        (122246804, 1389153778, 1380141896, 7.72, 7.02),
        (119619313, 1202424614, 1194607387, -6.76, -7.36),
        (119812490, 1232190321, 1224183098, -4.45, -5.07),
    ],
)
def test_table_4(mean: float, sd: float, corrected: float, before: float, after: float) -> None:
    """S-T6, Tabelle 4 (L2364-L2368): sqrt((sd² - 0.013 mean²) / 1.013), to the last digit; error in per cent."""
    shared, own = factor_variance({"kind": "mixture", "f": 0.11, "s": 0.03})
    assert shared + own == pytest.approx(0.013)
    found = multiplied_variance(sd**2, mean, shared + own) ** 0.5
    assert round(found) == corrected
    assert 100 * (found / TURNOVER - 1) == pytest.approx(after, abs=0.005)
    assert 100 * (sd / TURNOVER - 1) == pytest.approx(before, abs=0.005)  # what it was without a correction


def test_two_stage_counts() -> None:
    """D-T3: with P, T_a = (46, 31, 23) gives (40.625, 26.875, 32.5)."""
    p = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.25, 0.25, 0.5]])
    assert exchanged_counts(np.array([46.0, 31.0, 23.0]), p) == pytest.approx([40.625, 26.875, 32.5])
    assert exchanged_counts(np.array([51.0, 31.0, 18.0]), p) == pytest.approx([50, 30, 20])


def test_invariant_matrix_inverse() -> None:
    """D-T1: the rows of the inverse for h = (0.5, 0.3, 0.2) and alpha = 0.2."""
    p = np.array([[0.90, 0.06, 0.04], [0.10, 0.86, 0.04], [0.10, 0.06, 0.84]])
    inverse = [[1.125, -0.075, -0.05], [-0.125, 1.175, -0.05], [-0.125, -0.075, 1.2]]
    found = [exchanged_counts(row, p) for row in np.eye(3)]
    assert np.array(found) == pytest.approx(np.array(inverse))


@pytest.mark.parametrize(("mean", "sd", "error"), [(120808541, TURNOVER, 0.01311), (31560889, 37318131, 0.0223)])
def test_relative_error_of_the_variance(mean: float, sd: float, error: float) -> None:
    """S-T6, L2360 and L2439: 0.013 (1 + (mean / sd)²) as printed is what the correction takes back."""
    larger = sd**2 * (1 + error)
    found = multiplied_variance(larger, mean, 0.013)
    assert found == pytest.approx(sd**2, rel=5e-5)
    assert larger / found - 1 == pytest.approx(error, abs=5e-5)


def test_covariance_of_mixture_noise() -> None:
    """Section 7: Cov = (Cov^a - f² mean_j mean_k) / (1 + f²), and N11 for the diagonal."""
    f, s, means = 0.11, 0.03, np.array([3.0, 5.0])
    original = np.array([[4.0, 1.2], [1.2, 9.0]])
    noise = np.full((2, 2), f**2) + np.eye(2) * s**2
    released = (1 + noise) * original + noise * np.outer(means, means)
    assert multiplied_covariance(released, means, f**2, s**2) == pytest.approx(original)


def test_covariance_of_additive_noise() -> None:
    """N02 (L700): Σ(X^a) = (1 + d) Σ(X^o)."""
    original = np.array([[4.0, 1.2], [1.2, 1.0]])
    assert additive_covariance(1.25 * original, 0.25) == pytest.approx(original)


def test_truncated_factors() -> None:
    """N05: the variance of N(1, 0.15) restricted to 0.01 <= |w - 1| <= 0.6, and of a uniform factor, by integration."""
    w = np.linspace(0.01, 0.6, 200_001)
    density = np.exp(-((w / 0.15) ** 2) / 2)
    by_hand = float((w**2 * density).sum() / density.sum())
    known = {"kind": "truncated", "inner": 0.01, "outer": 0.6, "s": 0.15, "tails": None, "distribution": "normal"}
    assert factor_variance(known)[1] == pytest.approx(by_hand, rel=1e-4)
    uniform = known | {"inner": 0.0, "outer": 0.5, "distribution": "uniform", "s": None}
    assert factor_variance(uniform)[1] == pytest.approx(1 / 12)
