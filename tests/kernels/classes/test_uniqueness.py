"""Who stands alone in a part of the file or with fewer columns, against counting everything one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import comb, log, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.classes.uniqueness import (
    LONG,
    alone_chance,
    entropy,
    information,
    order_columns,
    prefixes,
    sums,
    unique_in_sample,
    without_each,
)
from schleier.kernels.population.uniques import frequencies

few = st.lists(st.integers(1, 4), min_size=1, max_size=4)
tables = st.lists(st.tuples(*[st.integers(-1, 2)] * 3), min_size=1, max_size=12, unique=True)


@given(few)
def test_expected_uniques_of_all_samples(sizes: list[int]) -> None:
    """Every sample of m of the records, with the share of unique records among them."""
    labels = [i for i, size in enumerate(sizes) for _ in range(size)]
    for m in range(1, min(len(labels), 6) + 1):
        samples = list(combinations(labels, m))
        alone = sum(sum(sample.count(one) == 1 for one in sample) for sample in samples)
        assert unique_in_sample(*frequencies(np.array(sizes)), m) == pytest.approx(alone / len(samples) / m, rel=1e-12)


@pytest.mark.parametrize(
    ("records", "drawn"), [(10**6, 10**5), (10**6, 1), (10**6, 10**6), (10**6, 999_999), (5000, 7)]
)
def test_chance_is_that_of_exact_fractions(records: int, drawn: int) -> None:
    """C(N - f, n - 1) / C(N - 1, n - 1), of which all but f - 1 factors above and below are the same."""
    sizes = [1, 2, 3, 17, 90, 4000]

    def chance(f: int) -> Fraction:
        above, below = range(records - drawn, records - drawn - f + 1, -1), range(records - 1, records - f, -1)
        return Fraction(prod(above), prod(below))

    if records <= 5000:
        assert all(chance(f) == Fraction(comb(records - f, drawn - 1), comb(records - 1, drawn - 1)) for f in sizes)
    exact = [float(chance(f)) for f in sizes[:5]]
    found = alone_chance(np.array(sizes, dtype=np.float64), records, drawn)
    assert found[:5] == pytest.approx(exact, rel=1e-9, abs=1e-300)
    assert 0 <= found[5] <= found[4]


def test_classes_beyond_the_factors_use_logarithms() -> None:
    """One record of a class of two millions in a sample of 5 out of ten millions: (1 - share) to the fourth, nearly."""
    size, records = 2.0 * LONG, 10 * LONG
    exact = float(np.prod([(records - size - i) / (records - 1 - i) for i in range(4)]))
    assert alone_chance(np.array([size]), records, 5)[0] == pytest.approx(exact, rel=1e-6)


def test_nothing_to_thin() -> None:
    assert unique_in_sample(np.array([]), np.array([]), 1) == 0.0


@given(tables, st.data())
def test_information_is_that_of_the_rows(rows: list[tuple[int, ...]], data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    people = [row for row, size in zip(rows, sizes, strict=True) for _ in range(size)]

    def slowly(columns: tuple[int, ...]) -> float:
        seen = [tuple(row[j] for j in columns) for row in people]
        return -sum(seen.count(one) / len(seen) * log(seen.count(one) / len(seen)) for one in set(seen))

    together, single, adds, alone = information(np.array(rows, dtype=np.int32), np.array(sizes))
    assert together == pytest.approx(slowly((0, 1, 2)), abs=1e-12)
    assert single == pytest.approx([slowly((j,)) for j in range(3)], abs=1e-12)
    rest = [slowly(tuple(i for i in range(3) if i != j)) for j in range(3)]
    assert adds == pytest.approx([together - each for each in rest], abs=1e-12)
    others = [[tuple(row[i] for i in range(3) if i != j) for row in people] for j in range(3)]
    assert alone == [sum(seen.count(one) == 1 for one in seen) for seen in others]


def test_information_of_rows_too_wide_for_one_number() -> None:
    rng = np.random.Generator(np.random.Philox(key=3))
    codes, sizes = rng.integers(-1, 3, (200, 4)).astype(np.int32), rng.integers(1, 9, 200)
    wide = codes * np.array([1, 2**20, 2**20, 2**20], dtype=np.int32) + np.int32(2**20 + 1)
    for narrow, other in zip(information(codes, sizes), information(wide, sizes), strict=True):
        assert narrow == pytest.approx(other)
    assert information(codes[:0], sizes[:0]) == (0.0, [0.0] * 4, [0.0] * 4, [0] * 4)


@pytest.mark.parametrize("most", [2, 40], ids=["random bits", "numbered"])
def test_sizes_of_wide_rows_are_those_of_narrow_ones(most: int) -> None:
    rng = np.random.Generator(np.random.Philox(key=5))
    codes, sizes = rng.integers(-1, 90, (20_000, 12)).astype(np.int32), rng.integers(1, most, 20_000)
    codes[:, 2:] //= 30  # twelve columns of seven bits are too wide; as these differ little, some rows are alike
    codes[0, 2:] = 89
    for j, left in enumerate(without_each(codes, sizes)):
        assert np.sort(left).tolist() == np.sort(sums(np.delete(codes, j, axis=1), sizes)).tolist()


def test_entropy_is_largest_when_all_are_alone() -> None:
    assert entropy(np.ones(50, dtype=np.int64)) == pytest.approx(log(50))
    assert entropy(np.array([50])) == entropy(np.array([], dtype=np.int64)) == 0.0


@given(tables, st.data(), st.booleans())
def test_order_is_the_greedy_one(rows: list[tuple[int, ...]], data: st.DataObject, most: bool) -> None:
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    people = [row for row, size in zip(rows, sizes, strict=True) for _ in range(size)]

    def alone(columns: list[int]) -> int:
        seen = [tuple(row[j] for j in columns) for row in people]
        return sum(seen.count(one) == 1 for one in seen)

    found = order_columns(np.array(rows, dtype=np.int32), np.array(sizes), 3, most=most)
    assert tuple(column for column, _ in found) in set(permutations(range(3)))
    chosen: list[int] = []
    for column, unique in found:
        every = [alone([*chosen, j]) for j in range(3) if j not in chosen]
        chosen.append(column)
        assert unique == alone(chosen) == (max(every) if most else min(every))
    tables_ = prefixes(np.array(rows, dtype=np.int32), np.array(sizes), chosen)
    assert [int((each == 1).sum()) for each in tables_] == [unique for _, unique in found]
    assert all(each.sum() == len(people) for each in tables_)


def test_of_equals_the_one_with_most_combinations_is_next() -> None:
    """Nobody is alone in one column; the second has more values, so it leads on sooner."""
    codes = np.array([[i % 2, i % 4] for i in range(8)], dtype=np.int32)
    assert order_columns(codes, np.full(8, 2), 2, most=True)[0] == (1, 0)
    assert order_columns(codes, np.full(8, 2), 2, most=False)[0] == (0, 0)
