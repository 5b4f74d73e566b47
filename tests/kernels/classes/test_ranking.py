"""Ranking many numbers with compiled code, against sorting them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.classes import coding
from schleier.kernels.classes.ranking import marked, placed, ranked


@given(
    st.integers(1, 62).flatmap(lambda bits: st.tuples(st.just(1 << bits), st.lists(st.integers(0, (1 << bits) - 1))))
)
def test_ranked_is_what_sorting_finds(drawn: tuple[int, list[int]]) -> None:
    size, numbers = drawn
    found, place = ranked(np.array(numbers, dtype=np.int64), size)
    expected, there = np.unique(np.array(numbers, dtype=np.int64), return_inverse=True)
    assert found.tolist() == expected.tolist()
    assert place.tolist() == there.tolist()


@given(st.lists(st.integers(0, 1 << 40)))
def test_placed_is_what_sorting_finds(numbers: list[int]) -> None:
    mixed = np.array(numbers, dtype=np.int64) << 20 | np.arange(len(numbers))
    found, place = placed(np.sort(mixed), 20)
    expected, there = np.unique(np.array(numbers, dtype=np.int64), return_inverse=True)
    assert (found.tolist(), place.tolist()) == (expected.tolist(), there.tolist())


@given(st.lists(st.integers(0, 40)))
def test_marked_is_what_sorting_finds(numbers: list[int]) -> None:
    found, place = marked(np.array(numbers, dtype=np.int64), 41)
    expected, there = np.unique(np.array(numbers, dtype=np.int64), return_inverse=True)
    assert found.tolist() == expected.tolist()
    assert place.tolist() == there.tolist()


def test_many_numbers_are_ranked_as_few_are() -> None:
    numbers = np.random.default_rng(3).integers(0, 1 << 60, coding.MANY)
    for size in (1 << 60, 1 << 40, coding.MANY):
        for some in (numbers % size, numbers[:1000] % size):
            found, place = coding.rank_numbers(some, size)
            assert (found[place] == some).all()
            assert (np.diff(found) > 0).all()


def test_many_rows_are_numbered_as_few_are() -> None:
    """Seventy bits in all: the numbers are made dense on the way."""
    codes = np.random.default_rng(4).integers(-1, 1 << 14, (coding.MANY, 5)).astype(np.int32)
    codes[1] = codes[0]
    rows, place = coding.merge(codes)
    assert (rows[place] == codes).all()
    assert len(rows) == len({row.tobytes() for row in codes}) < coding.MANY
    keys = [tuple(row) for row in rows[:: coding.MANY // 500].tolist()]
    assert keys == sorted(keys)
