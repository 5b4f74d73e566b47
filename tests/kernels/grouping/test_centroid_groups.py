"""The fast groupings against slow ones: the same groups, whatever is equally far."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.slow_microaggregation import Slow
from schleier.kernels.grouping import leaves
from schleier.kernels.grouping.best_groups import improved, improved_groups, path
from schleier.kernels.grouping.centroid_groups import centroid, max_distance, mdav
from schleier.kernels.grouping.group_values import squared_error, standardised
from schleier.kernels.grouping.halving import pieces
from schleier.kernels.grouping.mixed_groups import group_mixed
from schleier.kernels.grouping.variable_groups import extended, ward

WAYS = {"mdav": mdav, "centroid": centroid, "max_distance": max_distance}


def table(seed: int, count: int, columns: int, kind: str) -> Any:
    rng = np.random.default_rng(seed)
    if kind == "ties":
        return rng.integers(0, 3, size=(count, columns)).astype(float)
    if kind == "doubled":
        return np.repeat(rng.normal(size=((count + 1) // 2, columns)), 2, axis=0)[:count]
    if kind == "skewed":
        return np.exp(3 * rng.normal(size=(count, columns)))
    return rng.normal(size=(count, columns))


@given(
    kind=st.sampled_from(["ties", "doubled", "skewed", "normal"]),
    way=st.sampled_from(sorted(WAYS)),
    seed=st.integers(0, 99),
    count=st.integers(3, 40),
    columns=st.integers(1, 4),
    k=st.integers(2, 5),
)
def test_groups_are_those_of_the_slow_way(kind: str, way: str, seed: int, count: int, columns: int, k: int) -> None:
    x = table(seed, count, columns, kind)
    assert WAYS[way](x, k).tolist() == Slow(x, k, way).run()


@pytest.mark.parametrize("kind", ["ties", "doubled", "skewed", "normal"])
@pytest.mark.parametrize("way", ["mdav", "centroid"])
def test_groups_of_many_leaves(kind: str, way: str) -> None:
    """More records than a leaf holds, so that boxes, limits and rebuilding matter."""
    x = standardised(table(1, 420, 3, kind))
    assert WAYS[way](x, 3).tolist() == Slow(x, 3, way).run()


@pytest.mark.parametrize("kind", ["ties", "doubled", "skewed"])
def test_nearest_and_farthest_are_exact(kind: str) -> None:
    """Against all distances in double precision, while records go; offsets that single precision cannot hold too."""
    x = table(3, 900, 3, kind) + 1e6
    found = leaves.build(x, np.arange(len(x)))
    rng, left = np.random.default_rng(5), set(range(len(x)))
    distances, rows = np.empty(4), np.empty(4, np.int64)
    for row in rng.permutation(len(x))[:200].tolist():
        leaves.take(found, row)
        left.discard(row)
        slow = sorted((leaves.squared_distance(x[i], x[row]), i) for i in left)
        assert leaves.nearest_records(found, x[row], 4, distances, rows) == 4
        assert list(zip(distances.tolist(), rows.tolist(), strict=True)) == slow[:4]
        best_row, distance = leaves.far(found, x[row])
        assert (-distance, best_row) == min((-d, i) for d, i in slow)


@pytest.mark.parametrize("kind", ["ties", "doubled", "skewed", "normal"])
@pytest.mark.parametrize("k", [3, 5])
def test_best_is_never_worse_than_mdav(kind: str, k: int) -> None:
    for seed in range(4):
        x = standardised(table(seed, 150 + seed, 3, kind))
        groups = improved_groups(x, k)
        assert np.bincount(groups).min() >= k
        assert squared_error(x, groups) <= squared_error(x, mdav(x, k))
    if kind == "normal":
        assert squared_error(x, groups) < 0.97 * squared_error(x, mdav(x, k))


def test_exchange_ends_where_none_helps() -> None:
    """No move and no exchange of single records between neighbours lowers the error any more (all pairs tried)."""
    x = table(2, 24, 2, "normal")
    groups = improved(x, mdav(x, 3), 3)
    least = squared_error(x, groups)
    for a in range(24):
        for b in range(a):
            if groups[a] != groups[b]:
                other = groups.copy()
                other[a], other[b] = groups[b], groups[a]
                assert squared_error(x, other) >= least - 1e-9


def test_path_keeps_groups_together() -> None:
    x = table(4, 200, 3, "normal")
    groups = mdav(x, 3)
    along = groups[path(x, groups)]
    assert int((along[1:] != along[:-1]).sum()) == groups.max()


@pytest.mark.parametrize("kind", ["ties", "doubled", "normal"])
def test_groups_of_varying_size(kind: str) -> None:
    x = table(6, 100, 2, kind)
    for groups in (extended(x, 3, 0.2), extended(x, 3, 1.1), ward(x, 3)):
        sizes = np.bincount(groups)
        assert sizes.min() >= 3 and sizes.max() <= 5
        assert len(groups) == 100


def test_clusters_are_found_where_there_are_some() -> None:
    """Five and four records close together: fixed groups of three would cross them."""
    x = np.array([[0.0], [1], [2], [3], [4], [100], [101], [102], [103]])
    for groups in (extended(x, 3, 1.1), ward(x, 3)):
        assert len(set(groups[:5].tolist())) == 1 and len(set(groups[5:].tolist())) == 1
        assert groups[0] != groups[5]
    assert len(set(mdav(x, 3).tolist())) == 3


def test_ward_joins_what_costs_least() -> None:
    """Every join of the slow way: all pairs of which one is small, the cheapest first."""
    x = table(8, 30, 2, "normal")
    k = 3
    held = [[i] for i in range(30)]
    while any(len(group) < k for group in held):

        def cost(a: list[int], b: list[int]) -> float:
            gap = x[a].mean(axis=0) - x[b].mean(axis=0)
            return len(a) * len(b) / (len(a) + len(b)) * float(gap @ gap)

        pairs = [
            (cost(a, b), i, j) for i, a in enumerate(held) for j, b in enumerate(held[:i]) if min(len(a), len(b)) < k
        ]
        _, i, j = min(pairs)
        held[j] = held[j] + held[i]
        del held[i]
    large = [sorted(group) for group in held if len(group) < 2 * k]
    groups = ward(x, k)
    found = [np.flatnonzero(groups == g).tolist() for g in range(groups.max() + 1)]
    assert large and all(group in found for group in large)


def test_mixed_compares_categories() -> None:
    codes = np.array([[0], [1], [2]] * 4)
    apart = np.array([[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0.0]])
    groups = group_mixed(np.zeros((12, 0)), codes, [apart], 4)
    assert all(len(set(groups[codes[:, 0] == code].tolist())) == 1 for code in range(3))
    x = np.arange(12.0)[:, None]
    assert group_mixed(x, np.zeros((12, 0), np.int64), [], 3).tolist() == Slow(x, 3, "mdav").run()


def test_pieces_hold_everybody_once() -> None:
    for kind in ("ties", "normal"):
        x = table(9, 1000, 3, kind)
        parts = pieces(x, 100)
        assert sorted(np.concatenate(parts).tolist()) == list(range(1000))
        assert all(100 <= len(part) < 200 for part in parts)
