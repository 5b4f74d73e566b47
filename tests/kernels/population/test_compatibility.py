"""Rates of incompatible columns: against enumeration, integrals and simulation."""

from __future__ import annotations

from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from schleier.kernels.population.compatibility import (
    all_compatible,
    alternative_rate,
    beta_binomial,
    combine,
    common_factor,
    deviations,
    expected_deviations,
    implied_correlation,
    implied_p,
    product_bounds,
)

SHARE = st.floats(0, 1)
RATES = st.lists(SHARE, min_size=1, max_size=6)


def enumerated(rates: list[float]) -> list[float]:
    """Go through every pattern of errors."""
    found = [0.0] * (len(rates) + 1)
    for pattern in product((False, True), repeat=len(rates)):
        found[sum(pattern)] += prod(p if wrong else 1 - p for p, wrong in zip(rates, pattern, strict=True))
    return found


@given(RATES)
def test_every_pattern_of_errors(rates: list[float]) -> None:
    slow = enumerated(rates)
    assert deviations(rates) == pytest.approx(slow, abs=1e-12)
    assert all_compatible(rates) == pytest.approx(slow[0], abs=1e-12)
    assert expected_deviations(rates) == pytest.approx(sum(i * p for i, p in enumerate(slow)), abs=1e-9)


def test_one_rate_for_all_keys() -> None:
    assert all_compatible(0.25, 3) == 0.75**3 == all_compatible([0.25] * 3)
    assert deviations(0.5, 4).tolist() == [comb(4, i) / 16 for i in range(5)]
    assert all_compatible([]) == 1.0 and all_compatible(0.3, 0) == 1.0
    assert all_compatible([0.1, 1.0]) == 0.0


@given(RATES, SHARE, SHARE)
@example([0.75], 0.0, 0.9999999999999999)
@example([0.3, 0.3, 0.1], 0.9999999, 0.99999999)
def test_correlated_errors_stay_between_the_bounds_and_grow(rates: list[float], one: float, two: float) -> None:
    low, high = product_bounds(rates)
    less, more = (common_factor(rates, each) for each in sorted((one, two)))
    assert low - 1e-9 <= less <= more + 1e-9 <= high + 2e-9


@pytest.mark.parametrize("correlation", [0.05, 0.3, 0.7, 0.95])
def test_common_factor_is_an_orthant_probability(correlation: float) -> None:
    """Tendencies to err with equal correlations: a multivariate normal distribution."""
    rates = [0.02, 0.1, 0.4]
    spread = np.full((3, 3), correlation) + (1 - correlation) * np.eye(3)
    wanted = multivariate_normal(cov=spread).cdf(norm.ppf(1 - np.array(rates)))
    assert common_factor(rates, correlation) == pytest.approx(wanted, abs=2e-4)  # the oracle is accurate to 1e-5


def test_common_factor_at_the_ends() -> None:
    rates = [0.0, 0.1, 0.3]
    assert common_factor(rates, 0.0) == pytest.approx(0.63)
    assert common_factor(rates, 1.0) == pytest.approx(0.7)
    assert common_factor(rates, 0.9999) == pytest.approx(0.7, abs=5e-3)
    assert common_factor([0.2, 1.0], 0.5) == 0.0


@pytest.mark.parametrize(("rate", "keys", "correlation"), [(0.1, 10, 0.1), (0.4, 3, 0.5), (0.02, 35, 0.02)])
def test_beta_binomial_is_a_mixture(rate: float, keys: int, correlation: float) -> None:
    step = correlation / (1 - correlation)
    assert beta_binomial(rate, keys, correlation) == pytest.approx(
        prod((1 - rate + j * step) / (1 + j * step) for j in range(keys)), rel=1e-12
    )
    a, b = rate / step, (1 - rate) / step  # every person has a rate of their own, beta distributed
    height = quad(lambda q: q ** (a - 1) * (1 - q) ** (b - 1), 0, 1)[0]
    mixture = quad(lambda q: (1 - q) ** keys * q ** (a - 1) * (1 - q) ** (b - 1), 0, 1)[0] / height
    assert beta_binomial(rate, keys, correlation) == pytest.approx(mixture, rel=1e-4)


def test_beta_binomial_at_the_ends() -> None:
    assert beta_binomial(0.1, 10, 0.0) == pytest.approx(all_compatible(0.1, 10), rel=1e-12)
    assert beta_binomial(0.1, 10, 1.0) == 0.9
    assert (beta_binomial(0.0, 5, 0.5), beta_binomial(1.0, 5, 0.5), beta_binomial(0.3, 0, 0.5)) == (1.0, 0.0, 1.0)


@settings(max_examples=10)
@given(st.lists(st.floats(0.05, 0.5), min_size=2, max_size=5), st.floats(0.05, 0.95))
def test_the_correlation_is_found_again(rates: list[float], correlation: float) -> None:
    assert implied_correlation(rates, common_factor(rates, correlation)) == pytest.approx(correlation, abs=1e-4)


def test_no_correlation_below_chance_and_all_of_it_at_the_bound() -> None:
    assert implied_correlation([0.1, 0.2], 0.5) == 0.0
    assert implied_correlation([0.1, 0.2], 0.8) == 1.0


@given(st.integers(1, 200), st.integers(1, 20), st.data())
def test_the_implied_rate_gives_the_identical_pairs(total: int, keys: int, data: st.DataObject) -> None:
    identical = data.draw(st.integers(0, total))
    assert all_compatible(implied_p(identical, total, keys), keys) == pytest.approx(identical / total, abs=1e-9)


@given(SHARE, SHARE)
def test_two_errors(a: float, b: float) -> None:
    assert combine(a, b) == pytest.approx(1 - (1 - a) * (1 - b), abs=1e-12)
    assert combine(a, b) == combine(b, a) >= max(a, b) - 1e-12
    assert alternative_rate(a, 1.0) == pytest.approx(a) and alternative_rate(a, b) >= a - 1e-12


@pytest.mark.parametrize("bad", [[-0.1, 0.5, 1.1], [float("nan"), 2.0]])
def test_rates_that_are_no_shares(bad: list[float]) -> None:
    with pytest.raises(ValueError, match=rf"2 of {len(bad)} rates .*; the number of keys is negative"):
        all_compatible(bad, -1)
    for function in (expected_deviations, deviations, product_bounds):
        with pytest.raises(ValueError, match="rates are not between 0 and 1"):
            function(bad)


def test_all_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="not between 0 and 1: a, b"):
        combine(-1, 2)
    with pytest.raises(ValueError, match="not between 0 and 1: a, m"):
        alternative_rate(2, -1)
    with pytest.raises(ValueError, match=r"too small: identical \(at least 0\), total \(at least 1\), keys"):
        implied_p(-1, 0, 0)
    with pytest.raises(ValueError, match="more identical pairs than pairs"):
        implied_p(5, 4, 3)
    with pytest.raises(ValueError, match="not between 0 and 1: rate, correlation"):
        beta_binomial(-1, 3, 2)
    with pytest.raises(ValueError, match="number of rates is not the number of keys"):
        all_compatible([0.1, 0.2], 3)
