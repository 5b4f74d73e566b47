"""Minimal uniques against their definition, subset by subset."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from schleier.kernels.classes.coding import add_up, merge
from schleier.kernels.suda import minimal_uniques as suda
from schleier.kernels.suda.minimal_uniques import NONE, minimal
from schleier.kernels.suda.scores import matching, outside, share_out, weights

Rows = list[tuple[int, ...]]


@st.composite
def rows_of_codes(draw: st.DrawFn) -> Rows:
    """Up to 25 rows of up to 5 columns; some columns say little, one may be constant, some values are missing."""
    width = draw(st.integers(1, 5))
    highest = [draw(st.integers(0, 6)) for _ in range(width)]
    row = st.tuples(*(st.integers(-1, high) for high in highest))
    rows = draw(st.lists(row, max_size=25))
    return rows + draw(st.lists(st.sampled_from(rows), max_size=8)) if rows else rows


def slowly(rows: Rows, width: int, most: int) -> list[list[tuple[int, ...]]]:
    """For each row the combinations in which it is alone and is not in any part of them."""

    def alone(row: tuple[int, ...], columns: tuple[int, ...]) -> bool:
        return sum(all(other[j] == row[j] for j in columns) for other in rows) == 1

    found = []
    for row in rows:
        own = []
        for size in range(1, most + 1):
            for columns in combinations(range(width), size):
                parts = [part for fewer in range(1, size) for part in combinations(columns, fewer)]
                if alone(row, columns) and not any(alone(row, part) for part in parts):
                    own.append(columns)
        found.append(own)
    return found


def classes(rows: Rows, width: int) -> tuple[Any, Any, Any]:
    codes, place = merge(np.array(rows, dtype=np.int32).reshape(len(rows), width))
    return codes, add_up(np.ones(len(rows), dtype=np.int64), place, len(codes)), place


def assert_as_defined(rows: Rows, most: int) -> None:
    width = len(rows[0]) if rows else 2
    codes, sizes, place = classes(rows, width)
    weighing = [float(10**size) for size in range(most, 0, -1)]
    found = minimal(codes, sizes, weighing, by_class=True)
    expected = slowly(rows, width, min(most, width))
    every = [(i, columns) for i, own in enumerate(expected) for columns in own]
    for i, own in enumerate(expected):
        assert found.counts[place[i]] == len(own)
        assert found.fewest[place[i]] == min(map(len, own), default=NONE)
        assert found.scores[place[i]] == sum(weighing[len(columns) - 1] for columns in own)
        for j in range(width):
            assert found.by_class[place[i], j] == sum(weighing[len(c) - 1] for c in own if j in c)
    for size in range(1, min(most, width) + 1):
        assert found.by_size[size - 1] == sum(len(columns) == size for _, columns in every)
        for j in range(width):
            assert found.by_column[size - 1, j] == sum(len(c) == size and j in c for _, c in every)
    for j in range(width):
        for code, total in enumerate(found.by_value[j], -1):
            assert total == sum(weighing[len(c) - 1] for i, c in every if j in c and rows[i][j] == code)
    assert len(found.by_size) == min(most, width)


@given(rows_of_codes(), st.integers(1, 6))
@settings(deadline=None)
def test_as_defined(rows: Rows, most: int) -> None:
    assert_as_defined(rows, most)


@given(rows_of_codes(), st.integers(1, 6))
@settings(deadline=None, max_examples=50)
def test_as_defined_with_hash_tables_and_numbers_that_would_not_fit(rows: Rows, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suda, "DENSE", 0)
        patch.setattr(suda, "WIDEST", 8)
        assert_as_defined(rows, most)


def test_more_than_one_word_of_bits() -> None:
    rng = np.random.default_rng(11)
    rows = [tuple(int(rng.geometric(0.4)) - 2 for _ in range(4)) for _ in range(150)]
    assert_as_defined(rows, 4)


def test_wide_columns_are_numbered_without_overflow() -> None:
    """Five columns of a million values each have 10^30 possible rows; which values there are does not matter."""
    rng = np.random.default_rng(5)
    few = rng.integers(0, 3, (120, 5)).astype(np.int32)
    codes, sizes, _ = classes([tuple(map(int, row)) for row in few], 5)
    wide = np.array([0, 499_979, 999_983], dtype=np.int32)[codes]
    one, other = minimal(codes, sizes, [1.0] * 5), minimal(wide, sizes, [1.0] * 5)
    assert one.by_size[3:].min() > 0
    assert (one.counts == other.counts).all() and (one.by_column == other.by_column).all()


def test_one_row_is_alone_in_each_column_and_nobody_in_none() -> None:
    one = minimal(np.zeros((1, 3), dtype=np.int32), np.array([1]), [2.0, 1.0])
    assert one.by_size.tolist() == [3, 0] and one.scores.tolist() == [6.0]
    none = minimal(np.zeros((0, 3), dtype=np.int32), np.zeros(0, dtype=np.int64), [2.0, 1.0])
    assert none.by_size.tolist() == [0, 0] and len(none.scores) == 0


def test_constant_columns_are_in_no_minimal_unique() -> None:
    codes = np.array([[0, 4], [0, 5], [0, -1]], dtype=np.int32)
    found = minimal(codes, np.array([1, 1, 1]), [2.0, 1.0])
    assert found.by_column.tolist() == [[0, 3], [0, 0]]


@given(rows_of_codes(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_order_of_columns_does_not_matter(rows: Rows, random: Any) -> None:
    width = len(rows[0]) if rows else 2
    order = random.sample(range(width), width)
    codes, sizes, _ = classes(rows, width)
    one, other = (minimal(each, sizes, [1.0] * width) for each in (codes, np.ascontiguousarray(codes[:, order])))
    assert (one.counts == other.counts).all() and (one.by_column[:, order] == other.by_column).all()


def test_weights_of_the_largest_size_are_one() -> None:
    for columns in (1, 4, 9):
        for most in range(1, columns + 1):
            found = weights(columns, most, "elliot")
            assert found[-1] == 1 and found == sorted(found, reverse=True)
            assert all(found[k - 1] == found[k] * (columns - k) for k in range(1, most))
    assert weights(3, 3, "ihsn") == [1.0, 1 / 3, 0.0]


scores = st.lists(st.floats(0.01, 1e6), min_size=1, max_size=20).map(np.array)


@given(scores, st.floats(0, 1e9), st.integers(1, 40))
def test_odds_of_records_have_the_mean_of_the_file(found: NDArray[np.float64], strangers: float, columns: int) -> None:
    """DIS-SUDA only shares out: the mean of (1 - p) / p is that of DIS, and higher scores are never safer."""
    each = share_out(found, strangers, columns, 1.0)
    overall = matching(len(found), strangers)
    assert np.isclose((1 / each - 1).mean(), 1 / overall - 1, rtol=1e-9, atol=1e-9)
    assert (np.diff(each[np.argsort(found)]) >= -1e-12).all()


def test_a_unique_record_without_score_is_never_safe() -> None:
    each = share_out(np.array([0.0, 1.0, 3.0]), 50.0, 6, 1.0)
    assert 0 < each[0] < each[1] < each[2]


def test_pairs_tell_the_persons_outside() -> None:
    """Every pair of a population is seen as a pair, as one record with the other outside, or not at all."""
    rng = np.random.default_rng(3)
    fraction, pairs = 0.2, 200_000
    seen = rng.random((pairs, 2)) < fraction
    both, one = int(seen.all(axis=1).sum()), int((seen.sum(axis=1) == 1).sum())
    expected = outside(both, 2 * both / fraction)
    error = 2 * (1 / fraction - 1) * np.sqrt(both)  # of a count that is nearly Poisson
    assert abs(expected - one) < 4 * error
    assert matching(0, 5.0) == 0 and outside(4, 3.0) == 0
