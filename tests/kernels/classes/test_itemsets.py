"""Counting combinations of items, compared with counting them one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from schleier.kernels.classes.itemsets import UNKNOWN, Sets, supports

Baskets = list[tuple[int, list[int], int]]
"""Class, items, records."""
NONE = np.iinfo(np.int64).max
baskets: st.SearchStrategy[Baskets] = st.lists(
    st.tuples(st.integers(0, 2), st.lists(st.integers(0, 5), max_size=7), st.integers(1, 3)), max_size=14
).map(lambda found: sorted(found, key=lambda basket: basket[0]))


def sets_of(found: Baskets) -> Sets:
    rows = np.array([i for i, (_, items, _) in enumerate(found) for _ in items], dtype=np.int64)
    items = np.array([item for _, items, _ in found for item in items], dtype=np.int64)
    return Sets.of(rows, items, len(found))


def slow(found: Baskets, least: int, most: int) -> tuple[list[int], list[int], int]:
    def inside(items: list[int]) -> list[tuple[int, ...]]:
        return [chosen for size in range(1, most + 1) for chosen in combinations(sorted(set(items)), size)]

    count: dict[tuple[int, tuple[int, ...]], int] = {}
    for where, items, records in found:
        for chosen in inside(items):
            count[where, chosen] = count.get((where, chosen), 0) + records
    lowest = [min((count[where, chosen] for chosen in inside(items)), default=NONE) for where, items, _ in found]
    fewest = [
        min((len(chosen) for chosen in inside(items) if count[where, chosen] < least), default=0)
        for where, items, _ in found
    ]
    minimal = [
        chosen
        for (where, chosen), n in count.items()
        if n < least
        and all(count[where, part] >= least for size in range(1, len(chosen)) for part in combinations(chosen, size))
    ]
    return lowest, fewest, len(minimal)


@given(found=baskets, least=st.integers(2, 7), most=st.integers(1, 5))
@settings(max_examples=300, deadline=None)
def test_it_counts_what_one_by_one_counts(found: Baskets, least: int, most: int) -> None:
    sets = sets_of(found)
    bounds = np.searchsorted([where for where, _, _ in found], np.arange(4)).astype(np.int64)
    weights = np.array([records for _, _, records in found], dtype=np.int64)
    fast = supports(sets, bounds, np.arange(len(found)), weights, least, most)
    assert (fast.lowest.tolist(), fast.fewest.tolist(), fast.minimal) == slow(found, least, most)


@given(found=baskets, most=st.integers(1, 6))
@settings(max_examples=50, deadline=None)
def test_the_effort_is_told_before(found: Baskets, most: int) -> None:
    told = sets_of(found).combinations(np.arange(len(found)), most)
    assert told == sum(
        1 for _, items, _ in found for size in range(1, most + 1) for _ in combinations(sorted(set(items)), size)
    )


def test_long_sets_need_no_more_memory_than_they_have_items() -> None:
    """Two million combinations of three items, in an array of a hundred."""
    sets = Sets.of(np.zeros(230, dtype=np.int64), np.arange(230), 1)
    fast = supports(sets, np.array([0, 1]), np.array([0]), np.array([4]), 5, 3)
    assert (fast.lowest.tolist(), fast.fewest.tolist(), fast.minimal) == ([4], [1], 230)


def test_too_many_minimal_ones_are_not_told() -> None:
    """Every pair is common and every triple rare: each must be compared with many records."""
    rng = np.random.default_rng(3)
    rows = np.repeat(np.arange(3000), 30)
    items = np.concatenate([rng.permutation(150)[:30] for _ in range(3000)])
    sets = Sets.of(rows, items, 3000)
    fast = supports(sets, np.array([0, 3000]), np.arange(3000), np.ones(3000, dtype=np.int64), 40, 3)
    assert fast.minimal == UNKNOWN and (fast.fewest > 0).all()
