"""Signs chosen for the means and standard deviations together."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from schleier.kernels.change import controlled

F = 0.11


def goal(numbers: np.ndarray, small: np.ndarray, signs: np.ndarray, alpha: float) -> float:
    """The objective, computed from the released numbers."""
    return controlled.objective(numbers, numbers * (1 + F * signs[:, None] + small), alpha)


def file(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    numbers = rng.lognormal(0, 1, (rows, columns))
    if columns > 1:
        numbers[rng.random((rows, columns)) < 0.1] = np.nan
    return numbers, 0.02 * rng.standard_normal((rows, columns))


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_best_balance_follows_the_whole_objective(columns: int, alpha: float) -> None:
    """More records than can be tried in all ways: balanced signs, and no exchange with a neighbour helps."""
    numbers, small = file(300, columns)
    signs = controlled.choose_signs(numbers, small, "a", 0, F, alpha, 1.0)
    assert abs(signs.sum()) <= 1
    order = controlled.descending(controlled.record_sizes(numbers))
    reached = goal(numbers, small, signs, alpha)
    for i, k in pairwise(order[:60]):
        other = signs.copy()
        other[i], other[k] = signs[k], signs[i]
        assert goal(numbers, small, other, alpha) >= reached * (1 - 1e-6) - 1e-12


def test_standard_deviations_can_be_all_that_matters() -> None:
    numbers, small = file(300, 1)
    for_means, for_spread = (
        goal(numbers, small, controlled.choose_signs(numbers, small, "a", 0, F, alpha, 1.0), 0.0)
        for alpha in (1.0, 0.0)
    )
    assert for_spread < 0.01 * for_means
