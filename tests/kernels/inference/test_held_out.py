"""Guessing a hidden column: counting all cells and sorting those that occur find the same."""

from __future__ import annotations

import numpy as np
import pytest

from schleier.kernels.inference import held_out
from schleier.kernels.inference.held_out import Guess, Hidden, best_guess, guess


def worlds() -> list[tuple[Hidden, list[np.ndarray]]]:
    """Columns with few and many values, one of which tells something, and gaps in what is known."""
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        given = [rng.integers(0, many, 400) for many in (2, 5, 9, 300)]
        wanted = np.where(rng.random(400) < 0.7, given[1] * 2, rng.integers(0, 12, 400))
        learned = rng.random(400) < rng.choice([0.02, 0.5])
        own = rng.integers(0, 3, 400) if seed % 2 else None
        found.append((Hidden(wanted, learned, ~learned & (rng.random(400) < 0.8), own), given))
    return found


@pytest.mark.parametrize("place", range(12))
def test_counting_and_sorting_find_the_same(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden, given = worlds()[place]
    told: list[tuple[list[list[int]], Guess]] = []
    for dense in (0, 1_000_000):
        monkeypatch.setattr(held_out, "DENSE", dense)
        otherwise = np.full(int(hidden.tried.sum()), 77)
        told.append(([guess(hidden, groups, otherwise).tolist() for groups in given], best_guess(hidden, given)))
    assert told[0] == told[1]
