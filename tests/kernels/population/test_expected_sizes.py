"""Expected sizes of classes, record by record."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from schleier.kernels.population import expected_sizes
from schleier.kernels.population.expected_sizes import expected


def classes(rows: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    codes, sizes = np.unique(rows, axis=0, return_counts=True)
    return codes.astype(np.int32), sizes


def slow_expected(codes: NDArray[np.int32], sizes: NDArray[np.int64]) -> tuple[list[float], list[float] | None]:
    """Record by record, as the text has it: every class looks at the records outside it. No pairs where gains tie."""
    rows = [tuple(code) for code, size in zip(codes.tolist(), sizes.tolist(), strict=True) for _ in range(size)]
    keys = range(codes.shape[1])

    def shared(cell: tuple[int, ...], *which: int) -> int:
        return sum(row != cell and all(row[j] == cell[j] for j in which) for row in rows)

    def factor(cell: tuple[int, ...], i: int, j: int) -> float:
        others = max(sum(row != cell for row in rows), 1)
        return math.log((shared(cell, i, j) + 1) / (shared(cell, i) * shared(cell, j) / others + 1))

    gains = {(i, j): sum(factor(row, i, j) for row in rows) for j, i in combinations(keys, 2)}
    ties = any(abs(a - b) < 1e-9 for a, b in combinations([*gains.values(), 0.0], 2))
    tree, joined = [], {j: {j} for j in keys}
    for (i, j), gain in sorted(gains.items(), key=lambda item: -item[1]):
        if gain > 0 and joined[i] is not joined[j]:
            tree.append((i, j))
            joined[i] |= joined[j]
            for one in joined[j]:
                joined[one] = joined[i]
    single, pairs = [], []
    for code in codes.tolist():
        cell, value = tuple(code), math.log(len(rows))
        others = max(sum(row != cell for row in rows), 1)
        for j in keys:
            value += math.log((shared(cell, j) + 0.5) / (others + 0.5 * len({row[j] for row in rows})))
        single.append(value)
        pairs.append(sum(factor(cell, i, j) for i, j in tree))
    return single, None if ties else pairs


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 20))
def test_expected_sizes_are_what_they_are_said_to_be(seed: int, keys: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = rng.integers(-1, 3, (rows, keys))
    drawn[:, -1] = np.where(rng.random(rows) < 0.6, drawn[:, 0], drawn[:, -1])  # something hangs together
    codes, sizes = classes(drawn)
    single, pairs = expected(codes, sizes)
    slow = slow_expected(codes, sizes)
    assert single == pytest.approx(slow[0], abs=1e-9)
    assert slow[1] is None or pairs == pytest.approx(slow[1], abs=1e-9)


def test_wide_pairs_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, sizes = classes(np.random.default_rng(3).integers(0, 6, (300, 3)))
    before = expected(codes, sizes)
    monkeypatch.setattr(expected_sizes, "TABLE", 4)
    assert np.array_equal(np.stack(before), np.stack(expected(codes, sizes)))


def test_many_keys_are_no_underflow() -> None:
    codes = np.stack([np.arange(40)] * 300, axis=1).astype(np.int32)
    single, _ = expected(codes, np.ones(40, dtype=np.int64))
    assert single == pytest.approx(math.log(40) + 300 * math.log(0.5 / (39 + 20)))
