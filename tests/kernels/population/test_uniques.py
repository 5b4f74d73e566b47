"""Estimates of population uniques, compared with populations whose uniques are known."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import hypergeom

from schleier.kernels.population.uniques import (
    Model,
    estimate,
    estimates,
    frequencies,
    pitman,
    slide_negative_binomial,
    zayatz,
)

SAMPLES = 25
"""Samples of a population; what is compared is their mean, with three times its standard error."""


def poisson_gamma_population(rng: np.random.Generator) -> NDArray[np.int64]:
    """F-05 of the specification: 50,000 cells, rates gamma distributed, 20,000 persons expected."""
    return rng.poisson(20_000 * rng.gamma(0.1, 2e-4, 50_000))


def slid_population(rng: np.random.Generator) -> NDArray[np.int64]:
    return 1 + rng.negative_binomial(0.5, 0.05, 8_000)


def pitman_population(rng: np.random.Generator, theta: float = 300, alpha: float = 0.4) -> NDArray[np.int64]:
    """The Chinese restaurant: who comes sits down at a new table, or at one in proportion to those there."""
    tables = np.zeros(20_000, dtype=np.int64)
    owner = np.zeros(20_000, dtype=np.int64)
    used = 0
    draws = rng.random((20_000, 2))
    for n in range(20_000):
        if draws[n, 0] * (theta + n) < theta + alpha * used:
            owner[n] = used
            used += 1
        else:  # table i with probability (size - alpha) / (n - alpha used): a seat, rejected now and then
            while True:
                pick = owner[int(rng.random() * n)]
                if rng.random() >= alpha / tables[pick]:
                    break
            owner[n] = pick
        tables[owner[n]] += 1
    return tables[:used]


def skewed_population(rng: np.random.Generator) -> NDArray[np.int64]:
    """Very uneven classes, as real keys make them: no model is right."""
    shares = np.exp(rng.normal(0, 2.5, 20_000))
    return rng.multinomial(60_000, shares / shares.sum())


def truth(population: NDArray[np.int64]) -> float:
    return float((population == 1).sum() / population.sum())


def shares(
    population: NDArray[np.int64], fraction: float, model: Model, rng: np.random.Generator
) -> NDArray[np.float64]:
    samples = [frequencies(rng.binomial(population, fraction)) for _ in range(SAMPLES)]
    return np.array([estimate(*sample, fraction, model).share for sample in samples])


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.3])
@pytest.mark.parametrize(
    ("model", "draw"),
    [("poisson_gamma", poisson_gamma_population), ("pitman", pitman_population)],
)
def test_a_model_finds_the_uniques_of_its_own_population(model: Model, draw: object, fraction: float) -> None:
    rng = np.random.default_rng(5)
    population = draw(rng)  # type: ignore[operator]
    found = shares(population, fraction, model, rng)
    # The expected share of the model is estimated; that of one population varies like a binomial number.
    expected, persons = truth(population), population.sum()
    own = math.sqrt(expected * (1 - expected) / persons) + 0.03 * expected
    assert abs(found.mean() - expected) < 3 * (found.std() / math.sqrt(SAMPLES) + own)


@pytest.mark.parametrize("fraction", [0.3, 0.6])
def test_the_slid_model_finds_its_own_for_large_fractions(fraction: float) -> None:
    rng = np.random.default_rng(6)
    population = slid_population(rng)
    found = shares(population, fraction, "slide_negative_binomial", rng)
    assert found.mean() == pytest.approx(truth(population), rel=0.1)


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.3])
def test_the_rule_errs_on_the_safe_side_by_at_most_threefold(fraction: float) -> None:
    rng = np.random.default_rng(7)
    population = skewed_population(rng)
    found = shares(population, fraction, "dankar", rng)
    assert truth(population) * 0.95 < found.mean() < truth(population) * 3
    low = shares(population, fraction, "poisson_gamma", rng).mean()
    assert low < truth(population), "the simple model says too little here, as the page warns"


def slow_zayatz(sizes: list[int], counts: list[int], population: int) -> float:
    n = sum(s * c for s, c in zip(sizes, counts, strict=True))
    chance = {s: hypergeom(population, s, n).pmf(1) for s in sizes}
    both = counts[0] * chance[1] / sum(c * chance[s] for s, c in zip(sizes, counts, strict=True))
    return counts[0] * both / (n / population) / population


def test_zayatz_is_its_formula() -> None:
    sizes, counts = [1, 2, 3, 8], [30, 10, 5, 2]
    fast = zayatz(np.array(sizes, float), np.array([counts], float), 81 / 810)
    assert fast[0] == pytest.approx(slow_zayatz(sizes, counts, 810), rel=1e-9)


def log_likelihood(sizes: NDArray[np.float64], counts: NDArray[np.float64], theta: float, alpha: float) -> float:
    n, u = int((sizes * counts).sum()), int(counts.sum())
    result = sum(math.log(theta + i * alpha) for i in range(1, u)) - sum(math.log(theta + i) for i in range(1, n))
    for size, count in zip(sizes, counts, strict=True):
        result += count * sum(math.log(i - alpha) for i in range(1, int(size)))
    return result


def test_pitman_is_the_largest_likelihood() -> None:
    """A grid of the likelihood as it is written down, around what is found by the estimate of the share."""
    sizes, counts = np.array([1.0, 2, 3, 5, 20]), np.array([40.0, 12, 6, 4, 2])
    population = (sizes * counts).sum() / 0.1
    best = max(
        (log_likelihood(sizes, counts, theta, alpha), theta, alpha)
        for theta in np.linspace(5, 60, 111)
        for alpha in np.linspace(0.05, 0.8, 76)
    )
    _, theta, alpha = best
    share = math.exp(
        gammaln(theta + alpha + population - 1)
        - gammaln(theta + alpha)
        + gammaln(theta + 1)
        - gammaln(theta + population)
    )
    assert pitman(sizes, counts[None], 0.1)[0] == pytest.approx(share, rel=0.03)


def test_the_slid_model_meets_its_equations() -> None:
    """From p and r to the sample and back."""
    f, r, p, classes = 0.4, 0.8, 0.2, 1e6
    thin = p / (p + (1 - p) * f)
    x = np.arange(0, 400)
    negative = np.exp(gammaln(x + r) - gammaln(r) - gammaln(x + 1) + r * math.log(thin) + x * math.log1p(-thin))
    sample = (1 - f) * negative + f * np.append(0, negative[:-1])
    sizes, counts = x[1:].astype(float), classes * sample[1:]
    wanted = p**r * classes / ((sizes * counts).sum() / f)
    assert slide_negative_binomial(sizes, counts[None], f)[0] == pytest.approx(wanted, rel=0.05)


@pytest.mark.parametrize("model", ["dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma"])
def test_the_larger_the_sample_the_more_of_it_is_known(model: Model) -> None:
    sizes, counts = np.array([1.0, 2, 3, 4, 9]), np.array([400.0, 120, 60, 40, 20])
    assert estimate(sizes, counts, 1.0, model).share == pytest.approx(400 / (sizes * counts).sum())
    found = [
        estimate(sizes, counts, f, model).share for f in ([0.02, 0.05, 0.1] if model == "dankar" else [0.3, 0.6, 0.9])
    ]
    assert all(low < high for low, high in pairwise(found))
    assert all(0 < share < 1 for share in found)


@pytest.mark.parametrize("model", ["pitman", "slide_negative_binomial"])
def test_without_pairs_there_is_no_estimate(model: Model) -> None:
    found = estimate(np.array([1.0]), np.array([50.0]), 0.05, model)
    assert not found.success and math.isnan(found.share)


@pytest.mark.parametrize("fraction", [0.05, 0.5])
def test_the_rule_falls_back_to_what_says_more(fraction: float) -> None:
    found = estimate(np.array([1.0]), np.array([50.0]), fraction)
    assert (found.model, found.success) == ("zayatz", True)
    assert found.share == pytest.approx(1) and found.share <= 1


def test_the_rule_takes_the_smaller_one_for_large_fractions() -> None:
    sizes, rng = np.array([1.0, 2, 3, 4, 9]), np.random.default_rng(3)
    used = set()
    for _ in range(20):
        counts = rng.integers(1, 60, 5).astype(float)
        found = estimate(sizes, counts, 0.3)
        each = {name: estimate(sizes, counts, 0.3, name) for name in ("zayatz", "slide_negative_binomial")}
        used.add(found.model)
        assert found == each[found.model]
        assert found.share == min(one.share for one in each.values() if one.success)
    assert used == {"zayatz", "slide_negative_binomial"}


def test_nobody_alone_and_nobody_at_all() -> None:
    found = estimate(np.array([2.0, 3.0]), np.array([6.0, 6.0]), 0.1)
    assert (found.share, found.success, found.model) == (0.0, True, "counted")
    assert estimate(np.array([]), np.array([]), 0.1).share == 0


def test_several_models_at_once_say_what_each_says() -> None:
    sizes, counts = np.array([1.0, 2, 3]), np.array([30.0, 10, 5])
    models: tuple[Model, ...] = ("dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma")
    for fraction in (0.05, 0.3):
        together = estimates(sizes, counts, fraction, models)
        assert together == {model: estimate(sizes, counts, fraction, model) for model in models}
