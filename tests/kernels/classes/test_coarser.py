"""What coarser columns would leave alone, against counting the rows one by one."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from schleier.kernels.classes.coarser import Coarser, nothing
from schleier.kernels.classes.coding import merge

WIDE = 40
"""Columns that no packed row holds."""


def classes(rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    codes, place = merge(rows)
    return codes, np.bincount(place, minlength=len(codes)).astype(np.int64)


def slow(rows: NDArray[np.int32], changes: dict[int, NDArray[np.int32]]) -> tuple[int, int]:
    seen = Counter(
        tuple(int(changes[j][code]) if j in changes else int(code) for j, code in enumerate(row)) for row in rows
    )
    return len(seen), sum(n == 1 for n in seen.values())


@st.composite
def cases(draw: st.DrawFn) -> tuple[NDArray[np.int32], list[int], dict[int, NDArray[np.int32]]]:
    columns, wide = draw(st.integers(1, 4)), draw(st.booleans())
    values = [draw(st.integers(1, 5)) for _ in range(columns)]
    count = draw(st.integers(1, 30))
    rows = [[draw(st.integers(-1, n - 1)) for n in values] for _ in range(count)]
    chosen = draw(st.lists(st.integers(0, columns - 1), unique=True, max_size=3))
    changes = {
        j: np.array([draw(st.integers(-1, values[j] - 1)) for _ in range(values[j] + 1)], dtype=np.int32)
        for j in chosen
    }
    table = np.array(rows, dtype=np.int32)
    if wide:  # the same column over and over changes nothing but the width
        table = np.concatenate([table, np.repeat(table[:, :1], WIDE, axis=1)], axis=1)
        values = [*values, *values[:1] * WIDE]
    return table, values, changes


@given(case=cases())
@settings(max_examples=150)
def test_as_counted_row_by_row(case: tuple[NDArray[np.int32], list[int], dict[int, NDArray[np.int32]]]) -> None:
    rows, values, changes = case
    table = Coarser.of(*classes(rows), values)
    assert table.counted(changes) == slow(rows, changes)
    coarser = table.changed(changes)
    assert coarser.counted({}) == slow(rows, changes) and int(coarser.sizes.sum()) == len(rows)
    if values[0] > 1 and 0 not in changes:
        both = {**changes, 0: nothing(values[0])}
        assert coarser.counted({0: nothing(values[0])}) == slow(rows, both) == table.counted(both)


def test_a_wide_table_is_told_apart_by_random_bits() -> None:
    rows = np.tile(np.arange(8, dtype=np.int32)[:, None], (1, WIDE))
    table = Coarser.of(*classes(rows), [8] * WIDE)
    assert table.counted({3: nothing(8)}) == (8, 8)
    numbers = np.concatenate(table.numbers)
    assert len(np.unique(numbers)) == len(numbers) and numbers.max() > 2**62 and not (numbers & np.uint64(1)).any()
    assert Coarser.of(*classes(rows[:, :2]), [8, 8]).rows.max() < 2**9


def test_a_row_may_fill_the_number_to_its_last_bit() -> None:
    values = [2**21 - 1] * 3
    rows = np.array([[-1, -1, -1], [0, 0, 0], [values[0] - 1] * 3, [0, 0, values[0] - 1]], dtype=np.int32)
    table = Coarser.of(*classes(rows), values)
    assert table.rows.max() == 2**64 - 2 and table.counted({}) == (4, 4)
    assert table.counted({2: nothing(values[0])}) == (3, 2)


def test_codes_that_do_not_occur_do_not_spill_into_the_next_column() -> None:
    rows = np.array([[0, 0], [0, 1]], dtype=np.int32)
    last = np.array([6, 0, 0, 0, 0, 0, 0, 6], dtype=np.int32)
    assert Coarser.of(*classes(rows), [7, 2]).counted({0: last}) == (2, 2)


def test_records_by_code() -> None:
    table = Coarser.of(np.array([[-1], [1]], dtype=np.int32), np.array([4, 3]), [3])
    assert table.counts(0).tolist() == [0, 3, 0, 4]


def test_an_empty_table() -> None:
    table = Coarser.of(np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.int64), [0, 0])
    assert table.counted({}) == (0, 0) and table.counted({0: nothing(0)}) == (0, 0)
