"""Households leave no trace."""

from __future__ import annotations

from methods.small import codes, small
from schleier.core.run import Run
from schleier.methods.drop_context import DropContext

TABLE = {
    "home": ["a", "a", "b", "b", None],
    "size": [2, 2, 2, 2, 1],
    "rent": [500.0, 500.0, 700.0, 700.0, 300.0],
    "age": [30, 31, 40, 40, 5],
}
DATA = small(TABLE, home=("nominal", "unit"), size="discrete", age="discrete")


def test_what_still_tells_units_is_named() -> None:
    run = Run()
    after = DropContext().apply(DATA, run)
    assert after.schema.names == ("size", "rent", "age")
    assert run.notes[0].facts["columns"] == ["size", "rent"]


def test_named_columns_go_too() -> None:
    run = Run()
    after = DropContext(columns=["size", "rent"]).apply(DATA, run)
    assert after.to_arrow().to_pydict() == {"age": TABLE["age"]}
    assert not run.notes


def test_a_constant_column_tells_nothing() -> None:
    step = DropContext().fit(small({"u": ["a", "a", "b"], "x": [1.0, 1.0, 1.0]}, u=("nominal", "unit")), Run())
    assert step.left == ()
    assert step.again().left is None


def test_without_units_it_is_a_problem() -> None:
    assert codes(DropContext(), DATA.schema.without(["home"])) == ["units-unknown"]
