"""The estimated densities: cells that keep all pairs, sums over them by hand, and what they make of near and far."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.kernels.linkage.densities import Constants, _Grid, _groups, _strangers, axis_of, error_distances, likely
from schleier.kernels.linkage.densities_of_cells import _fit, coarse_cells


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([2, 3]))
@settings(max_examples=20, deadline=None)
def test_cells_keep_the_margins_of_all_pairs(seed: int, components: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, most, (80, components))
    kind[:most] = np.arange(most)[:, None]
    cells = np.zeros(most**components)
    _fit(kind, np.full(components, most), cells)
    table = cells.reshape((most,) * components)
    assert table.sum() == pytest.approx(1)
    for a, b in itertools.combinations(range(components), 2):
        rest = tuple(c for c in range(components) if c not in (a, b))
        seen = np.zeros((most, most))
        np.add.at(seen, (kind[:, a], kind[:, b]), 1 / 80)
        assert table.sum(axis=rest) == pytest.approx(seen, abs=2e-3)
    if components == 2:  # nothing is smoothed
        assert cells == pytest.approx(np.bincount(kind[:, 0] * most + kind[:, 1], minlength=most**2) / 80, abs=1e-6)


@pytest.mark.parametrize("coarse", [2, 3])
def test_sums_over_cells_are_those_by_hand(coarse: int) -> None:
    """Every combination of coarse categories and of fine steps in them, one after the other."""
    rng = np.random.default_rng(3)
    parts = rng.choice([0.0, 0.0, 1.0, 2.0, 5.0], (1, 60, 3))
    how = Constants(coarse=coarse, fine=20)
    grid = _Grid(20.0, how)
    steps = grid.bins(parts)
    fine = np.zeros((1, 3, coarse, grid.length))
    cells, sizes = np.zeros((1, coarse**3)), np.ones((1, 3), dtype=np.int64)
    flat = np.ones(grid.length)  # not damped
    coarse_cells(parts, np.sort(parts, axis=1), steps, flat, how.least, grid.bound, fine, cells, sizes)
    slow = np.zeros(3 * grid.length)
    every = itertools.product(*(range(size) for size in sizes[0]))
    for place, kinds in enumerate(every):
        spread = np.ones(1)
        for c, kind in enumerate(kinds):
            spread = np.convolve(spread, fine[0, c, kind])
        slow[: len(spread)] += cells[0, place] * spread[: len(slow)]
    assert _strangers(parts, grid, how)[0] == pytest.approx(slow[: grid.bound], abs=1e-9)
    assert slow.sum() == pytest.approx(1)


def test_rare_cells_are_put_together() -> None:
    parts = np.zeros((1, 40, 2))
    parts[0, :20, 0] = 1.0
    parts[0, :3, 1] = 1.0  # three are far in the second component: fewer than five
    sizes, cells = np.ones((1, 2), dtype=np.int64), np.zeros((1, 4))
    ranked, steps = np.sort(parts, axis=1), parts.astype(np.int64)
    coarse_cells(parts, ranked, steps, np.ones(8), 5, 8, np.zeros((1, 2, 2, 8)), cells, sizes)
    assert sizes.tolist() == [[2, 1]]
    assert cells[0, :2].tolist() == pytest.approx([0.5, 0.5])


def test_columns_that_go_together_are_one_component() -> None:
    rng = np.random.default_rng(5)
    two = rng.random((10, 50, 2))
    found = _groups(two[:, :, [0, 1, 0, 1]] + 0.01 * rng.random((10, 50, 4)), Constants(components=2))
    assert (found[0] == found[2]).all() and (found[1] == found[3]).all() and (found[0] != found[1]).any()
    assert _groups(two, Constants()).tolist() == np.eye(2).tolist()


def normal(points: np.ndarray, asked: np.ndarray) -> list:
    """Each coordinate a column of numbers whose errors have a standard deviation of one."""
    one = np.eye(1)
    return [axis_of(one, points[:, [j]], asked[:, [j]], None, None, 1.0) for j in range(points.shape[1])]


def test_crowded_places_are_uncertain_and_lonely_ones_are_not() -> None:
    """Abb. 3.1: alone and near, alone and a bit off, in a crowd, far from everybody."""
    rng = np.random.default_rng(7)
    crowd = rng.normal(0, 1.5, (600, 3))
    alone = rng.normal(0, 400, (600, 3))
    points = np.vstack([crowd, alone, [[3000.0] * 3]])
    asked = np.vstack([points[-1], points[-1] + 0.8, [0.0, 0, 0], [9000.0] * 3])
    axes = normal(points, asked)
    errors = error_distances(axes, rng)
    assert errors.mean() == pytest.approx(3, rel=0.05)  # three squared normal errors
    found = likely(axes, len(points), errors, Constants())
    first = found.probability[:, 0]
    assert first[0] > 0.99 and first[1] > 0.99 and first[2] < 0.1 and first[3] == 0
    assert found.record[:2, 0].tolist() == [1200, 1200]
    assert (likely(axes, 1e9, errors, Constants()).probability <= found.probability + 1e-12).all()


def test_two_records_that_are_alike_are_both_listed_or_none() -> None:
    rng = np.random.default_rng(8)
    points = np.vstack([rng.normal(0, 300, (400, 2)), [[2000.0, 0], [2000.0, 0]]])
    axes = normal(points, np.array([[2000.0, 0.0]]))
    found = likely(axes, len(points), error_distances(axes, rng), Constants())
    assert set(found.record[0].tolist()) == {400, 401}
    assert found.probability[0, 0] == found.probability[0, 1]


@pytest.mark.parametrize("many", [0, 1, 2, 3])
def test_few_records(many: int) -> None:
    rng = np.random.default_rng(9)
    axes = normal(rng.normal(0, 9, (many, 2)), np.zeros((2, 2)))
    found = likely(axes, float(many), error_distances(axes, rng), Constants())
    assert found.probability.shape[0] == 2 and np.isfinite(found.probability).all()


def test_words_that_err() -> None:
    """Two values, wrong in a tenth: a tenth of the distances is that of both values."""
    values = np.array([[1.0], [0.0]])
    axis = axis_of(np.array([[0.1]]), values, values, values, np.array([0.5, 0.5]), 0.1)
    found = error_distances([axis], np.random.default_rng(1), 5000)
    assert set(np.unique(found).round(6)) == {0.0, 10.0}
    assert (found > 0).mean() == pytest.approx(0.1, abs=5 * np.sqrt(0.09 / 5000))
