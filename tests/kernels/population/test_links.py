"""Right links told from the values of the keys, against slow integrals and populations that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import poisson

from schleier.kernels.population import links as population_links
from schleier.kernels.population.individual_risk import class_risk
from schleier.kernels.population.links import SMALL, links, log_sum_error
from schleier.kernels.population.log_normal_rates import bend_at
from schleier.kernels.population.margins import Fitted, chances


def fitted(levels: NDArray[np.float64], sigma: float) -> Fitted:
    return Fitted(np.zeros(len(levels)), (0.0, 1.0, 0.5, sigma), levels)


def slow(level: float, sigma: float, size: int, fraction: float) -> tuple[float, float]:
    """E[1/F | f] and Var[1/F | f], summed over rates and over the number of persons who were not drawn."""
    place = np.linspace(math.log(size) - 14, math.log(size) + 4, 1500)
    height = size * place - np.exp(place) - ((place - level) / sigma) ** 2 / 2
    weight = np.exp(height - height.max())
    weight /= weight.sum()
    kept = weight > 1e-12
    mean = square = 0.0
    for mass, rate in zip(weight[kept], np.exp(place[kept]) * (1 - fraction) / fraction, strict=True):
        unseen = np.arange(max(int(rate - 12 * math.sqrt(rate)) - 12, 0), int(rate + 12 * math.sqrt(rate)) + 30)
        chance = mass * poisson.pmf(unseen, rate)
        mean += float(chance @ (1.0 / (size + unseen)))
        square += float(chance @ (1.0 / (size + unseen) ** 2))
    return mean, square - mean**2


@pytest.mark.parametrize(("sigma", "size"), [(0.1, 1), (0.7, 1), (0.7, 4), (2.0, 1), (2.0, 30), (0.3, 12)])
def test_links_are_those_of_poisson_numbers(sigma: float, size: int) -> None:
    """Every class with its own fraction."""
    levels, fractions = np.array([-3.0, -0.5, 1.5]), np.array([0.3, 0.02, 0.1])
    found = links(fitted(levels, sigma), np.full(3, size), fractions)
    wanted = [slow(x, sigma, size, part) for x, part in zip(levels, fractions, strict=True)]
    assert found.risks == pytest.approx([mean for mean, _ in wanted], rel=1e-4)
    assert found.variances == pytest.approx([variance for _, variance in wanted], rel=2e-3)


def test_tables_give_what_each_class_gives() -> None:
    """Many classes are read off a table by level and fraction: the same numbers as one by one."""
    rng = np.random.default_rng(1)
    levels, sizes = rng.normal(0, 2, 60_000), rng.choice([1, 2, 9], 60_000, p=[0.6, 0.3, 0.1])
    fractions = np.minimum(np.exp(rng.normal(-3, 1, 60_000)), 1.0)
    together = links(fitted(levels, 0.6), sizes, fractions)
    some = rng.choice(60_000, 300)
    apart = links(fitted(levels[some], 0.6), sizes[some], fractions[some])
    assert together.risks[some] == pytest.approx(apart.risks, rel=2e-3)
    assert together.variances[some] == pytest.approx(apart.variances, rel=0.03, abs=1e-12)
    even = links(fitted(levels, 0.6), sizes, 0.05)
    assert even.risks == pytest.approx(links(fitted(levels, 0.6), sizes, np.full(60_000, 0.05)).risks, rel=1e-9)


def test_large_classes_tell_their_own_size() -> None:
    sizes, parts = np.array([SMALL, SMALL + 1, 5000]), np.array([0.1, 0.1, 0.01])
    flat = links(fitted(np.log(sizes), 5.0), sizes, parts)  # nothing is known beforehand
    wanted = class_risk("negative_binomial", sizes, sizes / parts)
    assert flat.risks[1:] == pytest.approx(wanted[1:], rel=1e-12)
    assert flat.risks[0] == pytest.approx(wanted[0], rel=0.02), "there is no jump"


def test_who_is_in_the_file_for_sure() -> None:
    sizes = np.array([1, 3, 100])
    found = links(fitted(np.zeros(3), 1.0), sizes, np.array([1.0, 1.0, 1.0]))
    assert found.risks.tolist() == (1 / sizes).tolist() and not found.variances.any()
    nearly = links(fitted(np.zeros(3), 1.0), sizes, 0.99)
    assert nearly.risks == pytest.approx(1 / sizes, rel=0.02) and (nearly.risks < 1 / sizes).all()


def test_smaller_fractions_lower_the_risk() -> None:
    levels = np.linspace(-4, 2, 50)
    by_part = np.stack([links(fitted(levels, 0.8), np.ones(50, int), part).risks for part in (0.002, 0.05, 0.3, 0.9)])
    assert (np.diff(by_part, axis=0) > 0).all() and (np.diff(by_part, axis=1) < 0).all()


def test_the_error_is_that_of_the_parameters() -> None:
    """By the inverse of the curvature and slopes of the sum, class by class."""
    codes, sizes = np.unique(np.random.default_rng(3).integers(0, 7, (400, 3)), axis=0, return_counts=True)
    found = chances(codes.astype(np.int32), sizes, 0.1)
    peak = found.peak
    assert peak is not None and sorted(peak.looked.tolist()) == list(range(len(sizes)))

    def log_total(p: NDArray[np.float64]) -> float:
        levels, total = peak.design @ p[:3], 0.0
        for place, level in zip(peak.looked, levels, strict=True):
            own = np.array([sizes[place]])
            total += float(own[0] * links(fitted(np.array([level]), math.exp(p[3])), own, 0.1).risks[0])
        return math.log(total)

    step = 1e-4 * np.eye(4)
    slopes = np.array([(log_total(peak.best + d) - log_total(peak.best - d)) / 2e-4 for d in step])
    wanted = math.sqrt(slopes @ np.linalg.inv(bend_at(peak.density, peak.best)) @ slopes)
    assert log_sum_error(found, sizes, 0.1) == pytest.approx(wanted, rel=0.05)
    assert log_sum_error(fitted(found.levels, 1.0), sizes, 0.1) == 0


def test_some_classes_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, sizes = np.unique(np.random.default_rng(3).integers(0, 12, (3000, 3)), axis=0, return_counts=True)
    whole = chances(codes.astype(np.int32), sizes, 0.1)
    monkeypatch.setattr("schleier.kernels.population.margins.LOOKED_AT", 100)
    part = chances(codes.astype(np.int32), sizes, 0.1)
    assert part.peak is not None and len(part.peak.looked) < 450
    assert part.peak.stand_for.sum() == pytest.approx(len(sizes), rel=0.02)
    assert log_sum_error(part, sizes, 0.1) == pytest.approx(log_sum_error(whole, sizes, 0.1), rel=0.3)


def test_weights_that_differ_by_values() -> None:
    """Half of the population is drawn ten times as often: with its own fraction every class gets its own risk."""
    rng = np.random.default_rng(7)
    first = rng.choice(30, 60_000, p=(w := 1 / np.arange(1, 31)) / w.sum())
    rows = np.stack([first, rng.integers(0, 20, 60_000), rng.choice(40, 60_000)], axis=1)
    part = np.where(first % 2, 0.02, 0.2)
    cells, index, persons = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    sizes = np.bincount(index.ravel()[rng.random(60_000) < part], minlength=len(persons))
    own, seldom = sizes > 0, cells[:, 0] % 2 == 1
    fractions = np.where(seldom, 0.02, 0.2)[own]
    found = chances(cells[own].astype(np.int32), sizes[own], float(sizes.sum() / 60_000))
    risks = links(found, sizes[own], fractions).risks
    for group in (seldom[own], ~seldom[own]):
        truth = (sizes[own] / persons[own])[group].sum()
        assert (risks * sizes[own])[group].sum() == pytest.approx(truth, rel=0.1)
    alike = links(found, sizes[own], float(sizes.sum() / 60_000)).risks
    assert (alike * sizes[own])[seldom[own]].sum() > 1.5 * (sizes[own] / persons[own])[seldom[own]].sum()


def test_a_table_has_no_more_lines_than_it_may() -> None:
    wide = population_links._lines(np.array([-1000.0, 1000.0]))
    assert len(wide) == population_links.MOST
    assert population_links._lines(np.array([2.0, 2.0])).tolist() == [2.0]
