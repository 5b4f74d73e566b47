"""Random rounding: to a neighbouring multiple, right on average."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.small import codes, done, small
from schleier.methods.round_randomly import RoundRandomly


@given(
    values=st.lists(st.one_of(st.none(), st.integers(-1000, 1000)), min_size=1, max_size=20), base=st.integers(1, 50)
)
def test_a_neighbouring_multiple(values: list[int | None], base: int) -> None:
    found = done(RoundRandomly(column="x", base=base), small({"x": values}, x="discrete"))["x"]
    for value, new in zip(values, found, strict=True):
        if value is None:
            assert new is None
        else:
            assert new % base == 0 and abs(new - value) < base and (value % base or new == value)


@pytest.mark.parametrize(("value", "base", "scale"), [(7, 10, "discrete"), (-0.275, 0.1, "continuous")])
def test_the_mean_is_right(value: float, base: float, scale: str) -> None:
    n = 20_000
    found = np.array(done(RoundRandomly(column="x", base=base), small({"x": [value] * n}, x=scale))["x"])
    assert len(set(found.tolist())) == 2
    share = abs(value) / base % 1
    # four standard errors of a draw between two multiples
    assert abs(found.mean() - value) < 4 * base * np.sqrt(share * (1 - share) / n)


def test_whole_numbers_need_a_whole_base() -> None:
    schema = small({"x": [1], "y": ["a"]}, x="discrete", y="nominal").schema
    assert codes(RoundRandomly(column="x", base=0.5), schema) == ["not-whole"]
    assert codes(RoundRandomly(column="y", base=1), schema) == ["not-numeric"]
