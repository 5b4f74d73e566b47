"""Replacement by means: totals, rounding, too few, dominance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.kernels.inference.dominance import dominated
from schleier.methods.replace_extremes import ReplaceExtremes
from schleier.testing import example_schema


def data(values: list[Any], scale: Any = "continuous", units: list[Any] | None = None, decimals: Any = None) -> Dataset:
    columns = [Column(name="x", role="sensitive", scale=scale, decimals=decimals)]
    table = {"x": values}
    if units is not None:
        columns.append(Column(name="owner", role="unit", scale="nominal"))
        table["owner"] = units
    return Dataset.from_frame(pa.table(table), Schema(columns=columns))


def replaced(of: Dataset, **parameters: Any) -> tuple[list[Any], Run]:
    run = Run()
    after = ReplaceExtremes(column="x", **parameters).apply(of, run)
    return after.to_arrow()["x"].to_pylist(), run


def refusal(of: Dataset, **parameters: Any) -> list[tuple[str, str]]:
    with pytest.raises(InfeasibleError) as error:
        replaced(of, **parameters)
    return [(problem.code, problem.where) for problem in error.value.problems]


def test_both_tails() -> None:
    values = [-30.0, -20.0, -10.0, 5.0, None, 50.0, 70.0, 90.0]
    after, run = replaced(data(values), upper=20, lower=0)
    assert after == [-20.0, -20.0, -20.0, 5.0, None, 70.0, 70.0, 70.0]
    assert run.notes[-1].visibility == "public"
    sides = run.notes[-1].facts["replaced"]
    assert sides == {"upper": {"units": 3, "mean": 70.0}, "lower": {"units": 3, "mean": -20.0}}


def test_whole_numbers_say_what_rounding_does_to_the_total() -> None:
    after, run = replaced(data([1, 50, 70, 91], "discrete"), upper=20)
    assert after == [1, 70, 70, 70]
    assert run.notes[0].facts["total_changed_by_rounding"] == 3 * 70 - 211


def test_declared_decimals_say_what_rounding_does_to_the_total() -> None:
    after, run = replaced(data([1.0, 50.0, 70.0, 90.01], decimals=2), upper=20)
    assert after == [1.0, 70.0, 70.0, 70.0]
    assert run.notes[0].facts["total_changed_by_rounding"] == -0.01


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.integers(0, 1000))
def test_totals_and_order_are_kept(values: list[float], upper: int) -> None:
    try:
        after, _ = replaced(data(values), upper=upper)
    except InfeasibleError:
        return
    assert math.fsum(after) == pytest.approx(math.fsum(values), rel=1e-12)
    order = np.argsort(values, kind="stable")
    assert (np.diff(np.array(after)[order]) >= 0).all()


def test_too_few() -> None:
    assert refusal(data([1.0, 2.0, 80.0, 90.0]), upper=20) == [("too-few-affected", "upper")]
    both = refusal(data([-1.0, 5.0, 80.0, 90.0]), upper=20, lower=0)
    assert both == [("too-few-affected", "upper"), ("too-few-affected", "lower")]
    assert refusal(data([50.0, 60.0, 70.0, 80.0]), upper=20, min_affected=5) == [("too-few-affected", "upper")]


def test_nobody_affected_is_fine_and_a_replay_cuts_at_the_limit() -> None:
    run = Run()
    fitted = ReplaceExtremes(column="x", upper=100).fit(data([1.0, 2.0]), run)
    assert (fitted.affected_upper, fitted.mean_upper) == (0, None)
    assert fitted.apply(data([1.0, 500.0]), run).to_arrow()["x"].to_pylist() == [1.0, 100.0]


def test_a_fitted_step_is_not_fitted_again() -> None:
    fitted = ReplaceExtremes(column="x", upper=20).fit(data([50.0, 70.0, 90.0]), Run())
    assert fitted.fit(data([21.0]), Run()) == fitted
    assert fitted.apply(data([3.0, 21.0]), Run()).to_arrow()["x"].to_pylist() == [3.0, 70.0]


def test_units_are_counted_and_added_up() -> None:
    values = [50.0, 60.0, 70.0, 80.0]
    assert refusal(data(values, units=["a", "a", "b", "b"]), upper=20) == [("too-few-affected", "upper")]
    assert refusal(data(values, units=["a", "b", None, None]), upper=20, min_affected=4) == [
        ("too-few-affected", "upper")
    ]
    after, run = replaced(data(values, units=["a", "b", "c", "c"]), upper=20)
    assert after == [65.0] * 4
    assert run.notes[-1].facts["replaced"]["upper"]["units"] == 3
    # alone no value dominates, but the four of one owner do
    many = [30.0, 120.0, 300.0, 300.0, 300.0, 300.0]
    replaced(data(many), upper=20)
    assert refusal(data(many, units=["a", "b", "c", "c", "c", "c"]), upper=20) == [("dominance", "upper")]


def test_one_that_dominates() -> None:
    assert refusal(data([21.0, 22.0, 1e6]), upper=20) == [("dominance", "upper")]
    # the second largest knows 3 * mean and his own: the third hides too little of the largest
    assert refusal(data([25.0, 900.0, 1000.0]), upper=20) == [("dominance", "upper")]
    assert refusal(data([-25.0, -900.0, -1000.0]), lower=-20) == [("dominance", "lower")]
    assert refusal(data([30.0, 50.0, float("inf")]), upper=20) == [("dominance", "upper")]


def test_the_edge_of_dominance() -> None:
    # distances from the limit: 10, 90, 100; the rest is exactly a tenth of the largest
    replaced(data([110.0, 190.0, 200.0]), upper=100)
    assert refusal(data([109.9, 190.0, 200.0]), upper=100) == [("dominance", "upper")]
    assert refusal(data([110.0, 190.0, 200.0]), upper=100, dominance=11) == [("dominance", "upper")]


@given(st.lists(st.floats(0, 1e9), min_size=3, max_size=12), st.floats(10, 100))
def test_distances_from_a_limit_are_stricter_than_the_values(amounts: list[float], percent: float) -> None:
    """The textbook rule takes the values themselves; ours must never let more through."""
    values = np.array(amounts)
    limit = float(values.min()) / 2
    if dominated(values, percent):
        assert dominated(values - limit, percent * (1 + 1e-9))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"upper": 1, "lower": 2},
        {"upper": 1, "min_affected": 2},
        {"upper": 1, "dominance": 5},
        {"upper": 1, "dominance": 101},
    ],
)
def test_bad_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(SchleierError):
        ReplaceExtremes(column="x", **parameters)


@pytest.mark.parametrize(("column", "code"), [("sex", "not-numeric"), ("incom", "unknown-column")])
def test_problems(column: str, code: str) -> None:
    step = ReplaceExtremes(column=column, upper=1)
    assert [problem.code for problem in step.problems(example_schema())] == [code]


def test_as_many_as_wanted_at_either_end() -> None:
    """A-14: the five lowest and the five highest values become their mean; their equals go with them."""
    values = [1, 2, 3, 4, 5, 20, 21, 22, 22, 30, 90, 100, 110, 120, 130]
    schema = Schema(columns=[Column(name="t", role="sensitive", scale="discrete")])
    data = Dataset.from_frame(pa.table({"t": values}), schema)
    step, run = ReplaceExtremes(column="t", extremes=5), Run(key=bytes(32))
    assert step.apply(data, run).to_arrow()["t"].to_pylist() == [3] * 5 + values[5:10] + [110] * 5
    assert "found_limits" not in step.fit(data, run).parameters(public=True)
    ties = Dataset.from_frame(pa.table({"t": [1, 1, 1, 1, 7, 8, 9, 9, 9, 9]}), schema)
    found = ReplaceExtremes(column="t", extremes=3).apply(ties, run).to_arrow()["t"].to_pylist()
    assert found == [1] * 4 + [7, 8] + [9] * 4
    flat = Dataset.from_frame(pa.table({"t": [1, 2, 3]}), schema)
    with pytest.raises(InfeasibleError) as error:
        ReplaceExtremes(column="t", extremes=3).apply(flat, run)
    assert error.value.problems[0].code == "too-few-affected"
    with pytest.raises(SchleierError):
        ReplaceExtremes(column="t", extremes=3, upper=9)
