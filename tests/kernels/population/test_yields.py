"""What an attack yields: everything wrong is said at once. The published numbers are in tests/golden/test_costs.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.population.composition import trials_needed
from schleier.kernels.population.yields import advantage, expected_overlap, persons_needed


@given(st.integers(1, 50), st.integers(1, 1000), st.integers(1, 1000))
def test_an_experiment_is_a_chance(wanted: int, correct: int, more: int) -> None:
    tried = correct + more
    assert persons_needed(wanted, 1.0, correct / tried) == pytest.approx(trials_needed(wanted, tried, correct).tries)


def test_chances_are_chances() -> None:
    with pytest.raises(ValueError, match="wanted is negative; 2 of 3 chances are not between 0 and 1"):
        persons_needed(-1, 2.0, 0.5, -1.0)
    with pytest.raises(ValueError, match="1 of 1 chances"):
        expected_overlap(10, 1.5)
    with pytest.raises(ValueError, match="persons is negative"):
        advantage(0.5, 0.5, -1)
