"""Distances of distributions: SciPy as oracle, weights, words, what pairs tell of each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from schleier.kernels.statistics.dependence import mutual_information
from schleier.kernels.statistics.similarity import hellinger, kolmogorov, total_variation, wasserstein
from schleier.utility.similarity import Similarity
from utility.tables import data, found, noisy, sample, three


def test_numbers_like_scipy() -> None:
    old = sample(gaps=False)
    new = noisy(old, strength=1.0)
    x, y, one = old["x"].to_numpy(), new["x"].to_numpy(), np.ones(len(old))
    assert kolmogorov(x, one, y, one) == pytest.approx(stats.ks_2samp(x, y).statistic)
    heavy = old["w"].to_numpy()
    distance = stats.wasserstein_distance(x, y, heavy, one)
    assert wasserstein(x, heavy, y, one) == pytest.approx(distance)
    finding = found(Similarity(columns=["x"]), data(old), data(new))
    assert finding.detail["columns"]["x"]["kolmogorov"] == three(stats.ks_2samp(x, y).statistic)
    assert finding.detail["columns"]["x"]["wasserstein"] == three(stats.wasserstein_distance(x, y) / x.std())


def test_words() -> None:
    a, b = np.array([1.0, 3.0]), np.array([2.0, 2.0])
    assert hellinger(a, b) == pytest.approx(np.sqrt(1 - np.sqrt(0.25 * 0.5) - np.sqrt(0.75 * 0.5)))
    assert total_variation(a, b) == 0.25
    old, new = data(g=["p", "q", "q", "q", None]), data(g=["p", "p", "q", "q", "q"])
    found_words = found(Similarity(), old, new).detail["columns"]["g"]
    assert found_words["total_variation"] == three(0.4 - 0.25)
    assert found(Similarity(), data(g=["p"]), data(g=["q"])).value == 1.0


def test_pairs_by_what_they_are() -> None:
    old = sample(gaps=False)
    old["h"] = np.where(old["x"] > 10, "hi", "lo")
    new = old.copy()
    new["h"] = new["h"].to_numpy()[::-1]
    detail = found(Similarity(columns=["x", "y", "g", "h"]), data(old), data(new)).detail
    assert {what: part["pairs"] for what, part in detail["dependence"].items()} == {
        "correlation": 1, "correlation_ratio": 4, "cramers_v": 1, "mutual_information": 1,
    }  # fmt: skip
    assert detail["dependence"]["correlation"]["largest"] == 0.0
    between = old.groupby("h")["x"].transform("mean").var(ddof=0) / old["x"].var(ddof=0)
    after = new.groupby("h")["x"].transform("mean").var(ddof=0) / new["x"].var(ddof=0)
    assert detail["dependence"]["correlation_ratio"]["largest"] >= three(np.sqrt(between) - np.sqrt(after))
    table = np.array([[5.0, 1.0], [2.0, 4.0]])
    shares = table / 12
    expected = (shares * np.log(shares / np.outer(shares.sum(1), shares.sum(0)))).sum()
    assert mutual_information(table) == pytest.approx(expected)


def test_columns_without_values() -> None:
    old, new = data(x=[1.0, 2.0], g=["a", "b"]), data(x=[1.0, 2.0], g=["a", "b"])
    gone = data(sample(2).assign(x=np.nan)[["x", "g"]])
    assert found(Similarity(), old, new).value == 0.0
    assert found(Similarity(columns=["x"]), old, gone).detail["not_comparable"] == ["x"]
