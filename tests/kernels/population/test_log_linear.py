"""Log-linear models against Newton's method on a design matrix, and their estimated error against the truth."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest

from schleier.kernels.population.individual_risk import given_rate
from schleier.kernels.population.log_linear import _errors, fit_model, shape

SIZE = (3, 2, 4)
CELLS = np.array(list(product(*map(range, SIZE))), dtype=np.int32)


def newton(counts: np.ndarray, pairs: list[tuple[int, int]]) -> np.ndarray:
    """Maximum likelihood of a Poisson regression on indicators of values and pairs of values."""
    columns = [np.ones(len(CELLS))]
    for axes in [(0,), (1,), (2,), *pairs]:
        for values in product(*(range(1, SIZE[axis]) for axis in axes)):
            columns.append((CELLS[:, list(axes)] == values).all(axis=1).astype(float))
    design = np.stack(columns, axis=1)
    effects = np.linalg.lstsq(design, np.log(counts + 0.5), rcond=None)[0]
    for _ in range(50):
        mu = np.exp(design @ effects)
        effects += np.linalg.solve(design.T @ (design * mu[:, None]), design.T @ (counts - mu))
    return np.exp(design @ effects)


@pytest.mark.parametrize("interactions", ["none", "pairs"])
def test_fits_the_table_of_highest_likelihood(interactions: str) -> None:
    counts = np.random.default_rng(2).poisson(6.0, len(CELLS)) + 1
    pairs = list(combinations(range(3), 2)) if interactions == "pairs" else []
    found = fit_model(CELLS, counts, 0.25, interactions)  # type: ignore[arg-type]
    assert found.pairs == tuple(pairs)
    assert found.rates == pytest.approx(newton(counts, pairs) / 0.25, rel=1e-4)


def test_empty_cells_belong_to_the_table() -> None:
    """Classes are the occupied cells; the rest of the expected table lies in the others."""
    codes = np.array([[0, 0], [1, 1]], dtype=np.int32)
    found = fit_model(codes, np.array([3, 1]), 0.5, "none")
    assert found.rates.tolist() == pytest.approx([2 * 9 / 4, 2 * 1 / 4])


def test_missing_keys_are_values() -> None:
    codes = np.array([[-1, 0], [-1, 1], [4, 0]], dtype=np.int32)
    assert shape(codes) == (2, 2)
    assert fit_model(codes, np.array([2, 1, 1]), 1.0, "none").rates.sum() == pytest.approx(4 - 0.25)


def test_estimated_error_is_its_formula() -> None:
    """Derivatives by differences instead of closed forms."""
    fraction, counts, table = 0.2, np.array([0.0, 1.0, 3.0, 1.0, 0.0]), np.array([0.01, 0.4, 2.0, 1.5, 0.0])

    def unique(rate: float) -> float:
        return math.exp(-(1 - fraction) * rate)

    def link(rate: float) -> float:
        x = (1 - fraction) * rate
        return -math.expm1(-x) / x

    found = _errors(counts, table, fraction)
    for j, chance in enumerate((unique, link)):
        error = variance = 0.0
        for f, mu in zip(counts[:4], table[:4], strict=True):
            rate, step = mu / fraction, 1e-4 * mu / fraction
            first = (chance(rate + step) - chance(rate - step)) / (2 * step)
            second = (chance(rate + step) + chance(rate - step) - 2 * chance(rate)) / step**2
            once = mu * math.exp(-mu)
            error += once * (first * (mu - f) / fraction + second * ((f - mu) ** 2 - f) / (2 * fraction**2))
            variance += once**2 * (first**2 * mu / fraction**2 + second**2 * 2 * mu**2 / (4 * fraction**4))
        assert found[j] == pytest.approx(error, rel=1e-3)
        assert found[j + 2] == pytest.approx(variance, rel=1e-3)


def test_error_has_its_mean_and_variance_when_the_model_is_right() -> None:
    rng, fraction = np.random.default_rng(5), 0.1
    table = rng.lognormal(-1.0, 1.0, 400)
    drawn = np.array([_errors(rng.poisson(table).astype(float), table, fraction) for _ in range(1500)])
    for j in range(2):
        deviation = math.sqrt(drawn[0, j + 2])
        assert abs(drawn[:, j].mean()) < 4 * deviation / math.sqrt(1500)
        # The standard error of a standard deviation is 2 % for normal sums, more for skewed ones like these.
        assert drawn[:, j].std() == pytest.approx(deviation, rel=0.1)


def world(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Persons of a population with five keys, of which the first two depend on each other."""
    rng = np.random.default_rng(seed)
    people = 60_000
    first = rng.choice(12, people, p=rng.dirichlet(np.ones(12)))
    second = (first + rng.choice(6, people, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05])) % 12
    others = [rng.choice(n, people, p=rng.dirichlet(np.ones(n))) for n in (5, 4, 6)]
    return np.stack([first, second, *others], axis=1).astype(np.int32), rng.random(people) < 0.05


def test_search_finds_the_keys_that_depend_on_each_other() -> None:
    people, drawn = world(1)
    cells, place = np.unique(people, axis=0, return_inverse=True)
    population = np.bincount(place.reshape(-1))
    sizes = np.bincount(place.reshape(-1)[drawn], minlength=len(cells))
    seen = sizes > 0
    codes, sizes, population = cells[seen], sizes[seen], population[seen]
    unique = sizes == 1
    truth = float((1 / population[unique]).sum())

    def links(interactions: str) -> tuple[float, float, tuple[tuple[int, int], ...]]:
        found = fit_model(codes, sizes, float(drawn.mean()), interactions)  # type: ignore[arg-type]
        rates = (1 - drawn.mean()) * found.rates[unique]
        return float(given_rate(sizes[unique], rates).sum()), found.score, found.pairs

    (none, far, _), (best, near, pairs) = links("none"), links("search")
    assert (0, 1) in pairs
    assert far > 5 and abs(near) < 1.96
    deviation = math.sqrt((1 / population[unique] * (1 - 1 / population[unique])).sum())
    assert abs(best - truth) < 4 * deviation < abs(none - truth)


def test_refuses_a_table_that_is_too_large() -> None:
    codes = np.arange(400, dtype=np.int32)[:, None] * np.ones((1, 3), dtype=np.int32)
    with pytest.raises(ValueError, match="too many cells"):
        fit_model(codes, np.ones(400, dtype=np.int64), 0.1)
