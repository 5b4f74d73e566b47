"""The chance to pick the right person, against sums over every size the population class may have."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nbinom, poisson

from schleier.kernels.population.individual_risk import (
    LARGE,
    class_risk,
    given_rate,
    slope,
    squared_given_rate,
    unique_chance,
    variance,
)

CHANCES = (0.001, 0.01, 0.1, 0.3, 0.49, 0.5, 0.51, 0.7, 0.9, 0.99, 0.9999)


def one(model: str, size: int, persons: float) -> float:
    return float(class_risk(model, np.array([size]), np.array([persons]))[0])  # type: ignore[arg-type]


def summed(size: int, p: float) -> float:
    """E[1/F] term by term: F - f failures before the f-th success."""
    last = int(nbinom.isf(1e-15, size, p)) + 10
    failures = np.arange(last + 1)
    return float((nbinom.pmf(failures, size, p) / (size + failures)).sum())


@pytest.mark.parametrize("p", CHANCES)
def test_negative_binomial_is_the_sum_over_all_population_sizes(p: float) -> None:
    for size in range(1, 51):
        assert one("negative_binomial", size, size / p) == pytest.approx(summed(size, p), rel=1e-8)


@pytest.mark.parametrize("p", ["0.000001", "0.001", "0.3", "0.5", "0.7", "0.999999", "0.999999999999"])
def test_negative_binomial_keeps_its_digits(p: str) -> None:
    """The recursion from the integral, with a thousand digits: rounding plays no role there."""
    with localcontext() as context:
        context.prec = 1000
        chance = Decimal(p)
        z = (1 - chance) / chance
        value = (1 + z).ln() / z
        for size in range(1, 61):
            persons = float(size / chance)
            assert one("negative_binomial", size, persons) == pytest.approx(float(value), rel=1e-13)
            value = (1 / Decimal(size) - value) / z


def test_formulas_of_one_and_two_records() -> None:
    """Benedetti and Franconi (1998) as Franconi and Polettini (2004) print them."""
    for p in CHANCES[:-1]:
        q = 1 - p
        assert one("negative_binomial", 1, 1 / p) == pytest.approx(p / q * math.log(1 / p), rel=1e-12)
        two = p / q - p * p / q**2 * math.log(1 / p)
        assert one("negative_binomial", 2, 2 / p) == pytest.approx(two, rel=1e-10)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 50, 300, LARGE - 1, LARGE, 7000])
def test_poisson_is_the_sum_over_all_population_sizes(size: int) -> None:
    for unseen in (1e-9, 0.01, 0.5, 1.0, 3.0, size - 0.5, size, size + 2.0, 4.0 * size, 2500.0):
        numbers = np.arange(int(unseen + 40 * math.sqrt(unseen) + 60))
        expected = float((poisson.pmf(numbers, unseen) / (size + numbers)).sum())
        assert one("poisson", size, size + unseen) == pytest.approx(expected, rel=1e-9)
        assert float(given_rate(np.array([size]), np.array([unseen]))[0]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("size", [1, 2, 7, 30, 300, LARGE, 7000])
def test_squares_are_the_sum_over_all_population_sizes(size: int) -> None:
    """As exact as their variance needs, which is a small part of them."""
    assert squared_given_rate(np.array([size]), np.array([0.0])).tolist() == [size**-2]
    for unseen in (1e-9, 0.01, 0.5, 3.0, 40.0, 199.0, 201.0, 2500.0):
        numbers = np.arange(int(unseen + 40 * math.sqrt(unseen) + 60))
        chances = poisson.pmf(numbers, unseen)
        exact = float((chances / (size + numbers) ** 2).sum())
        spread = exact - float((chances / (size + numbers)).sum()) ** 2
        found = float(squared_given_rate(np.array([size]), np.array([unseen]))[0])
        assert found == pytest.approx(exact, abs=1e-3 * abs(spread) + 1e-10 * exact)


def test_poisson_knows_small_numbers() -> None:
    assert given_rate(np.array([1, 4]), np.array([0.0, 0.0])).tolist() == [1.0, 0.25]
    assert float(given_rate(np.array([1]), np.array([1.0]))[0]) == pytest.approx(1 - math.exp(-1), rel=1e-14)


def test_fewer_persons_than_records_count_as_just_as_many() -> None:
    for model in ("negative_binomial", "poisson"):
        assert one(model, 4, 2.5) == one(model, 4, 4.0) == 0.25


def test_unique_in_the_population() -> None:
    """P(F = 1 | f = 1): no failure before the first success; no person unseen."""
    assert unique_chance("negative_binomial", np.array([1.0, 8.0, 0.5])).tolist() == [1.0, 0.125, 1.0]
    assert unique_chance("poisson", np.array([1.0, 3.0])).tolist() == pytest.approx([1.0, math.exp(-2)])


sizes = st.one_of(st.integers(1, 60), st.integers(1, 100_000))
factors = st.floats(1, 1e7)


@given(st.sampled_from(["negative_binomial", "poisson"]), sizes, factors, st.floats(1.0, 10.0))
def test_more_persons_less_risk(model: str, size: int, factor: float, more: float) -> None:
    here, there = one(model, size, size * factor), one(model, size, size * factor * more)
    assert there <= here * (1 + 1e-12)
    assert 1 / (size * factor) * (1 - 1e-12) <= here <= 1 / size * (1 + 1e-12)  # Jensen; and F is at least f


@given(st.sampled_from(["negative_binomial", "poisson"]), sizes, factors)
def test_more_records_less_risk(model: str, size: int, factor: float) -> None:
    """For the same persons, and for the same sampling fraction."""
    persons = (size + 1) * factor
    assert one(model, size + 1, persons) <= one(model, size, persons) * (1 + 1e-11)
    assert one(model, size + 1, persons) <= one(model, size, size * factor) * (1 + 1e-11)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 20, 40])
def test_variance(size: int) -> None:
    for p in (0.001, 0.05, 0.5, 0.64, 0.68, 0.95):
        failures = np.arange(int(nbinom.isf(1e-15, size, p)) + 10)
        chances, inverse = nbinom.pmf(failures, size, p), 1 / (size + failures)
        exact = float((chances * inverse**2).sum() - (chances * inverse).sum() ** 2)
        found = float(variance("negative_binomial", np.array([size]), np.array([size / p]))[0])
        assert found == pytest.approx(exact, rel=0.1 if size > 20 else 1e-5)
        unseen = (1 - p) / p * size
        numbers = np.arange(int(unseen + 40 * math.sqrt(unseen) + 60))
        chances, inverse = poisson.pmf(numbers, unseen), 1 / (size + numbers)
        exact = float((chances * inverse**2).sum() - (chances * inverse).sum() ** 2)
        found = float(variance("poisson", np.array([size]), np.array([size + unseen]))[0])
        # An upper limit: off by at most the mean of 1/F² divided by f, and by that of about 1/F³.
        spare = min(float((chances * inverse**2).sum()) / size, 2 * float((chances * inverse**3).sum()) + (size == 1))
        assert exact - 1e-12 <= found <= exact + spare
    assert variance("negative_binomial", np.array([1, 4]), np.array([1.0, 3.0])).tolist() == [0.0, 0.0]


def test_slope() -> None:
    """Of ln(F) / (F - 1), the risk of a single record."""
    expected = (1 / 50 * 49 - math.log(50)) / 49**2
    found = slope("negative_binomial", np.array([1]), np.array([50.0]))
    assert float(found[0]) == pytest.approx(expected, rel=1e-6)


def test_a_model_of_the_cross_table_needs_it() -> None:
    with pytest.raises(ValueError, match="more than class sizes"):
        class_risk("log_linear", np.array([1]), np.array([10.0]))
