"""Cuts of an order: optimal against every cut there is, safe intervals against the attack."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.grouping.group_values import along, means, medians, modes, nearby, squared_error
from schleier.kernels.grouping.sorted_groups import cut, fixed, optimal, order_of, ratio, safe

values = st.lists(st.one_of(st.integers(-4, 4).map(float), st.floats(-1e3, 1e3)), min_size=3, max_size=14)


def every_cut(count: int, k: int) -> Any:
    """All ways to cut ``count`` records into groups of k and more."""
    for pieces in range(1, count // k + 1):
        for ends in itertools.combinations(range(k, count - k + 1), pieces - 1):
            at = [0, *ends, count]
            if all(b - a >= k for a, b in itertools.pairwise(at)):
                yield np.repeat(np.arange(pieces), np.diff(at))


@given(given_=values, k=st.integers(2, 4))
def test_optimal_is_the_least_of_all_cuts(given_: list[float], k: int) -> None:
    x = np.array(given_)
    if len(x) < k:
        return
    groups = optimal(x, k)
    assert np.bincount(groups).min() >= k
    ordered = np.sort(x)[:, None]
    least = min(squared_error(ordered, found) for found in every_cut(len(x), k))
    assert squared_error(x[:, None], groups) == pytest.approx(least, rel=1e-9, abs=1e-9)


def test_costs_do_not_cancel_far_from_zero() -> None:
    """Values of 1e9 that differ by little: global sums of squares would lose all digits."""
    small = np.array([0.0, 1, 2, 10, 11, 12, 13, 50, 51, 52, 90]) / 64
    assert optimal(small + 1e9, 3).tolist() == optimal(small, 3).tolist()
    assert cut((small + 1e9)[:, None], 3)[1][-1] == pytest.approx(1149.75 / 4096, rel=1e-9)


@given(given_=st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, 5.0]), max_size=60))
def test_order_is_stable(given_: list[float]) -> None:
    x = np.array(given_)
    assert order_of(x).tolist() == np.argsort(x, kind="stable").tolist()


def intervals(x: Any, groups: Any) -> Any:
    """What an attacker knows of each group (6.3): the share of the upper end that is left open."""
    sizes = np.bincount(groups)
    m = np.bincount(groups, weights=x) / sizes
    widths = []
    for i in range(len(m)):
        up, low = np.inf, 0.0
        if i > 0:
            up, low = m[i - 1], max(low, sizes[i] * m[i] - (sizes[i] - 1) * m[i - 1])
        if i + 1 < len(m):
            up, low = min(up, sizes[i] * m[i] - (sizes[i] - 1) * m[i + 1]), max(low, m[i + 1])
        if np.isfinite(up):
            widths.append((up - low) / up)
    return np.array(widths)


@given(seed=st.integers(0, 200), share=st.sampled_from([0.05, 0.1, 0.3]), k=st.integers(3, 5))
def test_strict_intervals_are_wide_enough(seed: int, share: float, k: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.uniform(90, 200, 200) if seed % 2 else np.exp(rng.normal(size=60))
    groups = safe(x, k, ratio(share, k, published=False))
    assert np.bincount(groups).min() >= k
    assert intervals(x, groups).min(initial=1) >= share - 1e-12


def test_fixed_leaves_the_rest_to_the_smallest() -> None:
    assert fixed(np.array([1.0, 2, 3, 4, 5, 6, 7, 8]), 3).tolist() == [1, 1, 1, 1, 1, 0, 0, 0]
    assert fixed(np.array([1.0, 1, 1, 1]), 2).tolist() == [0, 0, 1, 1]
    assert fixed(np.array([3.0, 1]), 3).tolist() == [0, 0]


@given(
    x=st.lists(st.sampled_from([0.0, 1.0, 2.0, 7.5]), min_size=1, max_size=30),
    seed=st.integers(0, 50),
)
def test_shared_values(x: list[float], seed: int) -> None:
    v = np.array(x)
    groups = np.unique(np.random.default_rng(seed).integers(0, 4, len(v)), return_inverse=True)[1].astype(np.int64)
    for group in range(groups.max() + 1):
        mine = v[groups == group]
        assert means(v, groups)[groups == group] == pytest.approx(mine.mean())
        assert set(medians(v, groups)[groups == group].tolist()) == {float(np.median(mine))}
        found, counts = np.unique(mine, return_counts=True)
        assert set(modes(v, groups)[groups == group].tolist()) == {float(found[np.argmax(counts)])}


@given(seed=st.integers(0, 100))
def test_groups_get_enough_owners(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 2))
    owners = rng.integers(0, 8, 60)
    before = fixed(x[:, 0], 3)
    for after in (along(before, owners, 3), nearby(x, before, owners, 3)):
        assert min(len(set(owners[after == g].tolist())) for g in range(after.max() + 1)) >= 3
        assert all(len(set(after[before == g].tolist())) == 1 for g in range(20))  # groups are joined, never split
    good = np.arange(60)
    assert nearby(x, before, good, 3).tolist() == before.tolist() == along(before, good, 3).tolist()
