"""Poisson numbers with inverse Gaussian means, against integrals over the means."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import invgauss, poisson

from schleier.kernels.population.individual_risk import class_risk as by_name
from schleier.kernels.population.individual_risk import given_rate
from schleier.kernels.population.poisson_inverse_gaussian import (
    WALKED,
    Fit,
    _likelihood,
    class_risk,
    fit,
    inverse_moments,
    sum_error,
    unique_chance,
)

CASES = [(0.5, 3.0), (2.0, 40.0), (30.0, 5.0), (0.05, 200.0)]


def integrated(function: Callable[[np.ndarray], np.ndarray], mean: float, spread: float) -> float:
    """The mean of a function of an inverse Gaussian number with this mean and variance mean times spread."""
    logs = np.linspace(np.log(1e-9), np.log(1e6), 20_001)  # a smooth function that vanishes at both ends
    x, shape = np.exp(logs), mean**2 / spread
    return float((function(x) * invgauss(mean / shape, scale=shape).pdf(x) * x).sum() * (logs[1] - logs[0]))


def of(mean: float, spread: float) -> Fit:
    return Fit(mean, spread, 0.0, False, np.zeros((2, 2)))


@pytest.mark.parametrize(("mean", "spread"), CASES)
def test_risk_is_the_mean_over_all_population_means(mean: float, spread: float) -> None:
    """By Bayes: cells with mean x have f records with chance Poisson(c x), and Poisson((1 - c) x) persons more."""
    for fraction in (0.02, 0.6):
        found = of(mean * fraction, spread * fraction)
        for f in (1, 2, 6):

            def seen(x: np.ndarray, f: int = f, fraction: float = fraction) -> np.ndarray:
                return np.asarray(poisson.pmf(f, fraction * x))

            def right(x: np.ndarray, f: int = f, fraction: float = fraction) -> np.ndarray:
                return seen(x, f, fraction) * given_rate(np.full(len(x), f), (1 - fraction) * x)

            expected = integrated(right, mean, spread) / integrated(seen, mean, spread)
            assert float(class_risk(found, np.array([f]), fraction)[0]) == pytest.approx(expected, rel=1e-9)


def test_variance_of_a_drawn_population() -> None:
    rng, fraction, mean, spread = np.random.default_rng(3), 0.2, 4.0, 10.0
    population = rng.poisson(rng.wald(mean, mean**2 / spread, 400_000))
    drawn = rng.binomial(population, fraction)
    for f in (1, 2, 5):
        shares = 1 / population[drawn == f]
        _, found = inverse_moments(of(mean * fraction, spread * fraction), np.array([f]), fraction)
        bent = ((shares - shares.mean()) ** 2).std() / np.sqrt(len(shares))
        assert abs(float(found[0]) - shares.var()) < 4 * bent


def test_population_uniques() -> None:
    mean, spread, fraction = 2.0, 40.0, 0.1
    both = integrated(lambda x: fraction * x * np.exp(-x), mean, spread)
    once = integrated(lambda x: fraction * x * np.exp(-fraction * x), mean, spread)
    assert unique_chance(of(mean * fraction, spread * fraction), fraction) == pytest.approx(both / once, rel=1e-9)


def test_likelihood_is_that_of_the_integrals() -> None:
    mean, spread, counts = 0.8, 4.0, np.array([50.0, 20.0, 10.0, 0.0, 3.0])
    chances = [integrated(lambda x, k=k: poisson.pmf(k, x), mean, spread) for k in range(6)]
    logs = float((counts * np.log(chances[1:])).sum())
    assert _likelihood(mean, spread, counts, False) == pytest.approx(logs - 83 * np.log(1 - chances[0]), rel=1e-8)
    assert _likelihood(mean, spread, counts, True) == pytest.approx(logs - 83 * np.log(sum(chances[1:])), rel=1e-8)


def test_finds_the_parameters_and_the_risk_of_a_drawn_population() -> None:
    rng, fraction, cells = np.random.default_rng(11), 0.1, 150_000
    mean, spread = 3.0, 20.0
    population = rng.poisson(rng.wald(mean, mean**2 / spread, cells))
    drawn = rng.binomial(population, fraction)
    f, people = drawn[drawn > 0], population[drawn > 0]
    found = fit(f)
    deviations = np.sqrt(np.diag(found.covariance))
    assert abs(np.log(found.mean / (mean * fraction))) < 4 * deviations[0]
    assert abs(np.log(found.spread / (spread * fraction))) < 4 * deviations[1]
    total, truth = float((f * class_risk(found, f, fraction)).sum()), float((f / people).sum())
    spare = np.sqrt((f / people * (1 - f / people)).sum())  # what chance leaves, generously
    assert abs(total - truth) < 4 * (sum_error(found, f, fraction) + spare)
    assert sum_error(found, f, fraction) < 0.05 * total
    assert not found.edge
    assert by_name("poisson_inverse_gaussian", f, f / fraction) == pytest.approx(class_risk(found, f, fraction))


def test_large_classes_join_the_others_without_a_step() -> None:
    found = of(0.4, 60.0)
    sizes = np.array([WALKED - 1, WALKED, WALKED + 1, WALKED + 2])
    relative = sizes * class_risk(found, sizes, 0.05)
    assert np.abs(np.diff(relative)).max() < 3e-6 * relative[0]
    variances = sizes.astype(float) ** 3 * inverse_moments(found, sizes, 0.05)[1]
    assert np.abs(np.diff(variances)).max() < 5e-3 * variances[0]


def test_large_classes_are_fitted_without_them() -> None:
    small = np.repeat([1, 2, 3, 4, 5, 8], [400, 150, 70, 40, 30, 10])
    one, other = fit(np.append(small, 5_000)), fit(np.append(small, 900_000))
    assert (one.mean, one.spread) == (other.mean, other.spread)


def test_nothing_can_be_told_when_all_are_alone_or_there_is_nobody() -> None:
    lonely = fit(np.ones(50, dtype=np.int64))
    assert lonely.edge
    assert float(class_risk(lonely, np.array([1]), 0.01)[0]) > 0.99  # the strict reading: alone in the population too
    assert fit(np.array([5_000])).edge


def test_everybody_was_drawn() -> None:
    assert class_risk(of(1.0, 1.0), np.array([1, 4]), 1.0).tolist() == [1.0, 0.25]
