"""Pairs told apart, against looking at every pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.classes.separation import all_subsets, greedy_columns

tables = st.lists(st.tuples(*[st.integers(-1, 2)] * 3), min_size=1, max_size=10, unique=True)


def slowly(people: list[tuple[int, ...]], columns: tuple[int, ...]) -> tuple[int, int, int]:
    seen = [tuple(row[j] for j in columns) for row in people]
    together = sum(a == b for a, b in combinations(seen, 2))
    return len(set(seen)), sum(seen.count(one) == 1 for one in seen), together


@given(tables, st.data(), st.integers(1, 3))
def test_every_small_set(rows: list[tuple[int, ...]], data: st.DataObject, most: int) -> None:
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    people = [row for row, size in zip(rows, sizes, strict=True) for _ in range(size)]
    found = {
        told.columns: (told.distinct, told.unique, told.together)
        for told in all_subsets(np.array(rows, dtype=np.int32), np.array(sizes), most)
    }
    every = [columns for size in range(1, most + 1) for columns in combinations(range(3), size)]
    assert found == {columns: slowly(people, columns) for columns in every}


@given(tables, st.data())
def test_next_column_leaves_fewest_pairs(rows: list[tuple[int, ...]], data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    people = [row for row, size in zip(rows, sizes, strict=True) for _ in range(size)]
    steps = greedy_columns(np.array(rows, dtype=np.int32), np.array(sizes), 3)
    chosen: tuple[int, ...] = ()
    for told in steps:
        left = [slowly(people, (*chosen, j))[2] for j in range(3) if j not in chosen]
        assert told.columns[:-1] == chosen
        chosen = told.columns
        assert told.together == slowly(people, chosen)[2] == min(left)
    rest = [slowly(people, (*chosen, j))[2] for j in range(3) if j not in chosen]
    assert not rest or not steps[-1].together or min(rest) == steps[-1].together
