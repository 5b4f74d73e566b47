"""Every record at least three times."""

from __future__ import annotations

from collections import Counter
from statistics import median_low

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.small import done, small
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.methods.triple_records import TripleRecords

ROW = st.tuples(st.one_of(st.none(), st.integers(0, 20)), st.sampled_from([None, "p", "q", "r"]), st.sampled_from("st"))


@settings(max_examples=25)
@given(
    rows=st.lists(ROW, min_size=3, max_size=30),
    k=st.integers(3, 5),
    represent=st.sampled_from(["record", "artificial"]),
)
def test_every_record_occurs_k_times(rows: list[tuple[int | None, str | None, str]], k: int, represent: str) -> None:
    data = small(
        {"x": [r[0] for r in rows], "y": [r[1] for r in rows], "s": [r[2] for r in rows]},
        x="discrete",
        y="nominal",
        s="nominal",
    )
    step = TripleRecords(columns=["x", "y"], strata=["s"], k=k, represent=represent)
    if min(Counter(r[2] for r in rows).values()) < k:
        with pytest.raises(InfeasibleError, match=f"fewer than {k}"):
            done(step, data)
        return
    found = done(step, data)
    after = list(zip(found["x"], found["y"], found["s"], strict=True))
    assert min(Counter(after).values()) >= k
    assert [r[2] for r in after] == [r[2] for r in rows]
    if represent == "record":
        assert set(after) <= set(rows), "the one who stands for a group is one of it"


def test_the_artificial_record_has_medians_and_most_frequent_values() -> None:
    x, y = [1, 2, 3, 10, 20, 30, 40], ["a", "b", "b", "c", "d", "d", "c"]
    found = done(TripleRecords(represent="artificial"), small({"x": x, "y": y}, x="discrete", y="nominal"))
    assert found["x"] == [median_low(x[:3])] * 3 + [median_low(x[3:])] * 4
    assert found["y"] == ["b"] * 3 + ["c"] * 4  # as often as d: the first in order


def test_the_middle_record_stands_for_its_group() -> None:
    found = done(TripleRecords(), small({"x": [5.0, 1.0, 3.0], "y": ["e", "a", "c"]}, y="nominal"))
    assert found == {"x": [3.0] * 3, "y": ["c"] * 3}


def test_units_and_weights_are_left_alone() -> None:
    table = {"u": ["a", "b", "c"], "w": [1.0, 2.0, 3.0], "x": [1.0, 2.0, 3.0]}
    found = done(TripleRecords(), small(table, u=("nominal", "unit"), w=("continuous", "weight")))
    assert found == table | {"x": [2.0] * 3}
    for parameters in ({"k": 2}, {"columns": ["a", "a"]}, {"columns": ["a"], "strata": ["a"]}):
        with pytest.raises(SchleierError):
            TripleRecords(**parameters)
