"""Columns by which two files can be compared, and those whose codes never meet."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.overlap import unlike
from schleier.core.schema import Column, Schema

CASES: dict[str, tuple[list[Any], list[Any], bool]] = {
    "equal": (["a", "b"], ["b", "c"], False),
    "other codes": (["1", "2"], ["f", "m"], True),
    "interval": (["20-29", "30-39"], [25, 31], False),
    "other interval": (["20-29", "30-39"], [1925, 1931], True),
    "root": (["*"], ["a"], False),
    "list": (["{a, b}"], ["b"], False),
    "gaps only": ([None, None], ["a"], False),
    "noise": ([10.5, 20.5], [11, 21], False),
    "other range": ([10, 20], [1910, 1920], True),
    "nothing known": ([10, 20], [None, None], False),
}


@pytest.mark.parametrize("case", CASES)
def test_codes_that_never_meet(case: str) -> None:
    here, there, apart = CASES[case]
    schema = Schema(columns=[Column(name="x", role="quasi", scale="nominal")])
    kind = pa.int64() if case == "nothing known" else None
    released, known = (
        Dataset.from_frame(pa.table({"x": pa.array(v, kind or (pa.string() if v[0] is None else None))}), schema)
        for v in (here, there)
    )
    assert list(unlike(released, known, ["x"])) == (["x"] if apart else [])
