"""Top coding caps tails, and refuses tails too small to hide in."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.top_code import TopCode


def data(values: list[Any], scale: str = "continuous", owners: list[str] | None = None) -> Dataset:
    columns, table = [Column(name="x", scale=scale)], {"x": values}
    if owners:
        columns.append(Column(name="owner", role="unit", scale="nominal"))
        table["owner"] = owners
    return Dataset.from_frame(pa.table(table), Schema(columns=columns))


def capped(source: Dataset, **parameters: Any) -> list[Any]:
    return TopCode(column="x", **parameters).apply(source, Run()).to_arrow().column("x").to_pylist()


def test_somebody_elses_persons_are_capped_however_few_lie_beyond() -> None:
    """Whoever repeats a release on his own file reads no number of those beyond the limit, nor is he refused."""
    schema = Schema(columns=[Column(name="income", role="sensitive", scale="discrete")])
    data = Dataset.from_frame(pa.table({"income": [100, 200, 9000]}), schema)
    step = TopCode(column="income", upper=3000)
    with pytest.raises(InfeasibleError):
        step.apply(data, Run())
    assert step.lenient().apply(data, Run()).to_arrow()["income"].to_pylist() == [100, 200, 3000]


def test_both_tails() -> None:
    assert capped(data([1.0, 2.0, 3.0, 5.0, 7.0, 8.0, 9.0, None]), upper=6, lower=4) == [4, 4, 4, 5, 6, 6, 6, None]


def test_whole_numbers_stay_whole() -> None:
    assert capped(data([1, 50, 60, 70], "discrete"), upper=20) == [1, 20, 20, 20]


def test_few_units_are_refused_and_none_is_fine() -> None:
    with pytest.raises(InfeasibleError, match=r"too few units of .x. lie beyond the upper limit: 2"):
        capped(data([1.0, 2.0, 50.0, 60.0]), upper=20)
    assert capped(data([1.0, 2.0]), upper=20) == [1.0, 2.0]


def test_units_count_not_rows() -> None:
    with pytest.raises(InfeasibleError, match=r"too few units of .x. lie beyond the upper limit: 2"):
        capped(data([50.0, 60.0, 70.0, 1.0], owners=["a", "a", "b", "c"]), upper=20)
    assert capped(data([50.0, 60.0, 70.0, 1.0], owners=["a", "d", "b", "c"]), upper=20) == [20, 20, 20, 1]


def test_the_report_tells_how_many() -> None:
    run = Run()
    TopCode(column="x", upper=20).apply(data([1.0, 50.0, 60.0, 70.0]), run)
    assert run.notes[0].facts == {"column": "x", "capped": {"above": 3}}


def test_contradictions_are_refused() -> None:
    for parameters in ({}, {"upper": 1, "lower": 2}, {"upper": 1, "min_affected": 2}):
        with pytest.raises(SchleierError):
            TopCode(column="x", **parameters)
    text = Schema(columns=[Column(name="x", scale="nominal")])
    assert [p.code for p in TopCode(column="x", upper=1).problems(text)] == ["not-numeric"]
    whole = Schema(columns=[Column(name="x", scale="discrete")])
    assert [p.code for p in TopCode(column="x", upper=1.5).problems(whole)] == ["not-whole"]


def described(source: Dataset, **parameters: Any) -> tuple[Any, Any]:
    step = TopCode(column="x", upper=20, **parameters).fit(source, Run())
    return step.mean_upper, step.median_upper


def test_mean_and_median_of_the_capped_are_published() -> None:
    values = [1.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 200.0]
    assert described(data(values)) == (pytest.approx(530 / 7), 60.0)  # the middle three: nobody's own value alone
    assert described(data(values), describe=False) == (None, None)
    assert described(data(values), min_described=8) == (None, None)
    assert described(data([1, 50, 60, 72], "discrete")) == (61, 61)


def test_the_values_beside_the_middle_must_hide_each_other() -> None:
    """With five, mean and median leave the sum of two: each of them could compute the other."""
    assert described(data([30.0, 40.0, 50.0, 60.0, 70.0])) == (50.0, None)
    assert described(data([30.0, 40.0, 50.0, 60.0, 70.0, 80.0])) == (55.0, None)


def test_nothing_is_published_where_one_dominates() -> None:
    assert described(data([30.0, 31.0, 5000.0])) == (None, None)
    assert described(data([30.0, 31.0, 32.0, 33.0], owners=["a", "b", "a", "c"])) == (31.5, 31.5)
    assert described(data([30.0, 31.0, 320.0, 330.0], owners=["a", "b", "c", "c"])) == (None, None)


def test_other_rows_are_described_anew() -> None:
    step = TopCode(column="x", upper=20).fit(data([30.0, 40.0, 50.0]), Run())
    again = step.again().fit(data([1.0, 2.0]), Run())
    assert (again.mean_upper, again.median_upper, again.affected_upper) == (None, None, 0)
