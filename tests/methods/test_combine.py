"""A sum or mean in place of its parts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.small import codes, done, small
from schleier.core.errors import SchleierError
from schleier.core.schema import Column, Schema
from schleier.methods.combine import Combine

WHOLE = st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(0, 10**6)), min_size=1, max_size=20)


@given(rows=WHOLE)
def test_the_sum_of_whole_numbers_is_whole_and_exact(rows: list[tuple[int, int]]) -> None:
    data = small({"a": [a for a, _ in rows], "b": [b for _, b in rows]}, a="discrete", b="discrete")
    assert done(Combine(columns=["a", "b"], into="c"), data) == {"c": [a + b for a, b in rows]}


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"how": "mean"}, [2.0, None, 0.0]),
        ({"weights": [1, -1]}, [-2, None, -6]),
        ({"weights": [0.5, 2]}, [6.5, None, 4.5]),
    ],
)
def test_other_combinations(parameters: dict[str, Any], wanted: list[float | None]) -> None:
    data = small({"a": [1, 1, -3], "b": [3, None, 3]}, a="discrete", b="discrete")
    assert done(Combine(columns=["a", "b"], into="c", **parameters), data)["c"] == wanted


def test_it_stands_where_the_first_stood_and_takes_the_strictest_role() -> None:
    schema = Schema(
        columns=[
            Column(name="x", scale="nominal"),
            Column(name="home", scale="continuous", decimals=2, role="sensitive"),
            Column(name="y", scale="nominal"),
            Column(name="abroad", scale="continuous", decimals=1, role="quasi"),
        ]
    )
    after = Combine(columns=["home", "abroad"], into="home").after(schema)
    assert after.names == ("x", "home", "y")
    assert (after["home"].role, after["home"].decimals, after["home"].scale) == ("quasi", 2, "continuous")
    assert Combine(columns=["home", "abroad"], into="home", how="mean").after(schema)["home"].decimals is None


def test_contradictions_are_refused() -> None:
    for parameters in (
        {"columns": ["a"]},
        {"columns": ["a", "a"]},
        {"columns": ["a", "b"], "weights": [1]},
        {"columns": ["a", "b"], "weights": [0, 1]},
        {"columns": ["a", "b"], "into": "_x_"},
    ):
        with pytest.raises(SchleierError):
            Combine(**({"into": "c"} | parameters))
    schema = small({"a": [1], "b": ["x"], "c": [1.0], "w": [1.0]}, b="nominal", w=("continuous", "weight")).schema
    assert codes(Combine(columns=["a", "b"], into="d"), schema) == ["not-numeric"]
    assert codes(Combine(columns=["a", "w"], into="d"), schema) == ["not-numeric"]
    assert codes(Combine(columns=["a", "c"], into="B"), schema) == ["name-taken"]
    assert codes(Combine(columns=["a", "c"], into="c"), schema) == []
