"""Latin hypercubes: even draws, rank correlations, and what is not promised."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, spearmanr

from methods.swapping import data, released
from schleier.kernels.change.simulation import iman_conover, quantiles, rank_correlation, refined, stratified
from schleier.methods.latin_hypercube import LatinHypercube

N = 2000


def people() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    base = rng.standard_normal((N, 3)) @ np.linalg.cholesky([[1, 0.8, -0.5], [0.8, 1, -0.2], [-0.5, -0.2, 1]]).T
    return {
        "income": np.exp(7 + base[:, 0]),
        "rent": np.exp(6 + 0.5 * base[:, 1]),
        "age": (50 + 12 * base[:, 2]).astype(int),
    }


def test_distributions_and_rank_correlations_come_out() -> None:
    before = people()
    after = released(LatinHypercube(columns=["income", "rent", "age"]), data(before))
    for name in before:
        old, new = before[name], np.array(after[name])
        assert new.mean() == pytest.approx(old.mean(), rel=0.02)
        assert np.quantile(new, [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(old, [0.1, 0.5, 0.9]), rel=0.02)
    for a, b in (("income", "rent"), ("income", "age"), ("rent", "age")):
        assert spearmanr(after[a], after[b])[0] == pytest.approx(spearmanr(before[a], before[b])[0], abs=0.01)
    assert set(after["age"]) <= set(before["age"].tolist())  # whole numbers are drawn as they were


@given(st.integers(1, 60), st.integers(0, 9))
def test_one_draw_from_every_part(size: int, seed: int) -> None:
    draws = stratified(size, np.random.default_rng(seed))
    assert np.floor(draws * size).tolist() == list(range(size))


@given(st.integers(0, 30))
def test_refining_brings_correlations_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 3))
    target = rank_correlation(values)
    ranks = iman_conover(target, 60, rng)
    assert all(sorted(column) == list(range(60)) for column in ranks.T)
    better = refined(ranks, target, rng)
    assert all(sorted(column) == list(range(60)) for column in better.T)
    error = [((rank_correlation(r.astype(float)) - target) ** 2).sum() for r in (ranks, better)]
    assert error[1] <= error[0] + 1e-12
    assert error[1] < 0.002


def test_quantiles_with_steps_are_values() -> None:
    held = np.array([1.0, 1, 5])
    assert quantiles(held, np.array([0.1, 0.5, 0.9]), True).tolist() == [1.0, 1.0, 5.0]


def test_constant_and_collinear_columns() -> None:
    x = np.arange(50.0)
    after = released(LatinHypercube(columns=["x", "y", "one"]), data({"x": x, "y": 2 * x, "one": np.ones(50)}))
    assert set(after["one"]) == {1.0}
    assert spearmanr(after["x"], after["y"])[0] > 0.95


def test_gaps_and_zeros_keep_their_share() -> None:
    rng = np.random.default_rng(9)
    x = [None if i % 10 == 0 else 0.0 if i % 3 == 0 else float(v) for i, v in enumerate(rng.lognormal(0, 1, 1000))]
    after = released(LatinHypercube(columns=["x"]), data({"x": x}))["x"]
    assert sum(v is None for v in after) == 100
    zeros, held = (sum(v == 0 for v in column) for column in (x, after))
    assert held == pytest.approx(zeros, abs=3 * math.sqrt(zeros * 0.1))


def test_any_size() -> None:
    after = released(LatinHypercube(columns=["income"], size=5000), data(people()))
    assert list(after) == ["income"] and len(after["income"]) == 5000
    assert kstest(after["income"], people()["income"]).statistic < 0.02


def test_without_refining_it_is_less_exact() -> None:
    before = people()
    plain = released(LatinHypercube(columns=["income", "rent"], refine=False), data(before))
    assert spearmanr(plain["income"], plain["rent"])[0] == pytest.approx(
        spearmanr(before["income"], before["rent"])[0], abs=0.06
    )
