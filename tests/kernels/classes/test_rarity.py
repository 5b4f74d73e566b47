"""Records in rare classes at some levels, against counting them one by one."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from schleier.kernels.classes.rarity import Rarity

COARSE = np.array([0, 0, 1, 1, 2, -1]), np.array([0, 0, 0, 1, -1]), np.zeros(4, dtype=np.int64)
"""The next level of three columns with five, four and three values; behind them what is missing."""


def slow(rows: list[tuple[int, ...]], sizes: Any, k: int, pairs: Any = None) -> tuple[int, int]:
    """Classes, and records in those of fewer than k records (units)."""
    records, units = defaultdict[Any, int](int), defaultdict[Any, set[int]](set)
    for row, size in zip(rows, sizes, strict=True):
        records[row] += int(size)
    for place, unit in pairs or ():
        units[rows[place]].add(unit)
    rare = [n for row, n in records.items() if (n if pairs is None else len(units[row])) < k]
    return len(records), sum(rare)


@pytest.mark.parametrize("few", [0, 20_000], ids=["compiled", "sorted"])
@pytest.mark.parametrize("bits", [63, 3], ids=["side by side", "random bits"])
@pytest.mark.parametrize("by_unit", [False, True])
def test_every_level_is_counted_as_by_hand(bits: int, by_unit: bool, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.kernels.classes.rarity.FEW", few)
    monkeypatch.setattr("schleier.kernels.classes.coarser.BITS", bits)
    values = [5, 4, 3]
    rng = np.random.default_rng(7)
    codes = np.unique(np.stack([rng.integers(-1, n, 80) for n in (5, 4, 3)], axis=1), axis=0).astype(np.int32)
    many = rng.integers(0, 3, len(codes))
    sizes = np.maximum(many, rng.integers(1, 4, len(codes)))  # rows without a unit among them
    held = np.repeat(np.arange(len(codes)), many)
    units = rng.integers(0, 9, len(held))
    pairs = sorted({*zip(held.tolist(), units.tolist(), strict=True)}) if by_unit else None
    both = (np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])) if pairs else (None, None)
    table = Rarity.of(codes, sizes, values, *both)
    numbers, rows = table.rows, [tuple(row) for row in codes.tolist()]
    for j in (1, 0, 2):
        fine = np.append(np.arange(values[j]), -1)
        numbers = table.moved(numbers, j, fine, COARSE[j])
        rows = [(*row[:j], int(COARSE[j][row[j]]), *row[j + 1 :]) for row in rows]
        merged, again = table.merged(numbers)
        for k in (1, 2, 3, 5, 100):
            assert table.rare(numbers, k) == slow(rows, sizes, k, pairs)
            assert merged.rare(again, k) == slow(rows, sizes, k, pairs)
        assert len(again) == len(set(rows))


@pytest.mark.parametrize("by_unit", [False, True])
def test_of_very_many_rows_a_part_of_the_classes_tells_of_all(by_unit: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    rows = 40_000
    codes = np.stack([rng.integers(0, 90, rows), rng.integers(0, 80, rows), rng.integers(0, 3, rows)], axis=1)
    held = (np.arange(rows), rng.integers(0, rows, rows)) if by_unit else (None, None)
    table = Rarity.of(codes.astype(np.int32), np.ones(rows, dtype=np.int64), [90, 80, 3], *held)
    classes, below = table.rare(table.rows, 3)
    monkeypatch.setattr("schleier.kernels.classes.rarity.ENOUGH", rows // 8)
    part, estimated = table.rare(table.rows, 3)
    # Of eight classes one is drawn: a class of n records adds 7 n^2 to the variance, and rare ones have at most two.
    assert 0 < abs(estimated - below) < 4 * (7 * 2 * below) ** 0.5
    assert abs(part - classes) < 4 * (7 * classes) ** 0.5
