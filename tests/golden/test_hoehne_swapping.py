"""Vectors of the specification for PRAM and swapping (after Höhne 2010, 2.2.4 and 2.2.5)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from schleier.kernels.change.exchange import (
    exchange_ranks,
    reach,
    swap_effect,
    swapped_by,
    window_for_change,
    window_for_correlation,
)
from schleier.kernels.change.transitions import (
    direct,
    invariant,
    origin_chances,
    original_frequencies,
    stochastic,
    two_stage,
)

COUNTS = np.array([50.0, 30, 20])
FIRST = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.25, 0.25, 0.5]])


def test_invariant_pram() -> None:
    """D-T1: h=(0.5,0.3,0.2), α=0.2 → P, hP=h, and its inverse."""
    matrix = invariant(COUNTS, 0.2)
    assert matrix == pytest.approx(np.array([[0.90, 0.06, 0.04], [0.10, 0.86, 0.04], [0.10, 0.06, 0.84]]), abs=1e-15)
    assert COUNTS @ matrix == pytest.approx(COUNTS, abs=1e-12)
    inverse = np.array([[1.125, -0.075, -0.05], [-0.125, 1.175, -0.05], [-0.125, -0.075, 1.2]])
    assert np.linalg.inv(matrix) == pytest.approx(inverse, abs=1e-12)


def test_direct_pram() -> None:
    """D-T2: T=(50,30,20), α=0.5 → [[0.8,0.1,0.1],[1/6,2/3,1/6],[0.25,0.25,0.5]], T·P=T."""
    matrix = direct(COUNTS, 0.5)
    assert matrix == pytest.approx(np.array([[0.8, 0.1, 0.1], [1 / 6, 2 / 3, 1 / 6], [0.25, 0.25, 0.5]]), abs=1e-15)
    assert COUNTS @ matrix == pytest.approx(COUNTS, abs=1e-12)


def test_two_stage_pram() -> None:
    """D-T3: TP=(51,31,18), P^←, R=PP^←, TR=T; with the printed denominator rows do not add up (ERR-4)."""
    moved = COUNTS @ FIRST
    assert moved == pytest.approx(np.array([51, 31, 18]), abs=1e-12)
    way_back = [[0.784314, 0.117647, 0.098039], [0.161290, 0.677419, 0.161290], [0.277778, 0.166667, 0.555556]]
    assert origin_chances(FIRST, COUNTS) == pytest.approx(np.array(way_back), abs=5e-7)
    both = [[0.671358, 0.178526, 0.150116], [0.297544, 0.514390, 0.188067], [0.375290, 0.282100, 0.342610]]
    assert two_stage(FIRST, COUNTS) == pytest.approx(np.array(both), abs=5e-7)
    assert COUNTS @ two_stage(FIRST, COUNTS) == pytest.approx(COUNTS, abs=1e-12)
    assert stochastic(two_stage(FIRST, COUNTS))
    printed = (FIRST * COUNTS[:, None]).T / (FIRST @ COUNTS)[:, None]
    assert printed.sum(axis=1) == pytest.approx([1.1333, 0.9394, 0.6], abs=5e-5)


def test_estimate_after_pram() -> None:
    """D-T3, correction: T_a=(46,31,23) → (40.625,26.875,32.5)."""
    assert original_frequencies(FIRST, np.array([46.0, 31, 23])) == pytest.approx(
        np.array([40.625, 26.875, 32.5]), abs=1e-9
    )


def test_windows_of_the_cost_structure_survey() -> None:
    """S-T5 (L890-L894), n=16824: 10 % → K_0=3.286, P=0.545, 92 records; 1 % → 1.039, 0.172, 29."""
    n, span, ratio = 16824, 82.06, 12.0  # range in sd, sd in means
    for target, change, window, records in ((0.9, 3.2863, 0.54498, 91.7), (0.99, 1.0392, 0.17234, 29.0)):
        found = window_for_correlation(target, 1.0, span)
        assert found == pytest.approx(window, abs=5e-6)
        assert found * n / 100 == pytest.approx(records, abs=0.05)
        assert math.sqrt(0.75 * (1 - target)) * ratio == pytest.approx(change, abs=5e-5)
        # the other formula of Moore (L877, ERR-9) leads to the same window
        assert window_for_change(math.sqrt(0.75 * (1 - target)) * ratio, 1 / ratio, span) == pytest.approx(found)


@pytest.mark.parametrize(("target", "kept"), [(0.9, 0.938), (0.7, 0.828)])
def test_less_is_changed_than_the_formula_of_moore_promises(target: float, kept: float) -> None:
    """L865 on evenly spread values: E d² = w²/3 within the window, so at least (1 - (1 - R_0) / 3)² is kept.

    Partners that are taken already, and the end of the file, bring it to 0.94 for R_0 = 0.9.
    """
    x = np.linspace(0, 1, 20_000)
    found = swap_effect(x, window_for_correlation(target, float(x.std()), 1.0), np.random.default_rng(3))[0]
    assert found == pytest.approx(kept, abs=0.004)  # between 20 keys it differs by 0.001
    assert (1 - (1 - target) / 3) ** 2 < found


def test_rank_swapping() -> None:
    """D-T5: P(a)=40 %, offsets 3,1,2,1,1 → pairs (1,4),(2,3),(5,7),(6,8),(9,10) of ranks."""
    values = np.array([10.0, 50, 20, 40, 30, 60, 80, 70, 100, 90])
    far = reach(40, len(values))
    assert far == 3
    draws = np.zeros(10)
    for rank, offset in ((1, 3), (2, 1), (5, 2), (6, 1), (9, 1)):
        span = min(10, rank + far) - rank
        draws[rank - 1] = (offset - 0.5) / span
    place, alone = swapped_by(values, far, lambda _: draws)
    assert values[place].tolist() == [20, 30, 10, 60, 50, 40, 90, 100, 70, 80]
    assert alone == 0


def test_carlson_salabasis() -> None:
    """D-T6: x=[5,1,9,7,3,8], halves {1,3,5},{2,4,6} → [7,3,8,5,1,9]."""
    values = np.array([5.0, 1, 9, 7, 3, 8])
    assert values[exchange_ranks(values, np.array([0, 2, 4]), np.array([1, 3, 5]))].tolist() == [7, 3, 8, 5, 1, 9]
