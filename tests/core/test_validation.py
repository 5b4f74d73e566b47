"""What is wrong with parameters is told in our words: everything at once, with the way out, and no value."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

import schleier as sl
from schleier.core.errors import RecipeError, SchemaError, SchleierError
from schleier.core.record import Declared
from schleier.draft.steps import Purpose
from schleier.flow.recipe.recipe import EngineSection

WORD = "Lovelace"
"""Stands for a value of a file."""


def said(make: Callable[[], object]) -> list[str]:
    with pytest.raises(SchleierError) as caught:
        make()
    assert caught.value.__cause__ is None and caught.value.__context__ is None, "pydantic's words stay behind"
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            lambda: sl.methods.TopCode(colum="x", uper=3),
            [
                "TopCode.colum: there is no such parameter (did you mean 'column'?)",
                "TopCode.uper: there is no such parameter (did you mean 'upper'?)",
            ],
        ),
        (
            lambda: sl.Column(rol="quasi"),  # type: ignore[call-arg]
            [
                "Column.name: this parameter is required",
                "Column.scale: this parameter is required",
                "Column.rol: there is no such parameter (did you mean 'role'?)",
            ],
        ),
        (
            lambda: sl.Schema(columns=[{"name": "a", "rol": "quasi", "scale": "nominl"}]),  # type: ignore[list-item]
            [
                "Schema.columns[0].scale: should be 'nominal', 'ordinal', 'discrete', 'continuous', 'time', 'place' or "
                "'text' (did you mean 'nominal'?)",
                "Schema.columns[0].rol: there is no such parameter (did you mean 'role'?)",
            ],
        ),
        (lambda: sl.Schema(columns=()), ["Schema.columns: should not be empty"]),
        (lambda: sl.criteria.KAnonymity(k=1), ["KAnonymity.k: should be at least 2"]),
        (lambda: sl.criteria.KAnonymity(k="many"), ["KAnonymity.k: should be a whole number"]),
        (
            lambda: sl.criteria.KAnonymity(5),
            ["KAnonymity: parameters are given by name (for example KAnonymity(k=...))"],
        ),
        (lambda: sl.Layout(delimiter=";;"), ["Layout.delimiter: should have at most 1 character"]),
        (
            lambda: sl.Layout(skip=-1, header=0),
            ["Layout.skip: should be at least 0", "Layout.header: should be at least 1"],
        ),
        (
            lambda: sl.methods.Coarsen(criteria=[{"criterion": "k_anonymity", "k": 1}]),
            ["Coarsen.criteria[0]: KAnonymity.k: should be at least 2"],
        ),
        (
            lambda: EngineSection(memory_limit="lots"),
            [
                "EngineSection.memory_limit: should be written in another form "
                '(Memory the engine may take, with what it needs beside its own, for example "1.5GB".)'
            ],
        ),
        (lambda: Purpose(language="fr"), ["Purpose.language: should be 'en' or 'de'"]),  # type: ignore[arg-type]
    ],
)
def test_everything_is_told_at_its_place(make: Callable[[], object], expected: list[str]) -> None:
    assert said(make) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        {"labels": {WORD: 3}},
        {"labels": WORD},
        {"missing": [[WORD]]},
        {"decimals": WORD},
        {"role": WORD},
        {"judged_on": WORD},
        {"title": [WORD]},
    ],
)
def test_no_value_is_quoted(wrong: dict[str, Any]) -> None:
    text = "\n".join(said(lambda: sl.Column(name="a", scale="text", **wrong)))
    assert WORD not in text and f"Column.{next(iter(wrong))}" in text


def test_what_a_parameter_may_be_is_one_sentence() -> None:
    (text,) = said(lambda: sl.Column(name="a", scale="text", missing=[None]))  # type: ignore[arg-type]
    assert text == "Column.missing[0]: should be a number or a text"


def test_schemas_and_recipes_have_their_own_errors_and_both_are_wrong_input() -> None:
    with pytest.raises(SchemaError):
        sl.Column()  # type: ignore[call-arg]
    with pytest.raises(RecipeError) as caught:
        sl.measures.Uniqueness(surely=1)
    assert caught.value.exit_code == 2


def test_a_record_is_not_changed() -> None:
    step = sl.methods.TopCode(column="income", upper=3)
    assert said(lambda: setattr(step, "upper", 4)) == [
        "TopCode.upper: nothing of it is changed once it is made (make a new one)"
    ]
    assert step.upper == 3


def test_records_inside_others_are_not_made_one_by_one() -> None:
    """Else the first wrong one would hide the next."""

    class Pair(Declared):
        left: sl.Column
        right: sl.Column

    assert len(said(lambda: Pair(left={"name": "a"}, right={"name": "b"}))) == 2  # type: ignore[arg-type]


def test_a_trace_shows_where_it_was_called_and_not_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    def frames() -> int:
        try:
            sl.Recipe.from_toml("[schema]\ncolumns = []\n")
        except SchleierError as error:
            return len(traceback.extract_tb(error.__traceback__))
        raise AssertionError

    monkeypatch.delenv("SCHLEIER_DEBUG", raising=False)
    assert frames() == 2  # this function, and the edge
    monkeypatch.setenv("SCHLEIER_DEBUG", "1")
    assert frames() > 3


def test_only_public_names_are_listed() -> None:
    shown = dir(sl)
    assert set(shown) <= {*sl.__all__, "__version__"} and {"Recipe", "suggest", "methods"} <= set(shown)
    assert "detectors" not in shown, "nothing is in it"
    for name in shown:
        assert getattr(sl, name) is not None
    with pytest.raises(AttributeError, match="did you mean 'TopCode'"):
        _ = sl.methods.TopCod
