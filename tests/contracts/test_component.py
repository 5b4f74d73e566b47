"""What every component must honour: declared once, documented, round-trips."""

from __future__ import annotations

import inspect
import json
import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schleier.core import registry
from schleier.core.errors import SchleierError
from schleier.core.names import camel
from schleier.core.record import fields_of
from schleier.flow.recipe.entries import component as from_entry
from schleier.flow.recipe.writing import entry, toml
from schleier.testing import example_schema
from tools import docs

from .conftest import IN_RECIPES, file_of, made, ours, to_do

ROOT = Path(__file__).parents[2]


def test_is_named_by_its_file(component: tuple[Any, str]) -> None:
    declared, (_, name) = registry.get(*component), component
    assert declared.__name__ == camel(name), to_do(*component, f"the class must be called {camel(name)}")
    assert declared.word() == name, to_do(*component, f"word() must be '{name}', which it is unless it is overridden")


def test_is_documented(component: tuple[Any, str]) -> None:
    declared = registry.get(*component)
    text = inspect.getdoc(declared) or ""
    assert text.split("\n")[0].endswith("."), to_do(*component, "begin the docstring of the class with a sentence")
    assert ">>>" in text, to_do(*component, "give the docstring of the class an example that runs: >>> ...")
    assert declared.reference, to_do(*component, "say where the literature describes it: reference: ClassVar[str]")
    undocumented = [field for field, info in fields_of(declared).items() if not info.description]
    assert not undocumented, to_do(*component, f"write a docstring below each parameter: {', '.join(undocumented)}")


def test_has_its_page(component: tuple[Any, str]) -> None:
    page = docs.page(registry.get(*component), *component, ROOT)
    told = page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else str(page)
    missing = "is missing: say what it does, when to use it, what remains, with an example that runs"
    assert page.is_file(), to_do(*component, missing, told)
    text = page.read_text(encoding="utf-8")
    marks = f"put {docs.OPEN} and {docs.CLOSE} where the parameters belong, and run make docs"
    assert docs.BETWEEN.search(text), to_do(*component, marks, told)
    current = docs.table(registry.get(*component)) in text
    assert current or not ours(*component), to_do(*component, "the table of parameters is old: run make docs", told)


@cache
def all_tests() -> tuple[set[str], str]:
    """Names and text of all tests but the contracts."""
    files = [file for file in (ROOT / "tests").rglob("*.py") if "contracts" not in file.parts]
    return {file.stem for file in files}, "".join(file.read_text(encoding="utf-8") for file in files)


def test_has_its_test(component: tuple[Any, str]) -> None:
    if not ours(*component):
        pytest.skip("the tests of others are theirs")
    _, name = component
    files, text = all_tests()
    found = f"test_{name}" in files or f"{camel(name)}(" in text or f'"{name}"' in text
    room = file_of(*component).parent.relative_to(registry.PACKAGE).as_posix()
    assert found, to_do(*component, "is missing: test what is particular to it", f"tests/{room}/test_{name}.py")


def test_example_fits_the_example_table(component: tuple[Any, str]) -> None:
    found = [str(problem) for problem in made(*component).problems(example_schema())]
    assert found == [], to_do(*component, "`example` must fit the table of schleier.testing")


def test_parameters_round_trip(component: tuple[Any, str]) -> None:
    kind, _ = component
    one = made(*component)
    lost = to_do(*component, "a parameter changes when it is written and read again: use types TOML and JSON know")
    assert type(one).model_validate_json(one.model_dump_json()) == one, lost
    if kind in IN_RECIPES:
        assert from_entry(kind, tomllib.loads(toml(entry(kind, one))), "") == one, lost
        assert from_entry(kind, json.loads(json.dumps(entry(kind, one))), "") == one, lost


def test_refuses_unknown_parameters(component: tuple[Any, str]) -> None:
    declared = registry.get(*component)
    try:
        declared(**declared.example, surely_no_parameter=1)
    except SchleierError:
        return
    pytest.fail(to_do(*component, "it accepts parameters it does not have: keep the model_config of Component"))


def test_refuses_numbers_that_are_none(component: tuple[Any, str]) -> None:
    """Every comparison with "nan" is false: as a limit it would let everything through."""
    declared, taken = registry.get(*component), []
    for number in (math.nan, math.inf, -math.inf):
        for name in declared.model_fields:
            for value in (number, [number], {"x": number}):
                try:
                    declared(**{**declared.example, name: value})
                except SchleierError:
                    continue
                taken.append(f"{name} = {value}")
    assert not taken, to_do(*component, f"it takes what is no number: {', '.join(taken)}; keep the model_config")


def test_cannot_be_changed(component: tuple[Any, str]) -> None:
    try:
        made(*component).name = "other"
    except SchleierError:
        return
    pytest.fail(to_do(*component, "its parameters can be changed: keep the model_config of Component"))


def test_names_unknown_columns(component: tuple[Any, str]) -> None:
    one = made(*component)
    schema = example_schema()
    if not one.uses(schema):
        pytest.skip("uses no named column")
    without = schema.without(one.uses(schema))
    if one.uses(without) == one.uses(schema):
        told = {problem.code for problem in one.problems(without)}
        hint = "problems() does not tell a column that is not there: begin it with yield from super().problems(schema)"
        assert "unknown-column" in told, to_do(*component, hint)
