"""Rates that are log-normal: the likelihood against slow integrals, and one result wherever the search begins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln

from schleier.kernels.population.log_normal_rates import (
    FINE,
    LOOSE,
    USUAL,
    bend_at,
    best_fit,
    log_likelihood,
    merge_classes,
)
from schleier.kernels.population.log_normal_sums import peak_of, sum_likelihood

Floats = NDArray[np.float64]


def slow(level: float, sigma: float, size: int) -> float:
    """log P(size), by a fine sum over log rates."""
    x = np.linspace(min(level - 14 * sigma, -30.0), max(level + 14 * sigma, 12.0), 400_001)
    height = size * x - np.exp(np.minimum(x, 50)) - gammaln(size + 1) - ((x - level) / sigma) ** 2 / 2
    top = height.max()
    return float(top + np.log(np.exp(height - top).sum() * (x[1] - x[0]) / (sigma * math.sqrt(2 * math.pi))))


@pytest.mark.parametrize("sigma", [0.1, 0.6, 1.35])
def test_the_likelihood_is_the_integral(sigma: float) -> None:
    for level in (-6.0, -1.0, 3.0):
        some = math.log(-math.expm1(slow(level, sigma, 0)))
        for size in (1, 2, 7, 40, 300):
            p = np.array([level, 1.0, 0.5, math.log(sigma)])
            found = log_likelihood(p, np.array([[1.0, 0, 0]]), np.array([float(size)]), np.ones(1))[0]
            assert found == pytest.approx(slow(level, sigma, size) - some, rel=1e-6, abs=5e-6)


def test_slopes_are_those_of_the_likelihood() -> None:
    rng = np.random.default_rng(4)
    at = np.stack([np.ones(20), rng.normal(size=20), rng.normal(size=20)], axis=1)
    drawn, counts = rng.integers(1, 200, 20).astype(float), rng.integers(1, 9, 20).astype(float)
    for p in rng.normal(size=(5, 4)) / 2:
        slopes = log_likelihood(p, at, drawn, counts)[1]
        by_hand = [
            (log_likelihood(p + d, at, drawn, counts)[0] - log_likelihood(p - d, at, drawn, counts)[0]) / 2e-5
            for d in 1e-5 * np.eye(4)
        ]
        assert slopes == pytest.approx(by_hand, rel=1e-4, abs=1e-3)


def test_it_bends_as_its_slopes_turn() -> None:
    rng = np.random.default_rng(4)
    at = np.stack([np.ones(20), rng.normal(size=20), rng.normal(size=20)], axis=1)
    drawn, counts = rng.integers(1, 200, 20).astype(float), rng.integers(1, 9, 20).astype(float)
    for p in rng.normal(size=(5, 4)) / 2:
        bend = sum_likelihood(p[:3], math.exp(p[3]), at, drawn, counts, 1e-9)[5:].reshape(4, 4)
        by_hand = [
            (log_likelihood(p + d, at, drawn, counts)[1] - log_likelihood(p - d, at, drawn, counts)[1]) / 2e-5
            for d in 1e-5 * np.eye(4)
        ]
        assert bend == pytest.approx(np.array(by_hand), rel=1e-4, abs=1e-2) and (bend == bend.T).all()


@pytest.mark.parametrize("sigma", [0.3, 1.3])
def test_between_levels_it_is_nearly_the_same(sigma: float) -> None:
    """What is computed at some levels, with a polynomial between them, leads to the peak of what every level tells."""
    single, pairs, sizes = sample(11, sigma)
    best = best_fit(single, pairs, sizes, 0.0)[0]
    small = single + pairs < math.log(30)
    found = sum_likelihood(
        best[:3], math.exp(best[3]), *merge_classes(single[small], pairs[small], sizes[small], FINE), 1e-9
    )
    slopes, bend = (best - USUAL) / LOOSE**2 - found[1:5], np.diag(LOOSE**-2.0) - found[5:].reshape(4, 4)
    assert slopes @ np.linalg.solve(bend, slopes) < 0.02**2, "in standard errors"


def test_groups_are_counted_together() -> None:
    rng = np.random.default_rng(5)
    single, pairs, sizes = rng.normal(size=500), rng.normal(size=500), rng.integers(1, 4, 500)
    at, drawn, counts = merge_classes(single, pairs, sizes, 0.5)
    wanted: dict[tuple[float, float, int], int] = {}
    for one in zip(np.rint(single * 2) / 2, np.rint(pairs * 2) / 2, sizes, strict=True):
        wanted[one] = wanted.get(one, 0) + 1
    found = {(a, b, size): n for a, b, size, n in zip(at[:, 1], at[:, 2], drawn, counts, strict=True)}
    assert found == wanted and (at[:, 0] == 1).all()
    again = merge_classes(at[:, 1], at[:, 2], drawn.astype(np.int64), 0.5, counts)
    for before, after in zip((at, drawn, counts), again, strict=True):
        assert (before == after).all()


def test_the_peak_is_a_peak() -> None:
    for sigma in (0.05, 1.0, 4.0):
        level, drawn = (grid.ravel() for grid in np.meshgrid(np.linspace(-12, 4, 9), [1.0, 3, 50, 5_000]))
        at = np.array([peak_of(*one) for one in zip(level, np.full(len(level), sigma), drawn, strict=True)])
        rest, bend = drawn - np.exp(at) - (at - level) / sigma**2, np.exp(at) + sigma**-2
        assert np.abs(rest / np.sqrt(bend)).max() < 0.1, "in widths of the peak, which is near enough"


def sample(seed: int, sigma: float = 0.8) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Classes of a known population, large ones among them."""
    rng = np.random.default_rng(seed)
    single, pairs = rng.normal(0.5, 2.0, 6_000), rng.normal(0, 0.5, 6_000)
    rate = np.exp(-0.4 + 0.9 * single + 0.7 * pairs + sigma * rng.normal(size=6_000))
    sizes = rng.poisson(rate)
    return single[sizes > 0], pairs[sizes > 0], sizes[sizes > 0].astype(np.int64)


def test_the_parameters_are_found() -> None:
    single, pairs, sizes = sample(6)
    best, density = best_fit(single, pairs, sizes, 0.0)
    bend = bend_at(density, best)
    errors = np.sqrt(np.diag(np.linalg.inv(bend)))
    wanted = np.array([-0.4, 0.9, 0.7, math.log(0.8)])
    assert (errors < 0.1).all() and (np.abs(best - wanted) < 4 * errors + 0.01).all()


@pytest.mark.parametrize("seed", [7, 8])
def test_one_result_wherever_the_search_begins(seed: int) -> None:
    """Large sizes, far above what is expected: on fixed rates the density had bumps that stopped a search."""
    single, pairs, sizes = sample(seed, sigma=1.3)
    assert sizes.max() > 150
    best = best_fit(single, pairs, sizes, 0.0)[0]
    small = single + pairs < math.log(30)
    groups = merge_classes(single[small], pairs[small], sizes[small], FINE)

    def density(p: Floats) -> tuple[float, Floats]:
        high, slopes = log_likelihood(p, *groups)
        far = (p - USUAL) / LOOSE
        return float(far @ far / 2 - high), far / LOOSE - slopes

    for start in (USUAL, USUAL + 0.8 * LOOSE, USUAL - 0.8 * LOOSE):
        other = minimize(density, start, jac=True, method="BFGS", options={"gtol": 1e-3}).x
        assert best == pytest.approx(other, abs=2e-3)


def test_a_single_class_and_classes_that_are_all_large() -> None:
    best, _ = best_fit(np.zeros(1), np.zeros(1), np.ones(1, dtype=np.int64), 0.0)
    assert np.isfinite(best).all()
    best, _ = best_fit(np.full(3, 9.0), np.zeros(3), np.array([8_000, 9_000, 7_000]), 0.0)
    assert np.isfinite(best).all()


def test_millions_of_classes_that_are_all_alone() -> None:
    """Rates of some 1e-5 each: what is neglected in one class must not add up to a bump, nor the peak be missed."""
    single = np.repeat(np.linspace(-2.0, 2.0, 17), 2)
    sizes = np.tile([1, 2], 17)
    rate = np.exp(-10.3 + 0.94 * single)
    counts = np.where(sizes == 1, 300_000.0, np.maximum(300_000 * rate / 2, 1.0))
    at = np.stack([np.ones(34), single, np.zeros(34)], axis=1)
    p, step = np.array([-10.3, 0.94, 0.5, -0.6]), 1e-5
    for place in range(4):
        d = step * np.eye(4)[place]
        ends = [log_likelihood(p + sign * d, at, sizes.astype(float), counts)[0] for sign in (1, -1)]
        slope = log_likelihood(p, at, sizes.astype(float), counts)[1][place]
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope, abs=0.1)


def test_a_large_class_of_blanked_keys_does_not_lead_astray() -> None:
    """All who were blanked are one class that should not exist by its values: the line search runs far out for it."""
    rng = np.random.Generator(np.random.Philox(key=3))
    single = np.append(rng.normal(0.0, 1.0, 400), -59.0)
    sizes = np.append(5 + rng.poisson(np.exp(1 + single[:-1])), 1001)
    best, density = best_fit(single, np.zeros(401), sizes, 1.0)
    assert np.isfinite(best).all() and np.isfinite(bend_at(density, best)).all()
