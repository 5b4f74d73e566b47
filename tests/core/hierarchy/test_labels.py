"""Every kind of hierarchy knows its own labels, and tells values that were not coarsened from them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schleier.core.hierarchy import parse

DAYS = pa.array([date(1984, 7, 31) + timedelta(days=97 * i) for i in range(60)])
CODES = pa.array(["53117", "53121", "1", "10115"])
CASES: dict[str, tuple[dict[str, Any], pa.Array]] = {
    "whole": ({"intervals": [5, 10, 20]}, pa.array([-17, -5, 0, 3, 23, 47, 2_000_000])),
    "broken": ({"intervals": [0.1, 0.5], "origin": 0.05}, pa.array([-1.3, 0.0, 0.3, 0.7, 12.34])),
    "floating": ({"intervals": [1000, 5000]}, pa.array([-0.5, 999.99, 1000.0, 123456.7])),
    "balanced": ({"balanced": [4, 2]}, pa.array([1, 2, 3, 40, 50, 60, 70, 80])),
    "dates": ({"dates": ["month", "quarter", "half", "year", "decade"]}, DAYS),
    "weeks": ({"dates": ["week"]}, DAYS),
    "prefix": ({"prefix": [3, 1]}, CODES),
    "numbers as codes": ({"prefix": [3, 1]}, pa.array([53117, 53121, 10115])),
    "network": ({"network": [24, 18]}, pa.array(["203.0.113.7", "2001:db8::1"])),
    "rows": ({"rows": [["a", "x", "p", "*"], ["b", "y", "p", "*"]]}, pa.array(["a", "b"])),
    "tree": ({"tree": {"p": {"x": ["a", "b"], "y": ["c"]}, "q": {"z": ["d"]}}}, pa.array(["a", "b", "c", "d"])),
}


@pytest.mark.parametrize("case", CASES)
def test_labels_are_known_and_values_are_not(case: str) -> None:
    declared, values = CASES[case]
    hierarchy = parse(declared).fit(values, np.ones(len(values), dtype=np.int64))
    for level in range(1, hierarchy.depth + 1):
        labels = hierarchy.labels(values, level)
        assert hierarchy.is_label(labels, level).all(), level
        assert not hierarchy.is_label(values.cast(pa.string()), level).any(), level


@pytest.mark.parametrize("case", ["whole", "broken", "balanced", "dates", "prefix", "rows", "tree"])
def test_labels_of_a_finer_level_are_none_of_a_coarser(case: str) -> None:
    declared, values = CASES[case]
    hierarchy = parse(declared).fit(values, np.ones(len(values), dtype=np.int64))
    finer, coarser = hierarchy.labels(values, 1), hierarchy.labels(values, 2)
    differ = [i for i, (a, b) in enumerate(zip(finer.to_pylist(), coarser.to_pylist(), strict=True)) if a != b]
    assert differ and not hierarchy.is_label(finer.take(differ), 2).any()
