"""Top coding caps tails, and refuses tails too small to hide in."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from pydantic import ValidationError

from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError
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


def test_both_tails() -> None:
    assert capped(data([1.0, 2.0, 3.0, 5.0, 7.0, 8.0, 9.0, None]), upper=6, lower=4) == [4, 4, 4, 5, 6, 6, 6, None]


def test_whole_numbers_stay_whole() -> None:
    assert capped(data([1, 50, 60, 70], "discrete"), upper=20) == [1, 20, 20, 20]


def test_few_units_are_refused_and_none_is_fine() -> None:
    with pytest.raises(InfeasibleError, match="only 2 units"):
        capped(data([1.0, 2.0, 50.0, 60.0]), upper=20)
    assert capped(data([1.0, 2.0]), upper=20) == [1.0, 2.0]


def test_units_count_not_rows() -> None:
    with pytest.raises(InfeasibleError, match="only 2 units"):
        capped(data([50.0, 60.0, 70.0, 1.0], owners=["a", "a", "b", "c"]), upper=20)
    assert capped(data([50.0, 60.0, 70.0, 1.0], owners=["a", "d", "b", "c"]), upper=20) == [20, 20, 20, 1]


def test_the_report_tells_how_many() -> None:
    run = Run()
    TopCode(column="x", upper=20).apply(data([1.0, 50.0, 60.0, 70.0]), run)
    assert run.notes[0].facts == {"column": "x", "capped": {"above": 3}}


def test_contradictions_are_refused() -> None:
    for parameters in ({}, {"upper": 1, "lower": 2}, {"upper": 1, "min_affected": 2}):
        with pytest.raises(ValidationError):
            TopCode(column="x", **parameters)
    text = Schema(columns=[Column(name="x", scale="nominal")])
    assert [p.code for p in TopCode(column="x", upper=1).problems(text)] == ["not-numeric"]
    whole = Schema(columns=[Column(name="x", scale="discrete")])
    assert [p.code for p in TopCode(column="x", upper=1.5).problems(whole)] == ["not-whole"]
