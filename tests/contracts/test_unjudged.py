"""Wherever plain columns are looked at, columns that nobody judged are: else they would escape attacks and measures."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schleier
from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.core.trust.aim import amounts
from schleier.flow.compare import compared
from schleier.testing import example_schema, example_table

from .conftest import made

PLAIN = example_schema()
UNJUDGED = PLAIN
for _name in PLAIN.having("plain"):
    UNJUDGED = UNJUDGED.changed(_name, role="undecided")
COMPONENTS = [(kind, word) for kind in ("method", "criterion", "measure", "attack") for word in registry.ours(kind)]  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "word"), COMPONENTS, ids=lambda one: one)
def test_a_component_looks_at_the_same_columns(kind: str, word: str) -> None:
    declared = registry.get(kind, word)  # type: ignore[arg-type]
    for component in _variants(declared):
        assert component.uses(UNJUDGED) == component.uses(PLAIN)
        assert [one.code for one in component.problems(UNJUDGED)] == [one.code for one in component.problems(PLAIN)]
        if kind == "method" and not any(component.problems(PLAIN)):
            assert component.changes(UNJUDGED) == component.changes(PLAIN)
            assert component.after(UNJUDGED).names == component.after(PLAIN).names


def _variants(declared: Any) -> Iterator[Any]:
    """The example, and the example without each of its parameters: then a component chooses columns by their roles."""
    for left_out in (None, *declared.example):
        given = {name: value for name, value in declared.example.items() if name != left_out}
        with contextlib.suppress(SchleierError):
            yield declared(**given)


def case(schema: Schema) -> Case:
    data = Dataset.from_frame(example_table(60), schema)
    changed = ("age", "children", "income")
    steps = [
        registry.get("method", "round_to")(column=name, base=5)
        if name != "income"
        else registry.get("method", "microaggregate")(columns=[name], k=3)
        for name in changed
    ]
    return Case(data, data, steps=tuple(steps))


@pytest.mark.parametrize("word", list(registry.ours("attack")))
def test_an_attack_aims_at_the_same_columns(word: str) -> None:
    declared = registry.get("attack", word)
    if not hasattr(declared, "fitting"):
        return
    assert list(declared.fitting(case(UNJUDGED))) == list(declared.fitting(case(PLAIN)))


def test_the_same_amounts_are_worth_learning() -> None:
    assert amounts(case(UNJUDGED)) == amounts(case(PLAIN)) == ["income", "children"]


def test_attacks_on_plain_amounts_exist_in_that_comparison() -> None:
    """Else the test above could not fail."""
    found = [one for word in registry.ours("attack") for one in registry.get("attack", word).fitting(case(PLAIN))]
    assert any("children" in str(one.parameters()) for one in found)


def test_groupings_are_compared_on_the_same_columns() -> None:
    table = example_table(60)
    found = [compared(table, schema, "microaggregate", (3,)).columns for schema in (UNJUDGED, PLAIN)]
    assert found[0] == found[1] and "children" in found[0]


def test_no_list_of_roles_names_plain_alone() -> None:
    roles = re.compile(r'"plain"[^"\n]{0,3}"(sensitive|quasi)"|"(sensitive|quasi)"[^"\n]{0,3}"plain"')
    house = Path(schleier.__file__).parent
    lines = [(file.name, line) for file in house.rglob("*.py") for line in file.read_text("utf-8").splitlines()]
    assert [one for one in lines if roles.search(one[1]) and "undecided" not in one[1]] == []


def test_a_method_tells_no_value_of_an_undecided_column(method: str) -> None:
    """It counts as protected in messages."""
    table, marker, number = example_table(), "zzz-planted-marker", 987654321
    for name, value in (("schooling", marker), ("children", number)):
        values = table.column(name).to_pylist()
        values[3] = value
        kind = table.schema.field(name).type
        table = table.set_column(table.column_names.index(name), name, pa.array(values, kind))
    run, said = Run(key=bytes(32)), ""
    try:
        made("method", method).apply(Dataset.from_frame(table, UNJUDGED), run)
    except SchleierError as error:
        said = str(error) + repr(error)
    said += json.dumps([note.facts for note in run.notes if note.visibility == "public"], default=str)
    assert marker not in said and str(number) not in said
