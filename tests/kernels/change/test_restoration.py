"""Kim's correction: exact moments, and how much blocks give away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.change.restoration import blocks_of, restored, restored_in_blocks

columns = st.lists(st.tuples(st.integers(-50, 50), st.integers(-9, 9)), min_size=1, max_size=40)


@given(columns)
def test_moments_are_those_of_the_original(rows: list[tuple[int, int]]) -> None:
    old = np.array([float(a) for a, _ in rows])
    new = old + [float(b) for _, b in rows]
    found = restored(old, new)
    assert found.mean() == pytest.approx(old.mean(), abs=1e-9)
    if len(set(new.tolist())) > 1:
        assert found.std() == pytest.approx(old.std(), abs=1e-9)
    else:
        assert found.std() == pytest.approx(0, abs=1e-9)  # nothing to stretch


@given(columns, st.integers(2, 12))
def test_blocks_are_large_enough_and_cut_no_equal_values(rows: list[tuple[int, int]], block: int) -> None:
    old, new = np.array([float(a) for a, _ in rows]), np.array([float(b) for _, b in rows])
    order, starts = blocks_of(new, block)
    sizes = np.diff([*starts, len(new)])
    assert len(starts) == 1 or (sizes >= block).all()
    ordered = new[order]
    assert (ordered[:-1] >= ordered[1:]).all()
    assert all(ordered[start - 1] != ordered[start] for start in starts[1:])
    found = restored_in_blocks(old, new, block)
    assert found.mean() == pytest.approx(old.mean(), abs=1e-9)
    for start, end in zip(starts, [*starts[1:], len(new)], strict=True):
        assert len(set(found[order[start:end]].round(9).tolist())) <= len(set(ordered[start:end].tolist()))


def test_blocks_of_two_restore_the_original() -> None:
    """Attack (h) of the source: two values have the original mean and variance only if they are the original ones."""
    rng = np.random.default_rng(3)
    old = np.sort(rng.lognormal(8, 1, 200))[::-1]
    new = old * np.linspace(1.1, 0.9, 200)  # in the same order
    assert restored_in_blocks(old, new, 2) == pytest.approx(old)
    far = np.abs(restored_in_blocks(old, new, 100) / old - 1)
    assert np.median(far) > 0.001


def test_nothing_to_restore() -> None:
    assert restored_in_blocks(np.zeros(0), np.zeros(0), 5).tolist() == []
    assert restored(np.array([1.0, 3.0]), np.array([7.0, 7.0])).tolist() == [2.0, 2.0]
