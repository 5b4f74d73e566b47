"""Errors carry everything that is wrong, and a code for machines."""

from __future__ import annotations

import pickle

import pytest

from schleier.core import errors
from schleier.core.errors import Problem, Problems, SchleierError, stop

EXIT = {
    "SchemaError": 2,
    "RecipeError": 2,
    "InfeasibleError": 3,
    "BudgetError": 3,
    "DataError": 4,
    "EngineError": 5,
    "WriteError": 6,
    "InternalError": 70,
}


def test_every_error_has_its_exit_code_and_http_status() -> None:
    found = {kind.__name__: kind for kind in SchleierError.__subclasses__()}
    assert {name: kind.exit_code for name, kind in found.items()} == EXIT
    assert all(400 <= kind.http_status <= 599 for kind in found.values())


def test_all_problems_are_said() -> None:
    found = Problems()
    found.add("a", "steps[0]", "first")
    found.extend([Problem("b", "", "second", "way out")])
    with pytest.raises(errors.DataError) as caught:
        found.raise_as(errors.DataError)
    assert str(caught.value) == "steps[0]: first\nsecond (way out)"
    assert [problem.code for problem in caught.value.problems] == ["a", "b"]


def test_no_problem_is_no_error() -> None:
    Problems().raise_as(errors.DataError)


def test_one_problem_may_be_raised_directly() -> None:
    with pytest.raises(errors.WriteError) as caught:
        stop(errors.WriteError, "full", "there", "no space")
    assert caught.value.problems == (Problem("full", "there", "no space"),)


def test_an_error_survives_the_way_back_from_a_worker() -> None:
    error = errors.DataError(Problem("a", "b", "c", "d"))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is errors.DataError
    assert again.problems == error.problems
