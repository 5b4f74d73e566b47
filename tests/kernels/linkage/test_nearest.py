"""Nearest records against an oracle that compares everybody with everybody."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import rankdata

from schleier.kernels.linkage.nearest import EXACT, NEAR, near_by_rank, near_by_spread, nearest, rank_values, scaled

Floats = NDArray[np.float64]
cells = st.sampled_from([0.0, 1.0, 2.0, 3.5, np.nan])
rows = st.lists(st.tuples(cells, cells), min_size=1, max_size=14)


def slow(points: Floats, asked: Floats, block: NDArray[np.int64], within: NDArray[np.int64]) -> list[list[int]]:
    """All records of the block that are nearest to each target."""
    found = []
    for target, home in zip(asked, within, strict=True):
        far = {i: float(np.linalg.norm(point - target)) for i, point in enumerate(points) if block[i] == home}
        least = min(far.values(), default=0.0)
        found.append([i for i, d in far.items() if d <= least + EXACT])
    return found


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(0, 2**32 - 1))
def test_the_nearest_are_those_that_comparing_everybody_finds(table: list[tuple[float, float]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    released = np.array(table)
    order = rng.permutation(len(released))
    known, own = released[order] + rng.choice([0.0, 0.5], (len(order), 2)), order.astype(np.int64)
    own[rng.random(len(own)) < 0.2] = -1
    block, within = rng.integers(0, 3, len(released)), rng.integers(0, 3, len(known))
    points, asked = scaled(released, known)
    found = nearest(points, asked, own, block, within)
    oracle = slow(points, asked, block, within)
    assert found.tied.tolist() == [len(each) for each in oracle]
    assert found.credit().tolist() == pytest.approx(
        [1 / len(each) if mine in each else 0.0 for mine, each in zip(own, oracle, strict=True)]
    )
    assert found.certain().tolist() == [each == [mine] for mine, each in zip(own, oracle, strict=True)]
    for draw in (0.0, 0.5, 1 - 1e-12):
        picked = found.pick(np.full(len(own), draw))
        assert all((pick in each) if each else pick == -1 for pick, each in zip(picked, oracle, strict=True))
    # every one of the nearest is picked by some draw
    draws = (np.arange(60) + 0.5) / 60
    hits = {int(found.pick(np.full(len(own), draw))[0]) for draw in draws}
    assert hits == (set(oracle[0]) or {-1})


@settings(max_examples=40, deadline=None)
@given(rows, st.integers(0, 2**32 - 1), st.sampled_from([1, 3, NEAR]))
def test_among_the_nearest_counts_who_is_nearer(table: list[tuple[float, float]], seed: int, number: int) -> None:
    """With ties in random order, the chance to be among the first r is (r - nearer) / tied, cut to [0, 1]."""
    rng = np.random.default_rng(seed)
    released = np.array(table)
    known = released + rng.choice([0.0, 0.7, 2.0], released.shape)
    points, asked = scaled(released, known)
    found = nearest(points, asked, np.arange(len(released)))
    wanted = []
    for i, target in enumerate(asked):
        far = np.linalg.norm(points - target, axis=1)
        nearer, alike = (far < far[i] - EXACT).sum(), (np.abs(far - far[i]) <= EXACT).sum()
        wanted.append(float(np.clip((number - nearer) / alike, 0, 1)))
    assert found.among(number).tolist() == pytest.approx(wanted)


def test_many_equally_near_records_are_all_seen() -> None:
    """Forty different points on a circle around one target: more than are looked at first."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    found = nearest(ring, np.zeros((1, 2)), np.array([7]))
    assert found.tied.tolist() == [40]
    assert found.credit().tolist() == [1 / 40]
    assert {int(found.pick(np.array([(i + 0.5) / 40]))[0]) for i in range(40)} == set(range(40))


def test_nobody_and_nothing() -> None:
    none = np.zeros((0, 2))
    assert nearest(none, np.zeros((2, 2)), np.array([-1, -1])).pick(np.zeros(2)).tolist() == [-1, -1]
    assert nearest(np.zeros((2, 2)), none, np.zeros(0, dtype=np.int64)).credit().tolist() == []
    alone = nearest(np.zeros((4, 0)), np.zeros((1, 0)), np.array([2]))  # nothing is known: everybody fits
    assert (alone.tied.tolist(), alone.credit().tolist()) == ([4], [0.25])


def test_what_is_the_same_for_all_tells_nothing() -> None:
    points, asked = scaled(np.array([[5.0, 1.0], [5.0, 3.0]]), np.array([[9.0, 1.0]]))
    assert points.shape == (2, 1)
    assert asked.tolist() == [[-1.0]]


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, np.nan]), min_size=1, max_size=20))
def test_ranks_are_mean_ranks(column: list[float]) -> None:
    values = np.array(column)
    held = ~np.isnan(values)
    found = rank_values(values[:, None])[:, 0]
    assert np.isnan(found[~held]).all()
    wanted = (rankdata(values[held]) - 0.5) / max(held.sum(), 1)
    assert found[held].tolist() == pytest.approx(wanted.tolist())


@settings(max_examples=50, deadline=None)
@given(rows, st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.3, 0.9]))
def test_intervals_are_those_of_the_released_column(table: list[tuple[float, float]], seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    new = np.array(table)
    old = rng.choice([0.0, 1.0, 2.0, 3.0, np.nan], new.shape)
    by_rank, by_spread = near_by_rank(old, new, new, share), near_by_spread(old, new, new, share)
    for j in range(2):
        column = sorted(x for x in new[:, j] if not np.isnan(x))
        sd = float(np.std(column)) if column else 0.0
        for i in range(len(new)):
            x, y = old[i, j], new[i, j]
            if np.isnan(x) or np.isnan(y):
                assert not by_rank[i, j]
                assert not by_spread[i, j]
                continue
            first, last = column.index(y), len(column) - 1 - column[::-1].index(y)
            steps = int(share * len(column))
            low, high = column[max(first - steps, 0)], column[min(last + steps, len(column) - 1)]
            assert by_rank[i, j] == (low <= x <= high)
            assert by_spread[i, j] == (abs(x - y) <= share * sd)
