"""What a schema refuses, and what it says."""

from __future__ import annotations

from typing import Any

import pytest

from schleier.core.errors import SchemaError, SchleierError
from schleier.core.hierarchy import parse
from schleier.core.schema import Column, Layout, Scale, Schema

AGE = Column(name="age", role="quasi", scale="discrete", hierarchy="age")
NAME = Column(name="name", role="identifier", scale="text")
SCHEMA = Schema(columns=(NAME, AGE), row_key="id", hierarchies={"age": parse({"intervals": [5, 10]})})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": ""}, "not be empty"),
        ({"name": "_row_"}, "reserved"),
        ({"role": "secret"}, "identifier"),
        ({"scale": "number"}, "nominal"),
        ({"decimals": -1}, "at least 0"),
        ({"decimals": 10}, "at most 9"),
        ({"colour": "red"}, "no such parameter"),
    ],
)
def test_a_column_refuses_what_makes_no_sense(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(SchleierError, match=message):
        Column(**{"name": "age", "scale": "discrete", **wrong})


def test_a_column_needs_a_scale() -> None:
    with pytest.raises(SchleierError, match="scale"):
        Column(name="age")  # type: ignore[call-arg]


def test_a_column_cannot_be_changed() -> None:
    with pytest.raises(SchleierError, match="changed"):
        AGE.role = "plain"  # type: ignore[misc]


@pytest.mark.parametrize("second", ["age", "AGE"])
def test_columns_are_described_once_and_case_does_not_count(second: str) -> None:
    with pytest.raises(SchleierError, match=f"described more than once.*: {second}"):
        Schema(columns=(AGE, NAME, Column(name=second, scale="text")))


def test_the_row_key_is_no_column_and_a_table_has_columns() -> None:
    with pytest.raises(SchleierError, match="never released"):
        Schema(columns=(AGE,), row_key="age")
    with pytest.raises(SchleierError, match="not be empty"):
        Schema(columns=())


def test_marks_of_a_layout_must_differ() -> None:
    with pytest.raises(SchleierError, match="must differ"):
        Layout(decimal=",", thousands=",")
    with pytest.raises(SchleierError, match="at most 1 character"):
        Layout(delimiter=";;")


def test_protected_are_all_roles_that_tell_about_a_person() -> None:
    roles = ("identifier", "quasi", "sensitive", "weight", "unit", "plain")
    protected = [role for role in roles if Column(name="x", role=role, scale="text").protected]
    assert protected == ["identifier", "quasi", "sensitive", "unit"]


def test_columns_are_found_by_name_and_role() -> None:
    assert SCHEMA.names == ("name", "age")
    assert SCHEMA["age"] is AGE
    assert "age" in SCHEMA and "id" not in SCHEMA
    assert SCHEMA.having("identifier", "quasi") == ("name", "age")
    assert (SCHEMA.key, Schema(columns=(AGE,)).key) == ("id", "_row_")


def test_an_unknown_column_comes_with_the_nearest_name() -> None:
    with pytest.raises(SchemaError, match=r"no column 'agee'.*did you mean 'age'") as caught:
        SCHEMA["agee"]
    assert caught.value.exit_code == 2
    assert SCHEMA.unknown("zzz").hint == "there are 2 columns"


def test_a_column_without_hierarchy_says_so() -> None:
    assert SCHEMA.hierarchy("age").depth == 3
    with pytest.raises(SchemaError, match="'name' has no hierarchy"):
        SCHEMA.hierarchy("name")


def test_changing_and_leaving_out_columns_makes_a_new_schema() -> None:
    assert SCHEMA.without(["age"]).names == ("name",)
    assert SCHEMA.changed("age", role="plain")["age"].role == "plain"
    assert SCHEMA.names == ("name", "age") and SCHEMA["age"].role == "quasi"


def test_all_problems_across_columns_are_told() -> None:
    columns = (AGE.model_copy(update={"hierarchy": "ages"}), NAME)
    broken = Schema(columns=columns, hierarchies={"age": parse({"intervals": [5, 7]})})
    assert [(p.code, p.where) for p in broken.problems()] == [
        ("unknown-hierarchy", "schema.columns.age"),
        ("hierarchy-not-nested", "hierarchies.age"),
    ]
    assert list(SCHEMA.problems()) == []


@pytest.mark.parametrize("scale", ["discrete", "continuous", "time"])
def test_reasons_are_refused_where_they_would_enter_a_sum(scale: Scale) -> None:
    schema = Schema(columns=[Column(name="income", scale=scale, reasons=(-9,))])
    assert [(p.code, p.where) for p in schema.problems()] == [("reasons-not-coded", "schema.columns.income.reasons")]
    assert list(schema.changed("income", scale="ordinal").problems()) == []


def test_a_code_cannot_be_a_gap_and_a_reason() -> None:
    schema = Schema(columns=[Column(name="job", scale="nominal", missing=(-9, -8), reasons=("-8", -7))])
    (problem,) = schema.problems()
    assert (problem.code, problem.message) == ("reasons-and-missing", "codes that are listed under missing too: 1")


def test_a_schema_round_trips_through_json() -> None:
    assert Schema.model_validate_json(SCHEMA.model_dump_json()) == SCHEMA
