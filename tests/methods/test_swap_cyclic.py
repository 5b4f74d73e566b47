"""Values passed on in a circle among neighbours."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.small import codes, done, small
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.kernels.change.neighbours import neighbour_groups, order, rotated
from schleier.methods.swap_cyclic import SwapCyclic

DAYS = [datetime.date(2000, 1, 1) + datetime.timedelta(i) for i in range(60)]


@settings(max_examples=25)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from("xy"), st.one_of(st.none(), st.integers(0, 5))), min_size=3
    ),
    size=st.integers(3, 7),
)
def test_the_values_of_a_stratum_stay_in_it(rows: list[tuple[int, str, int | None]], size: int) -> None:
    table = {
        "by": [r[0] for r in rows],
        "s": [r[1] for r in rows],
        "x": [r[2] for r in rows],
        "i": list(range(len(rows))),
    }
    data = small(table, by="discrete", s="nominal", x="discrete", i="discrete")
    step = SwapCyclic(columns=["x", "i"], by=["by"], size=size, strata=["s"])
    if min(table["s"].count(s) for s in set(table["s"])) < 3:
        with pytest.raises(InfeasibleError, match="fewer than 3"):
            done(step, data)
        return
    found = done(step, data)
    assert found["s"] == table["s"] and found["by"] == table["by"]
    for n, giver in enumerate(found["i"]):
        assert giver != n, "nobody keeps his own values"
        assert table["s"][giver] == table["s"][n]
        assert found["x"][n] == table["x"][giver], "what is passed on stays together"
    assert sorted(found["i"]) == table["i"]


def test_values_stay_among_neighbours_and_any_type_is_passed_on() -> None:
    data = small({"by": list(range(60)), "day": DAYS}, by="discrete", day="time")
    found = done(SwapCyclic(columns=["day"], by=["by"], size=6), data)["day"]
    groups = [found[i : i + 6] for i in range(0, 60, 6)]
    assert [sorted(group) for group in groups] == [DAYS[i : i + 6] for i in range(0, 60, 6)]
    shifts = {(found[i] - DAYS[i]).days % 6 for i in range(0, 60, 6)}
    assert len(shifts) > 1, "groups rotate by different numbers"


@given(n=st.integers(0, 40), size=st.integers(3, 8), turns=st.integers(1, 3), seed=st.integers(0, 9))
def test_the_kernel_rotates(n: int, size: int, turns: int, seed: int) -> None:
    group, draws = neighbour_groups(n, size), np.random.default_rng(seed).random(n)
    found = rotated(group, draws, turns)
    for turn in range(turns):
        assert sorted(found[:, turn].tolist()) == list(range(n))
    if n >= size > turns:
        for i in range(n):
            assert len({i, *found[i].tolist()}) == turns + 1


def test_the_order_puts_missing_last_and_breaks_ties_by_the_next_column() -> None:
    first = np.array([2.0, np.nan, 1.0, 2.0])
    second = np.array(["b", "a", "a", "a"], dtype=object)
    assert order([first, second]).tolist() == [2, 3, 0, 1]
    assert order([np.array(["2020-01-02", "NaT", "2020-01-01"], dtype="datetime64[D]")]).tolist() == [2, 0, 1]


def test_contradictions_are_refused() -> None:
    for parameters in (
        {"columns": ["a"], "by": ["a"]},
        {"columns": ["a"], "by": ["b"], "size": 2},
        {"columns": [], "by": ["b"]},
    ):
        with pytest.raises(SchleierError):
            SwapCyclic(**parameters)
    schema = small({"w": [1.0], "b": [1.0]}, w=("continuous", "weight")).schema
    assert codes(SwapCyclic(columns=["w"], by=["b"]), schema) == ["fixed-column"]
