"""Large units become several, and their totals stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.small import codes, done, small
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.kernels.change.parts import divided
from schleier.methods.split_units import SplitUnits

TABLE = {
    "u": ["a", "b", "c", "d"],
    "land": ["n", "n", "n", "n"],
    "x": [1, 2, 3, 1001],
    "y": [1.5, None, 0.0, -77.25],
    "kind": ["p", "p", "q", "q"],
}
DATA = small(TABLE, u=("nominal", "unit"), land="nominal", x="discrete", kind="nominal")


def step(**more: Any) -> SplitUnits:
    given_ = {"columns": ["x", "y"], "where": [{"column": "x", "above": 100}], "keys": ["land"]}
    return SplitUnits(**(given_ | more))


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_the_parts_add_up(parts: int) -> None:
    found = done(step(parts=parts), DATA)
    of = [i for i, x in enumerate(found["x"]) if x > 3]
    assert len(of) == parts and len({found["u"][i] for i in of}) == parts
    assert sum(found["x"][i] for i in of) == 1001
    assert sum(found["y"][i] for i in of) == pytest.approx(-77.25, rel=1e-15)
    assert all(found["y"][i] < 0 for i in of)
    assert {found["kind"][i] for i in of} == {"q"}
    assert max(found["x"][i] for i in of) <= 3 * min(found["x"][i] for i in of) + parts
    assert found["x"][:3] == [1, 2, 3]


@pytest.mark.parametrize("units", [["a", "b", "c", "d"], [1, 2, 3, 59]])
def test_units_do_not_tell_parts(units: list[Any]) -> None:
    """Numbers that continue and names with an end would lead from a part to the others."""
    data = small(TABLE | {"u": units}, u=("nominal", "unit"), land="nominal", x="discrete", kind="nominal")
    found = done(step(parts=3), data)
    assert sorted(map(int, found["u"])) == [1, 2, 3, 4, 5, 6]
    assert [int(u) for u, x in zip(found["u"], found["x"], strict=True) if x > 3] != [4, 5, 6]
    names = small(TABLE, u=("nominal", "identifier"), land="nominal", x="discrete", kind="nominal")
    assert "u" not in done(step(where=[{"column": "u", "is_in": ["d"]}]), names), (
        "a part has no name, so nobody has one"
    )


def test_a_unit_that_could_be_gathered_is_refused() -> None:
    with pytest.raises(InfeasibleError, match="1 records to divide share their keys with fewer than 2") as error:
        done(step(keys=["kind"]), DATA)
    assert error.value.problems[0].code == "unique-combination"


def test_nobody_to_divide() -> None:
    assert done(step(where=[{"column": "x", "above": 10**6}]), DATA)["x"] == TABLE["x"]


@settings(max_examples=50)
@given(
    amounts=st.lists(st.integers(-(2**50), 2**50), min_size=1, max_size=5),
    parts=st.integers(2, 6),
    seed=st.integers(0, 9),
)
def test_whole_parts_add_up_exactly(amounts: list[int], parts: int, seed: int) -> None:
    old = np.array(amounts, dtype=np.float64)
    found = divided(old, np.random.default_rng(seed).random((len(old), parts)))
    assert (found.astype(np.int64).sum(axis=1) == np.array(amounts)).all()
    assert (found == np.floor(found)).all()
    assert (np.sign(found) * np.sign(old)[:, None] >= 0).all()


def test_contradictions_are_refused() -> None:
    for more in ({"parts": 1}, {"min_others": 1}, {"keys": ["x"]}, {"where": []}):
        with pytest.raises(SchleierError):
            step(**more)
    assert codes(step(columns=["kind"]), DATA.schema) == ["not-numeric"]
    assert codes(step(where=[{"column": "kind", "above": 1}]), DATA.schema) == ["bad-comparison"]
    assert "where" not in step().parameters(public=True)
