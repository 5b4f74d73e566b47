"""The cheapest pairs against oracles that look at every pair, and what is chosen among them against all choices."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from schleier.kernels.linkage.choosing import assigned_pairs, best_pairs, greedy_pairs
from schleier.kernels.linkage.mahalanobis import nearest_points, whitened
from schleier.kernels.linkage.penalties import Neighbours, Numbers, Words, nearest_records

FAR = 9.0


def slow(columns: list[Words | Numbers]) -> NDArray[np.float64]:
    """What every pair costs, cell by cell."""
    first = columns[0]
    records = len(first.cells) if isinstance(first, Words) else len(first.low)
    result = np.zeros((len(first.known), records))
    for column in columns:
        for i, value in enumerate(column.known):
            for r in range(records):
                result[i, r] += _cost(column, value, r)
    return result


def _cost(column: Words | Numbers, value: Any, r: int) -> float:
    if isinstance(column, Words):
        return float(column.costs[value, column.cells[r]])
    gaps = bool(np.isnan(value)) + bool(np.isnan(column.low[r]))
    if gaps:
        return column.gap if gaps == 1 else 0.0
    off = max(column.low[r] - value, value - column.high[r], 0.0) * column.weight
    return float(off**column.power if column.power else column.weight * (off > 0))


@st.composite
def files(draw: Any) -> list[Words | Numbers]:
    targets, records = draw(st.integers(1, 5)), draw(st.integers(1, 9))
    columns: list[Words | Numbers] = []
    for _ in range(draw(st.integers(1, 3))):
        values, cells = draw(st.integers(1, 3)), draw(st.integers(1, 4))
        known = draw(st.lists(st.integers(0, values - 1), min_size=targets, max_size=targets))
        there = draw(st.lists(st.integers(0, cells - 1), min_size=records, max_size=records))
        costs = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=values * cells, max_size=values * cells))
        columns.append(Words(np.array(known), np.array(there), np.array(costs).reshape(values, cells)))
    numbers = st.sampled_from([0.0, 1.0, 2.0, 4.0, np.nan])
    for power in draw(st.lists(st.integers(0, 2), max_size=2)):
        known = np.array(draw(st.lists(numbers, min_size=targets, max_size=targets)))
        low = np.array(draw(st.lists(numbers, min_size=records, max_size=records)))
        wide = np.array(draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=records, max_size=records)))
        columns.append(Numbers(known, low, low + wide, weight=0.5, power=power, gap=0.75))
    return columns


@given(files(), st.integers(1, 12))
@settings(max_examples=150, deadline=None)
def test_the_nearest_are_those_of_all_pairs(columns: list[Words | Numbers], many: int) -> None:
    costs, found = slow(columns), nearest_records(columns, many)
    order = np.argsort(costs, axis=1, kind="stable")[:, : found.record.shape[1]]
    assert found.record.tolist() == order.tolist()
    assert found.distance == pytest.approx(np.take_along_axis(costs, order, axis=1), abs=1e-5)
    assert found.tied.tolist() == (costs <= costs.min(axis=1, keepdims=True) + 1e-5).sum(axis=1).tolist()


def test_many_records_take_several_blocks() -> None:
    rng = np.random.default_rng(5)
    columns: list[Words | Numbers] = [
        Words(rng.integers(0, 4, 70), rng.integers(0, 4, 5000), rng.random((4, 4)).round(1)),
        Numbers(rng.normal(size=70), low := rng.normal(size=5000), low + 0.1),
    ]
    costs, found = slow(columns), nearest_records(columns, 4)
    assert found.distance == pytest.approx(np.sort(costs, axis=1)[:, :4], abs=1e-5)


@pytest.mark.parametrize("cheaper", [0.0, -0.5])
def test_who_is_left_out_early_is_none_of_the_nearest(cheaper: float) -> None:
    """Steps of an eighth, so that sums are exact and many are equal; also where a column makes a pair cheaper."""
    rng = np.random.default_rng(6)
    low = rng.integers(0, 40, (2, 2600)) / 8.0
    low[rng.random((2, 2600)) < 0.1] = np.nan
    known = rng.integers(0, 40, (2, 40)) / 8.0
    known[1, ::7] = np.nan
    columns: list[Words | Numbers] = [
        Words(rng.integers(0, 3, 40), rng.integers(0, 5, 2600), rng.integers(0, 3, (3, 5)) - cheaper),
        Words(np.arange(40), rng.integers(0, 4, 2600), rng.integers(0, 2, (40, 4)) / 4.0),  # each value only once
        Words(rng.integers(0, 2, 40), rng.integers(0, 2, 2600), 1.0 - np.eye(2)),
        Numbers(known[0], low[0], low[0], weight=0.5, gap=0.25),
        Numbers(known[1], low[1], low[1] + 0.5, weight=0.5, power=2, gap=cheaper or 0.25),
    ]
    costs, found = _all_pairs(columns), nearest_records(columns, 12)
    order = np.argsort(costs, axis=1, kind="stable")[:, :12]
    assert found.record.tolist() == order.tolist()
    assert found.distance.tolist() == np.take_along_axis(costs, order, axis=1).tolist()
    assert found.tied.tolist() == (costs == costs.min(axis=1, keepdims=True)).sum(axis=1).tolist()


def test_what_speaks_for_a_pair_may_cost_less_than_nothing() -> None:
    """Sums below zero that are equal are tied, and only those."""
    records = np.array([0, 1, 0, 2, 0])
    for costs in ([[-4.0, -3.0, 5.0]], [[-0.1, 0.0, 0.1]], [[-1e-3, -9e-4, 1.0]]):
        parts = [Words(np.array([0]), records, np.array(costs) / 3) for _ in range(3)]
        found = nearest_records(parts, 1)
        assert (found.record.tolist(), found.tied.tolist()) == ([[0]], [3])


def _all_pairs(columns: list[Words | Numbers]) -> NDArray[np.float64]:
    """What every pair costs, column by column."""
    result = np.zeros((1, 1))
    for one in columns:
        if isinstance(one, Words):
            result = result + one.costs[one.known[:, None], one.cells]
            continue
        off = np.maximum(np.maximum(one.low - one.known[:, None], one.known[:, None] - one.high), 0.0) * one.weight
        gaps = np.isnan(one.known)[:, None] * 1 + np.isnan(one.low)
        result = result + np.where(gaps == 1, one.gap, np.where(gaps == 2, 0.0, off**one.power))
    return result


def test_intervals_on_both_sides_are_as_far_apart_as_their_ends() -> None:
    column = Numbers(np.array([0.0, 5.0]), np.array([2.0, 3.0]), np.array([4.0, 9.0]), upto=np.array([1.0, 6.0]))
    assert nearest_records([column], 2).distance.tolist() == [[1.0, 2.0], [0.0, 1.0]]


def test_nobody_and_nothing() -> None:
    empty = np.zeros(0, dtype=np.int64)
    assert nearest_records([Words(empty, np.array([0]), np.zeros((1, 1)))], 3).record.shape == (0, 1)
    found = nearest_records([Words(np.array([0]), empty, np.zeros((1, 1)))], 3)
    assert found.record.tolist() == [[-1]] and found.distance.tolist() == [[np.inf]] and found.tied.tolist() == [0]
    with pytest.raises(ValueError, match="no column"):
        nearest_records([], 1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_metric_of_the_errors(seed: int, many: int) -> None:
    rng = np.random.default_rng(seed)
    points, asked, root = rng.normal(size=(30, 3)), rng.normal(size=(4, 3)), rng.normal(size=(3, 3))
    errors = root @ root.T + np.eye(3) * 0.1
    off = points[None] - asked[:, None]
    exact = np.einsum("nmi,ij,nmj->nm", off, np.linalg.inv(errors), off)
    there, here = whitened(errors, points, asked)
    found = nearest_points(there, here, many)
    assert found.distance == pytest.approx(np.sort(exact, axis=1)[:, :many], rel=1e-6)
    assert found.record.tolist() == np.argsort(exact, axis=1)[:, :many].tolist()


def test_equal_errors_are_the_order_of_euclid_and_a_larger_one_weighs_less() -> None:
    """P-09."""
    rng = np.random.default_rng(1)
    points, asked = rng.normal(size=(50, 2)), rng.normal(size=(6, 2))
    plain = nearest_points(points, asked, 50).record
    assert (nearest_points(*whitened(4.0 * np.eye(2), points, asked), 50).record == plain).all()
    far = np.array([[3.0, 0.0], [0.0, 1.0]])
    assert nearest_points(far, np.zeros((1, 2)), 1).record.tolist() == [[1]]
    assert nearest_points(*whitened(np.diag([100.0, 1.0]), far, np.zeros((1, 2))), 1).record.tolist() == [[0]]


def test_without_any_error_every_difference_counts() -> None:
    points = np.array([[0.0, 5.0], [1.0, 0.0]])
    assert [side.tolist() for side in whitened(np.zeros((2, 2)), points)] == [points.tolist()]
    there, here = whitened(np.diag([1.0, 0.0]), points, np.zeros((1, 2)))
    assert nearest_points(there, here, 2).record.tolist() == [[1, 0]]


def near(costs: NDArray[np.float64]) -> Neighbours:
    order = np.argsort(costs, axis=1, kind="stable")
    sums = np.take_along_axis(costs, order, axis=1)
    return Neighbours(sums, order, (costs == costs.min(axis=1, keepdims=True)).sum(axis=1))


squares = st.integers(1, 4).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, FAR]), min_size=4, max_size=4), min_size=n, max_size=n
    )
)


@given(squares)
@settings(max_examples=100, deadline=None)
def test_an_assignment_has_most_pairs_at_the_least_cost(rows: list[list[float]]) -> None:
    costs = np.array(rows)
    pairs = assigned_pairs(near(costs), 5.0)
    assert len(set(pairs.record.tolist())) == len(pairs.record)
    assert costs[pairs.target, pairs.record].tolist() == pairs.distance.tolist()
    ways = []
    for records in permutations(range(4), len(costs)):
        paid = [costs[i, r] for i, r in enumerate(records) if costs[i, r] <= 5.0]
        ways.append((-len(paid), sum(paid)))
    assert (-len(pairs.target), float(pairs.distance.sum())) == min(ways)


@given(squares)
@settings(max_examples=60, deadline=None)
def test_in_turn_nobody_could_have_had_a_nearer_one_that_was_free(rows: list[list[float]]) -> None:
    costs = np.array(rows)
    pairs = greedy_pairs(near(costs), 5.0)
    has = dict(zip(pairs.target.tolist(), pairs.record.tolist(), strict=True))
    taken = {record: (costs[target, record], target) for target, record in has.items()}
    assert len(taken) == len(has)
    for i in range(len(costs)):
        own = costs[i, has[i]] if i in has else np.inf
        for r in range(4):
            if costs[i, r] <= 5.0 and costs[i, r] < own:
                assert taken[r] <= (costs[i, r], i)  # somebody nearer was first


def test_whoever_is_first_takes_it_from_the_others() -> None:
    """Part A, L4591-4599: one is linked although another is nearer to the same person."""
    costs = np.array([[1.0, 2.0], [0.5, 9.0]])
    assert greedy_pairs(near(costs), 5.0).record.tolist() == [1, 0]
    assert best_pairs(near(costs), 5.0).record.tolist() == [0, 0]
    assert best_pairs(near(costs), 0.7).target.tolist() == [1]
    assert best_pairs(near(np.array([[1.0, 1.0]])), 5.0).target.tolist() == []  # two are as near
    assert assigned_pairs(near(costs), 0.1).target.tolist() == greedy_pairs(near(costs), 0.1).target.tolist() == []
