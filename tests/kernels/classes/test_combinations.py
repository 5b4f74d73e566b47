"""Who is alone in which columns, against counting everything again for every subset."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from schleier.kernels.classes.coding import merge
from schleier.kernels.classes.combinations import alone_without, lone_records

Rows = NDArray[np.int32]
STRIDES = {"narrow": 1, "sorted": 2**11, "wide": 2**22, "too wide for a word": 2**28}
"""How far apart the codes lie decides how rows are packed and sorted, and nothing else."""


def slowly(rows: Rows, columns: tuple[int, ...]) -> set[int]:
    """Rows whose values in some columns no other row has."""
    values = [tuple(row[list(columns)]) for row in rows]
    times = Counter(values)
    return {i for i, value in enumerate(values) if times[value] == 1}


def coded(table: list[list[int]], stride: int) -> Rows:
    """Codes from -1 (missing) upwards."""
    codes = np.array(table, dtype=np.int64)
    return np.where(codes < 0, -1, codes * stride).astype(np.int32)


tables = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(st.integers(-1, 3), min_size=width, max_size=width), min_size=1, max_size=30)
)


@pytest.mark.parametrize("stride", STRIDES.values(), ids=STRIDES)
@given(table=tables, most=st.integers(1, 6))
def test_as_counted_slowly(stride: int, table: list[list[int]], most: int) -> None:
    rows = coded(table, stride)
    classes, place = merge(rows)
    sizes = np.bincount(place)
    first = {int(p): i for i, p in reversed(list(enumerate(place)))}
    found = {columns: {first[int(c)] for c in who} for columns, who in lone_records(classes, sizes, most)}
    width = rows.shape[1]
    subsets = [c for size in range(1, min(most, width) + 1) for c in combinations(range(width), size)]
    assert found == {columns: who for columns in subsets if (who := slowly(rows, columns))}
    without = [len(slowly(rows, tuple(k for k in range(width) if k != j))) for j in range(width)]
    assert alone_without(classes, sizes) == without


@pytest.mark.parametrize("compiled", [0, 1_000_000], ids=["compiled", "arrays"])
def test_many_rows_take_every_way_of_counting(compiled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.kernels.classes.combinations.COMPILED", compiled)
    rng = np.random.Generator(np.random.Philox(key=7))
    rows = np.stack([rng.integers(-1, width, 3000) for width in (1, 2, 5, 40, 900, 100_000)], axis=1).astype(np.int32)
    classes, place = merge(rows)
    found = dict(lone_records(classes, np.bincount(place), 3))
    counts = {columns: len(slowly(rows, columns)) for size in (1, 2, 3) for columns in combinations(range(6), size)}
    assert {columns: len(who) for columns, who in found.items()} == {c: n for c, n in counts.items() if n}
    assert len(found) > 20


def test_no_rows_and_no_columns() -> None:
    none = np.zeros((0, 3), dtype=np.int32)
    assert list(lone_records(none, np.zeros(0, dtype=np.int64), 2)) == []
    assert alone_without(none, np.zeros(0, dtype=np.int64)) == [0, 0, 0]
    assert list(lone_records(np.zeros((1, 0), dtype=np.int32), np.array([1]), 2)) == []


def test_a_class_of_several_records_hides_others_but_is_never_alone() -> None:
    codes = np.array([[0, 0], [0, 1], [1, 2]], dtype=np.int32)
    found = {columns: who.tolist() for columns, who in lone_records(codes, np.array([5, 1, 2]), 2)}
    assert found == {(1,): [1], (0, 1): [1]}
