"""The kernels of partitions: boxes around rows, cuts and the way back down the cuts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.kernels.search.boxes import Space, around, box_widths, ties
from schleier.kernels.search.clustering import clusters
from schleier.kernels.search.mondrian import partition
from schleier.kernels.search.placing import Points, by_box, by_cuts

LONG = 1_000_000


def space(keys: int, length: int) -> Space:
    """Ordered axes with equally distant codes."""
    position = np.tile(np.linspace(0, 1, length), keys)
    return Space(
        tree=np.full(keys, -1),
        gap=np.full(keys, -1),
        position=position,
        offset=np.arange(keys) * length,
        ancestors=np.zeros((0, 1, 1), dtype=np.int32),
        width=np.zeros((0, 1, 1)),
        depth=np.zeros(keys, dtype=np.int64),
        importance=np.ones(keys),
    )


def table(codes: list[Any], sizes: list[int]) -> tuple[Any, Any]:
    return np.array(codes, dtype=np.int32), np.array(sizes, dtype=np.int64)


rows = st.lists(
    st.tuples(st.integers(-1, 9), st.integers(-1, 9), st.integers(1, 4)),
    min_size=1,
    max_size=60,
    unique_by=lambda r: r[:2],
)


@pytest.mark.parametrize("relaxed", [False, True])
@given(rows=rows, least=st.integers(1, 8))
def test_the_way_down_the_cuts_leads_back_to_the_part(relaxed: bool, rows: list[Any], least: int) -> None:
    codes, sizes = table([row[:2] for row in rows], [row[2] for row in rows])
    axes, tie = space(2, 10), ties(codes) if relaxed else None
    cuts, part, parts = partition(axes, codes, sizes, tie, least)
    boxes = around(axes, codes, part, parts)
    assert sorted(set(part.tolist())) == list(range(parts))
    if sizes.sum() >= least:
        assert min(np.bincount(part, weights=sizes)) >= least
    points = Points(codes, np.ones(codes.shape, dtype=bool), np.array([10, 10]))
    assert by_cuts(cuts, boxes, axes, points, tie).tolist() == part.tolist()
    found = by_box(boxes, box_widths(axes, boxes).sum(axis=1), axes, points)
    assert (found >= 0).all()


@given(rows=rows, least=st.integers(1, 8))
def test_the_judge_is_asked_about_whole_parts(rows: list[Any], least: int) -> None:
    codes, sizes = table([row[:2] for row in rows], [row[2] for row in rows])
    seen = []

    def judge(place: Any, parts: int) -> Any:
        sums = np.bincount(place[place >= 0], weights=sizes[place >= 0], minlength=parts)
        assert len(sums) == parts
        seen.append(parts)
        return sums < least

    alone = partition(space(2, 10), codes, sizes, None, 1, judge)
    if sizes.sum() >= least:
        # the most even cut either leaves enough on both sides or none does: it makes no difference who asks
        counted = partition(space(2, 10), codes, sizes, None, least)
        both = np.stack([alone[1], counted[1]], axis=1)
        gaps = (codes < 0).any()
        assert gaps or len(np.unique(both, axis=0)) == alone[2] == counted[2]
    assert len(seen) <= 4 * 60


def test_few_rows_on_a_long_axis_are_cut_like_many() -> None:
    codes, sizes = table([[0], [5], [LONG - 2], [LONG - 1]], [1, 1, 1, 1])
    _, part, parts = partition(space(1, LONG), codes, sizes, None, 2)
    assert parts == 2
    assert part.tolist() == [0, 0, 1, 1]
    _, part, parts = partition(space(1, LONG), codes, sizes, ties(codes), 2)
    assert part.tolist() == [0, 0, 1, 1]


def test_a_relaxed_cut_goes_through_equal_codes() -> None:
    codes, sizes = table([[0, i] for i in range(8)] + [[1, 8]], [1] * 9)
    axes = space(2, 10)._replace(importance=np.array([100.0, 1.0]))
    _, part, parts = partition(axes, codes, sizes, ties(codes), 4)
    assert parts == 2
    assert sorted(np.bincount(part).tolist()) == [4, 5]


@given(rows=rows, least=st.integers(1, 8))
def test_clusters_hold_enough(rows: list[Any], least: int) -> None:
    codes, sizes = table([row[:2] for row in rows], [row[2] for row in rows])
    part, parts = clusters(space(2, 10), codes, sizes, least, 0)
    if sizes.sum() >= least:
        assert sorted(set(part.tolist())) == list(range(parts))
        assert min(np.bincount(part, weights=sizes)) >= least


def test_doubled_sizes_change_nothing_but_counts() -> None:
    rng = np.random.Generator(np.random.Philox(key=7))
    codes = np.unique(rng.integers(0, 10, (200, 3)), axis=0).astype(np.int32)
    sizes = rng.integers(1, 5, len(codes))
    once, twice = (partition(space(3, 10), codes, sizes * n, None, 6 * n)[1] for n in (1, 2))
    assert once.tolist() == twice.tolist()
