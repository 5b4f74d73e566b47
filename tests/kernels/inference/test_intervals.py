"""Bounds from the means of sorted groups: always true, and as the slow way says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.inference.intervals import intervals, member_bounds, relative_widths

columns = st.lists(st.integers(0, 60).map(float), min_size=1, max_size=30)


def grouped(x: np.ndarray, k: int) -> np.ndarray:
    """Means of k neighbours, the last group with the remainder."""
    starts = list(range(0, len(x) - k + 1, k)) or [0]
    return np.concatenate([np.full(e - s, x[s:e].mean()) for s, e in zip(starts, [*starts[1:], len(x)], strict=True)])


@given(columns, st.integers(1, 6), st.booleans())
def test_every_value_is_inside(values: list[float], k: int, known: bool) -> None:
    x = np.sort(np.array(values))[::-1]
    lower, upper = intervals(grouped(x, k), 0.0 if known else -np.inf)
    assert (lower <= x + 1e-9).all() and (x <= upper + 1e-9).all()


@given(columns, st.integers(1, 6))
def test_equals_the_slow_way(values: list[float], k: int) -> None:
    """Appendix B of the specification, without the bound that non-negative values give to the last group."""
    released = grouped(np.sort(np.array(values))[::-1], k)
    means = sorted(set(released.tolist()), reverse=True)
    sizes = [int((released == mean).sum()) for mean in means]
    lower, upper = member_bounds(np.array(means), np.array(sizes))
    for i, (mean, size) in enumerate(zip(means, sizes, strict=True)):
        up, low = math.inf, -math.inf
        if i:
            up, low = means[i - 1], size * mean - (size - 1) * means[i - 1]
        if i + 1 < len(means):
            low, up = max(low, means[i + 1]), min(up, size * mean - (size - 1) * means[i + 1])
        if size == 1:
            up = low = mean
        assert (lower[i], upper[i]) == pytest.approx((low, up))


def test_closed_form_for_groups_of_three() -> None:
    a, b = 7.0, 2.0
    lower, upper = member_bounds(np.array([100 + a, 100, 100 - b]), np.array([3, 3, 3]))
    assert upper[1] - lower[1] == pytest.approx(min(a, 2 * b) + min(b, 2 * a))


def test_gaps_and_open_ends() -> None:
    lower, upper = intervals(np.array([5.0, np.nan, 5.0]))
    assert np.isnan(lower[1]) and lower[0] == -math.inf and upper[0] == math.inf
    assert relative_widths(lower, upper)[0] == math.inf and np.isnan(relative_widths(lower, upper)[1])
    lower, upper = intervals(np.array([5.0, np.nan, 5.0]), 0.0)
    assert (lower[0], upper[0]) == (0.0, 10.0)
    assert intervals(np.zeros(0))[0].tolist() == []
    assert relative_widths(np.array([0.0, -10.0]), np.array([0.0, -9.0])).tolist() == [0.0, 0.1]
