"""Thinly filled fields are emptied."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.small import codes, done, small
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.run import Run
from schleier.kernels.change.sparse import donors
from schleier.methods.replace_sparse import ReplaceSparse

VALUES = st.lists(st.one_of(st.none(), st.integers(0, 6)), min_size=1, max_size=40)


@settings(max_examples=25)
@given(values=VALUES, how=st.sampled_from(["bootstrap", "jackknife"]))
def test_common_values_stay_and_rare_ones_go(values: list[int | None], how: str) -> None:
    data, step = small({"x": values}, x="discrete"), ReplaceSparse(column="x", min_count=3, how=how)
    count = Counter(value for value in values if value is not None)
    common = {value for value, n in count.items() if n >= 3}
    if count and not common:
        with pytest.raises(InfeasibleError, match="no field"):
            done(step, data)
        return
    found = done(step, data)["x"]
    for old, new in zip(values, found, strict=True):
        if old is None or old in common:
            assert new == old
        else:
            assert new in common if how == "bootstrap" else min(common) <= new <= max(common)


@pytest.mark.parametrize(("how", "low", "high"), [("bootstrap", 14.0, 16.0), ("jackknife", 15.0, 15.0)])
def test_a_lonely_value_gets_one_of_its_neighbours(how: str, low: float, high: float) -> None:
    values = [1.0, 2.0, 3.0, 14.0, 15.0, 16.0, 990.0, None]
    run, step = Run(), ReplaceSparse(column="x", min_count=3, width=10, donors=3, how=how)
    found = step.apply(small({"x": values}), run).to_arrow()["x"].to_pylist()
    assert found[:6] == values[:6] and found[7] is None
    assert low <= found[6] <= high
    assert run.notes[0].facts["replaced"] == 1


def test_strata_and_words() -> None:
    table = {"s": ["a"] * 4 + ["b"] * 4, "x": ["p", "p", "p", "q", "q", "q", "q", "p"]}
    found = done(ReplaceSparse(column="x", min_count=3, strata=["s"]), small(table, s="nominal", x="nominal"))
    assert found["x"] == ["p"] * 4 + ["q"] * 4


@given(held=st.lists(st.integers(0, 50), min_size=3, max_size=20), at=st.integers(-5, 55), most=st.integers(1, 25))
def test_donors_are_the_nearest(held: list[int], at: int, most: int) -> None:
    column = np.array([*held, at], dtype=np.float64)
    gaps = np.arange(len(column)) == len(held)
    found = donors(column, gaps, ~gaps, most)[0]
    wanted = sorted(abs(value - at) for value in held)[:most]
    assert sorted(abs(column[found] - at).tolist()) == wanted


def test_contradictions_are_refused() -> None:
    bad: list[dict[str, Any]] = [{"min_count": 2}, {"min_count": 3, "strata": ["x"]}, {"min_count": 3, "width": 0}]
    for parameters in bad:
        with pytest.raises(SchleierError):
            ReplaceSparse(column="x", **parameters)
    schema = small({"x": ["a"]}, x="nominal").schema
    assert codes(ReplaceSparse(column="x", min_count=3, width=1), schema) == ["not-numeric"]
    assert codes(ReplaceSparse(column="x", min_count=3, how="jackknife"), schema) == ["not-numeric"]


@pytest.mark.filterwarnings("error")
def test_a_stratum_without_values_has_no_mean_and_no_warning() -> None:
    table: dict[str, Any] = {"s": ["a"] * 4 + ["b"] * 2, "x": [1.0, 1.0, 1.0, 9.0, None, None]}
    step = ReplaceSparse(column="x", min_count=3, how="jackknife", strata=["s"])
    assert done(step, small(table, s="nominal"))["x"] == [1.0, 1.0, 1.0, 1.0, None, None]
