"""Shares in place of amounts, and never with their total."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.small import codes, done, small
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.run import Run
from schleier.methods.ratio import Ratio

AMOUNT = st.one_of(st.none(), st.integers(-100, 1000))


@given(rows=st.lists(st.tuples(AMOUNT, AMOUNT), min_size=1, max_size=20))
def test_shares_of_the_sum(rows: list[tuple[int | None, int | None]]) -> None:
    data = small({"a": [a for a, _ in rows], "b": [b for _, b in rows]}, a="discrete", b="discrete")
    found = done(Ratio(columns=["a", "b"]), data)
    for (a, b), share in zip(rows, found["a"], strict=True):
        if a is None or b is None or a + b == 0:
            assert share is None
        else:
            assert share == pytest.approx(a / (a + b))


def test_the_total_is_left_out_and_zero_has_no_shares() -> None:
    run, data = Run(), small({"all": [10.0, 0.0, 4.0], "part": [2.0, 0.0, None]})
    after = Ratio(columns=["part"], of="all").apply(data, run)
    assert after.to_arrow().to_pydict() == {"part": [0.2, None, None]}
    assert after.schema["part"].decimals == 3
    assert run.notes[0].facts["without_shares"] == 1


@pytest.mark.parametrize("of", [None, "all"])
def test_a_total_under_another_name_is_refused(of: str | None) -> None:
    table = {"a": [1.0, 2.0, 3.0], "b": [4.0, 4.0, 1.0], "all": [5.0, 6.0, 4.0], "other": [5.0, 6.0, 4.0]}
    data = small(table)
    data = data if of else data.drop("all")
    with pytest.raises(InfeasibleError, match="'other'") as error:
        done(Ratio(columns=["a", "b"], of=of), data)
    assert error.value.problems[0].code == "total-with-share"
    assert done(Ratio(columns=["a", "b"], of=of), data.drop("other"))["a"][0] == 0.2


def test_contradictions_are_refused() -> None:
    for parameters in ({"columns": ["a"]}, {"columns": ["a", "a"]}, {"columns": ["a"], "of": "a"}):
        with pytest.raises(SchleierError):
            Ratio(**parameters)
    schema = small({"a": [1.0], "b": ["x"]}, b="nominal").schema
    assert codes(Ratio(columns=["a"], of="b"), schema) == ["not-numeric"]


@pytest.mark.parametrize(("wrong", "refused"), [(1, True), (4, False)])
def test_a_column_that_is_nearly_always_the_total_is_refused(wrong: int, refused: bool) -> None:
    total = [float(i) for i in range(1, 41)]
    other = [value + 1 if i < wrong else value for i, value in enumerate(total)]
    data = small({"part": [value / 2 for value in total], "all": total, "other": other})
    if refused:
        with pytest.raises(InfeasibleError, match="'other'"):
            done(Ratio(columns=["part"], of="all"), data)
    else:
        assert done(Ratio(columns=["part"], of="all"), data)["part"] == [0.5] * 40


def test_totals_of_zero_have_no_shares_to_give_away() -> None:
    data = small({"part": [0.0] * 39 + [1.0], "all": [0.0] * 39 + [4.0], "other": [0.0] * 39 + [7.0]})
    assert done(Ratio(columns=["part"], of="all"), data)["part"][-1] == 0.25
