"""The model that looks at the values of the keys, against slow arithmetic and populations that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad

from schleier.kernels.population.links import links
from schleier.kernels.population.margins import Fitted, chances, unique_chances

Table = tuple[NDArray[np.int32], NDArray[np.int64]]


def classes(rows: NDArray[np.int64]) -> Table:
    codes, sizes = np.unique(rows, axis=0, return_counts=True)
    return codes.astype(np.int32), sizes


def integral(level: float, sigma: float, power: int, times: float) -> float:
    """E[rate^power exp(-times rate)] of a log-normal rate."""

    def height(z: float) -> float:
        rate = math.exp(level + sigma * z)
        return rate**power * math.exp(-times * rate - z * z / 2) / math.sqrt(2 * math.pi)

    return float(quad(height, -9, 9, limit=400, epsabs=1e-14)[0])


@pytest.mark.parametrize("sigma", [0.1, 0.8, 2.0])
@pytest.mark.parametrize("fraction", [0.01, 0.3])
def test_chances_are_those_of_poisson_numbers(sigma: float, fraction: float) -> None:
    """P(F = 1 | f = 1) and E[1/F | f] by numerical integration over the rate."""
    levels, sizes = np.array([-3.0, -1.0, 0.5]), np.array([1, 1, 1])
    fitted = Fitted(np.zeros(3), (0.0, 1.0, 0.5, sigma), levels)
    wanted = [integral(x, sigma, 1, 1 / fraction) / integral(x, sigma, 1, 1) for x in levels]
    assert unique_chances(fitted, sizes, fraction) == pytest.approx(wanted, rel=2e-3, abs=1e-9)
    for size in (1, 3):
        # 1/F = integral of u^(F-1): E[u^X] of a Poisson number is exp(-mean (1 - u))
        rest = (1 - fraction) / fraction
        points, weights = np.polynomial.legendre.leggauss(60)
        slow = [
            sum(
                w / 2 * u ** (size - 1) * integral(x, sigma, size, 1 + rest * (1 - u))
                for u, w in zip((points + 1) / 2, weights, strict=True)
            )
            / integral(x, sigma, size, 1)
            for x in levels[:2]
        ]
        assert links(fitted, np.full(3, size), fraction).risks[:2] == pytest.approx(slow, rel=5e-3)


def population(rng: np.random.Generator) -> NDArray[np.int64]:
    """30,000 persons with three keys, two of which hang together."""
    first = rng.choice(30, 30_000, p=(w := 1 / np.arange(1, 31)) / w.sum())
    second = (first // 3 + rng.geometric(0.4, 30_000)) % 25
    return np.stack([first, second, rng.choice(60, 30_000, p=(v := 1 / np.arange(2, 62)) / v.sum())], axis=1)


@pytest.mark.parametrize("fraction", [0.02, 0.2])
def test_it_finds_uniques_and_right_links(fraction: float) -> None:
    """Mean over samples within three standard errors, and 10 % for what no model knows."""
    rng = np.random.default_rng(5)
    _, index, persons = np.unique(population(rng), axis=0, return_inverse=True, return_counts=True)
    codes = np.unique(population(np.random.default_rng(5)), axis=0).astype(np.int32)
    ratios = []
    for _ in range(4):
        sizes = np.bincount(index.ravel()[rng.random(30_000) < fraction], minlength=len(persons))
        found = sizes > 0
        fitted = chances(codes[found], sizes[found], fraction)
        risk = links(fitted, sizes[found], fraction).risks
        truth = (persons[found] == 1).sum(), (sizes[found] / persons[found]).sum()
        ratios.append((fitted.chances.sum() / truth[0], (risk * sizes[found]).sum() / truth[1]))
    mean, error = np.mean(ratios, axis=0), np.std(ratios, axis=0) / math.sqrt(4)
    assert (np.abs(mean - 1) < 3 * error + 0.1).all(), mean


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((1, 2), dtype=np.int64),
        np.zeros((5, 2), dtype=np.int64),
        np.arange(40)[:, None],
        np.stack([np.arange(40), np.arange(40)], axis=1),
        np.repeat(np.arange(4), 3)[:, None] - 1,
        np.random.default_rng(1).integers(-1, 2, (60, 3)),
    ],
)
def test_odd_tables(rows: NDArray[np.int64]) -> None:
    codes, sizes = classes(rows)
    found = chances(codes, sizes, 0.1)
    assert np.isfinite(found.chances).all()
    assert ((found.chances >= 0) & (found.chances <= 1)).all() and not found.chances[sizes > 1].any()
    risk = links(found, sizes, 0.1).risks
    assert ((risk > 0) & (risk <= 1 / sizes + 1e-12)).all()


def test_larger_fractions_make_uniques_surer() -> None:
    codes, sizes = classes(np.random.default_rng(2).integers(0, 9, (300, 3)))
    found = [chances(codes, sizes, fraction).chances.sum() for fraction in (0.01, 0.1, 0.5, 0.9999)]
    assert found == sorted(found) and found[-1] == pytest.approx((sizes == 1).sum(), rel=0.01)


def test_the_order_of_keys_hardly_matters() -> None:
    codes, sizes = classes(np.random.default_rng(6).integers(0, 9, (400, 3)))
    one, other = chances(codes, sizes, 0.05), chances(codes[:, ::-1], sizes, 0.05)
    assert other.chances.sum() == pytest.approx(one.chances.sum(), rel=0.01)
