"""The p% rule, against letting the second largest work it out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.inference.dominance import dominated


@given(st.lists(st.integers(0, 100), min_size=3, max_size=6), st.sampled_from([10, 25, 50]))
def test_the_second_largest_works_it_out(amounts: list[int], percent: int) -> None:
    """He takes what is neither his nor known for the largest: too much by the rest, which must not be too little."""
    ordered = sorted(amounts)
    estimate = sum(amounts) - ordered[-2]
    assert dominated(np.array(amounts, dtype=float), percent) == (
        100 * (estimate - ordered[-1]) < percent * ordered[-1]
    )


def test_two_know_each_other_and_what_is_unknown_is_no_protection() -> None:
    assert dominated(np.array([50.0, 90.0]), 10) and dominated(np.array([]), 10)
    assert not dominated(np.array([50.0, 70.0, 90.0]), 10)
    assert dominated(np.array([50.0, 70.0, np.inf]), 10) and dominated(np.array([50.0, 70.0, np.nan]), 10)
    assert not dominated(np.array([10.0, 70.0, 100.0]), 10)  # exactly ten per cent is enough
    assert dominated(np.array([9.9, 70.0, 100.0]), 10)
