"""Records that differ in exactly one key."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.classes.isolation import count_neighbours

ROWS = st.lists(st.tuples(*(st.integers(-1, 2) for _ in range(3))), max_size=15, unique=True)


@given(ROWS, st.data())
def test_everybody_compared_with_everybody(rows: list[tuple[int, ...]], data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    slow = [
        sum(size for other, size in zip(rows, sizes, strict=True) if sum(a != b for a, b in zip(row, other)) == 1)  # noqa: B905
        for row in rows
    ]
    codes = np.array(rows, dtype=np.int32).reshape(len(rows), 3)
    assert count_neighbours(codes, np.array(sizes, dtype=np.int64)).tolist() == slow


def test_one_key_makes_everybody_a_neighbour() -> None:
    assert count_neighbours(np.array([[0], [1]], dtype=np.int32), np.array([2, 3])).tolist() == [3, 2]
