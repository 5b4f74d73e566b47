"""What every component must honour: declared once, documented, round-trips."""

from __future__ import annotations

import inspect
import json
import tomllib
from typing import Any

import pytest
from pydantic import ValidationError

from schleier.core import registry
from schleier.core.names import camel
from schleier.core.record import fields_of
from schleier.flow.recipe.entries import component as from_entry
from schleier.flow.recipe.writing import entry, toml
from schleier.testing import example_schema

from .conftest import made


def test_is_named_by_its_file(component: tuple[Any, str]) -> None:
    kind, name = component
    declared = registry.get(kind, name)
    assert declared.__name__ == camel(name)
    assert declared.word() == name


def test_is_documented(component: tuple[Any, str]) -> None:
    kind, name = component
    declared = registry.get(kind, name)
    text = inspect.getdoc(declared) or ""
    assert text.split("\n")[0].endswith("."), "the docstring opens with a sentence"
    assert ">>>" in text, "the docstring has a runnable example"
    assert declared.reference, "it says where the literature describes it"
    undocumented = [field for field, info in fields_of(declared).items() if not info.description]
    assert not undocumented


def test_example_fits_the_example_table(component: tuple[Any, str]) -> None:
    assert list(made(*component).problems(example_schema())) == []


def test_parameters_round_trip(component: tuple[Any, str]) -> None:
    kind, _ = component
    one = made(*component)
    assert from_entry(kind, tomllib.loads(toml(entry(kind, one))), "") == one
    assert from_entry(kind, json.loads(json.dumps(entry(kind, one))), "") == one
    assert type(one).model_validate_json(one.model_dump_json()) == one


def test_refuses_unknown_parameters(component: tuple[Any, str]) -> None:
    kind, name = component
    declared = registry.get(kind, name)
    with pytest.raises(ValidationError):
        declared(**declared.example, surely_no_parameter=1)


def test_cannot_be_changed(component: tuple[Any, str]) -> None:
    with pytest.raises(ValidationError):
        made(*component).name = "other"


def test_names_unknown_columns(component: tuple[Any, str]) -> None:
    one = made(*component)
    schema = example_schema()
    if not one.uses(schema):
        pytest.skip("uses no named column")
    without = schema.without(one.uses(schema))
    if one.uses(without) == one.uses(schema):
        assert "unknown-column" in {problem.code for problem in one.problems(without)}
