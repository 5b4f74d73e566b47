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
from schleier.kernels.classes.combinations import lone_records
from schleier.kernels.classes.uniqueness import information

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
    width = rows.shape[1]
    subsets = [c for size in range(1, min(most, width) + 1) for c in combinations(range(width), size)]
    slow = {columns: who for columns in subsets if (who := slowly(rows, columns))}
    found, fewest = lone_records(classes, sizes, most)
    assert found == {columns: len(who) for columns, who in slow.items()}
    for row, c in enumerate(place):
        assert fewest[c] == min((len(columns) for columns, who in slow.items() if row in who), default=most + 1)
    if stride > STRIDES["sorted"]:
        return  # the values of each column are counted, which so many are too many for
    without = [len(slowly(rows, tuple(k for k in range(width) if k != j))) for j in range(width)]
    assert information(classes, sizes).alone == without


@pytest.mark.parametrize("compiled", [0, 1_000_000], ids=["compiled", "arrays"])
def test_many_rows_take_every_way_of_counting(compiled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.kernels.classes.combinations.COMPILED", compiled)
    rng = np.random.Generator(np.random.Philox(key=7))
    rows = np.stack([rng.integers(-1, width, 3000) for width in (1, 2, 5, 40, 900, 100_000)], axis=1).astype(np.int32)
    classes, place = merge(rows)
    found, fewest = lone_records(classes, np.bincount(place), 3)
    counts = {columns: len(slowly(rows, columns)) for size in (1, 2, 3) for columns in combinations(range(6), size)}
    assert found == {c: n for c, n in counts.items() if n}
    assert len(found) > 20
    alone = {size: set().union(*(slowly(rows, c) for c in combinations(range(6), size))) for size in (1, 2, 3)}
    assert [int(fewest[c]) for c in place] == [
        next((size for size in (1, 2, 3) if row in alone[size]), 4) for row in range(len(rows))
    ]


def test_no_rows_and_no_columns() -> None:
    none = np.zeros((0, 3), dtype=np.int32)
    assert lone_records(none, np.zeros(0, dtype=np.int64), 2)[0] == {}
    assert lone_records(np.zeros((1, 0), dtype=np.int32), np.array([1]), 2)[0] == {}


def test_a_class_of_several_records_hides_others_but_is_never_alone() -> None:
    codes = np.array([[0, 0], [0, 1], [1, 2]], dtype=np.int32)
    found, fewest = lone_records(codes, np.array([5, 1, 2]), 2)
    assert (found, fewest.tolist()) == ({(1,): 1, (0, 1): 1}, [3, 1, 3])
