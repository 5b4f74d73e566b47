"""Restriction: every comparison, missing values, refusals, what is told."""

from __future__ import annotations

import datetime
import tomllib
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from schleier.core.data import Dataset
from schleier.core.errors import DataError, InfeasibleError, SchleierError
from schleier.core.registry import get
from schleier.core.run import Run
from schleier.core.schema import Column, Schema
from schleier.methods.restrict import Restrict
from schleier.testing import example_schema

D = datetime.date
TABLE = {
    "i": [0, 1, 2, 3, 4],
    "age": [10, 18, 40, 90, None],
    "income": [0.5, 1.5, 2.5, 3.5, None],
    "region": ["n", "s", "s", None, "w"],
    "born": [D(2000, 1, 1), D(1990, 6, 30), None, D(1930, 1, 1), D(1931, 1, 1)],
    "code": [1, 2, 1, None, 3],
    "alive": [True, False, True, None, True],
    "seen": [datetime.datetime(2020, 1, d, 12) for d in range(1, 6)],
}
SCALES: dict[str, Any] = {"i": "discrete", "age": "discrete", "income": "continuous", "born": "time", "seen": "time"}


def data(engine: Any = None, **roles: Any) -> Dataset:
    columns = [Column(name=n, scale=SCALES.get(n, "nominal"), role=roles.get(n, "plain")) for n in TABLE]
    return Dataset.from_frame(pa.table(TABLE), Schema(columns=columns), engine)


def kept(*where: dict[str, Any], engine: Any = None) -> list[int]:
    found: list[int] = Restrict(where=where).apply(data(engine), Run()).to_arrow()["i"].to_pylist()
    return found


CASES: list[tuple[list[dict[str, Any]], list[int]]] = [
    ([{"column": "age", "at_least": 18}], [1, 2, 3]),
    ([{"column": "age", "above": 18}], [2, 3]),
    ([{"column": "age", "at_most": 40}], [0, 1, 2]),
    ([{"column": "age", "below": 40}], [0, 1]),
    ([{"column": "age", "at_least": 17.5, "below": 90}], [1, 2]),
    ([{"column": "age", "at_least": 18, "missing": True}], [1, 2, 3, 4]),
    ([{"column": "age", "at_least": 18, "missing": False}], [1, 2, 3]),
    ([{"column": "age", "missing": True}], [4]),
    ([{"column": "age", "missing": False}], [0, 1, 2, 3]),
    ([{"column": "income", "equals": 1.5}], [1]),
    ([{"column": "region", "is_in": ["n", "s"]}], [0, 1, 2]),
    ([{"column": "region", "not_in": ["n", "s"]}], [4]),
    ([{"column": "region", "not_in": ["n", "s"], "missing": True}], [3, 4]),
    ([{"column": "region", "equals": "s"}, {"column": "age", "above": 20}], [2]),
    ([{"column": "born", "below": D(1931, 1, 1)}], [3]),
    ([{"column": "born", "at_least": "1990-06-30"}], [0, 1]),
    ([{"column": "seen", "above": "2020-01-03T11:59"}], [2, 3, 4]),
    ([{"column": "code", "equals": 1}], [0, 2]),
    ([{"column": "code", "is_in": ["2", "3"]}], [1, 4]),
    ([{"column": "alive", "equals": True}], [0, 2, 4]),
    ([{"column": "alive", "equals": "false"}], [1]),
]


@pytest.mark.parametrize(("where", "wanted"), CASES)
def test_comparisons(where: list[dict[str, Any]], wanted: list[int]) -> None:
    assert kept(*where) == wanted


@pytest.mark.spark
def test_equal_on_spark(spark: Any) -> None:
    engine = get("engine", "spark")()
    for where, wanted in CASES:
        assert kept(*where, engine=engine) == wanted
    engine.close()


def test_a_date_of_toml_survives_being_written_down() -> None:
    step = Restrict(**tomllib.loads('where = [{ column = "born", at_least = 1990-06-30 }]'))
    assert step.where[0].at_least == "1990-06-30"
    assert Restrict.model_validate_json(step.model_dump_json()) == step


def test_a_predicate_that_leaves_nothing() -> None:
    with pytest.raises(InfeasibleError) as error:
        kept({"column": "age", "above": 100})
    assert error.value.problems[0].code == "nothing-left"
    with pytest.raises(InfeasibleError):
        kept({"column": "age", "above": 20, "below": 10})


def test_no_rows_to_begin_with() -> None:
    empty = data().filter(nw.col("i") < 0)
    fitted = Restrict(where=[{"column": "age", "above": 1}]).fit(empty, Run())
    assert fitted.left_out == 0


def test_what_is_told() -> None:
    run = Run()
    where = [
        {"column": "age", "at_least": 18},
        {"column": "region", "not_in": ["n"], "missing": True},
        {"column": "alive", "is_in": [True, False]},
    ]
    step = Restrict(where=where)
    fitted = step.fit(data(age="quasi", region="quasi"), run)
    fitted.apply(data(age="quasi", region="quasi"), run)
    assert fitted.parameters(public=True) == {"left_out": 3}
    assert [note.visibility for note in run.notes] == ["public"]
    assert run.notes[0].facts == {
        "kept_where": [
            {"column": "age", "at_least": 18},
            {"column": "region", "not_in": "1 value", "missing": True},
            {"column": "alive", "is_in": [True, False]},
        ],
        "left_out": 3,
    }


def test_few_left_out_are_pointed_at() -> None:
    run = Run()
    Restrict(where=[{"column": "age", "below": 90, "missing": True}]).apply(data(), run)
    assert "caution" in run.notes[1].facts
    run = Run()
    Restrict(where=[{"column": "i", "at_least": 0}]).apply(data(), run)
    assert [note.facts["left_out"] for note in run.notes] == [0]


@pytest.mark.parametrize(
    ("condition", "codes"),
    [
        ({"column": "sex", "at_least": "f"}, ["bad-comparison"]),
        ({"column": "schooling", "above": "basic"}, ["bad-comparison"]),
        ({"column": "region", "below": 5}, ["bad-comparison"]),
        ({"column": "age", "at_least": "eighteen"}, ["bad-comparison"]),
        ({"column": "age", "equals": True}, ["bad-comparison"]),
        ({"column": "born", "below": 1950}, ["bad-comparison"]),
        ({"column": "born", "below": "last year"}, ["bad-comparison"]),
        ({"column": "born", "below": "2000-01-01T00:00+02:00"}, ["bad-comparison"]),
        ({"column": "agee", "at_least": 5}, ["unknown-column"]),
        ({"column": "sex", "at_least": "f", "below": "m"}, ["bad-comparison"] * 2),
        ({"column": "sex", "is_in": ["f", 1]}, []),
        ({"column": "born", "below": "2000-01-01"}, []),
    ],
)
def test_problems(condition: dict[str, Any], codes: list[str]) -> None:
    assert [problem.code for problem in Restrict(where=[condition]).problems(example_schema())] == codes


@pytest.mark.parametrize(
    "where",
    [
        [],
        [{"column": "age"}],
        [{"column": "age", "is_in": []}],
        [{"column": "age", "at_leest": 5}],
        [{"at_least": 5}],
    ],
)
def test_bad_parameters(where: Any) -> None:
    with pytest.raises(SchleierError):
        Restrict(where=where)


@pytest.mark.parametrize(
    "condition",
    [
        {"column": "code", "equals": "one"},
        {"column": "alive", "equals": 2},
        {"column": "born", "above": "2000-01-01T12:00"},
    ],
)
def test_values_the_column_cannot_hold(condition: dict[str, Any]) -> None:
    with pytest.raises(DataError) as error:
        kept(condition)
    assert error.value.problems[0].code == "wrong-type"
