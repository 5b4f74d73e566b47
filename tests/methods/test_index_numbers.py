"""Developments in place of sizes."""

from __future__ import annotations

import pytest

from methods.small import codes, done, small
from schleier.core.errors import InfeasibleError, SchleierError
from schleier.core.run import Run
from schleier.methods.index_numbers import IndexNumbers


def test_periods_in_columns() -> None:
    data = small({"x1": [50.0, 0.0, None, -4.0], "x2": [60.0, 1.0, 2.0, -5.0], "y": [1.0, 2.0, 3.0, 4.0]})
    run = Run()
    after = IndexNumbers(columns=["x1", "x2"], base="x1").apply(data, run)
    assert after.to_arrow().to_pydict() == {"x2": [120.0, None, None, 125.0], "y": [1.0, 2.0, 3.0, 4.0]}
    assert after.schema["x2"].decimals == 1
    assert run.notes[0].facts["without_index"] == 2


def test_a_panel() -> None:
    table = {
        "firm": ["a", "a", "a", "b", "b", "c", None],
        "year": [2001, 2002, 2003, 2001, 2002, 2002, 2001],
        "x": [10, 11, 13, 0, 4, 9, 7],
    }
    data = small(table, firm=("nominal", "unit"), year="discrete", x="discrete")
    found = done(IndexNumbers(columns=["x"], base=2001, period="year"), data)
    assert found["x"] == [100.0, pytest.approx(110), 130.0, None, None, None, None]
    assert found["year"] == table["year"]


def test_two_bases_are_refused() -> None:
    data = small({"firm": ["a", "a"], "year": [1, 1], "x": [1.0, 2.0]}, firm=("nominal", "unit"), year="discrete")
    with pytest.raises(InfeasibleError, match="1 units have several records"):
        done(IndexNumbers(columns=["x"], base=1, period="year"), data)


def test_contradictions_are_refused() -> None:
    for parameters in (
        {"columns": ["a"], "base": "a"},
        {"columns": ["a", "b"], "base": "c"},
        {"columns": ["a", "b"], "base": 1, "period": "a"},
    ):
        with pytest.raises(SchleierError):
            IndexNumbers(**parameters)
    schema = small({"x": [1.0], "t": [1]}, t="discrete").schema
    assert codes(IndexNumbers(columns=["x"], base=1, period="t"), schema) == ["units-unknown"]
