from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import schleier.core.hierarchy as package
from schleier.core.errors import SchemaError
from schleier.core.hierarchy import Hierarchy, kinds, parse
from schleier.core.schema import Column, Schema

AGE = Column(name="age", role="quasi", scale="discrete", hierarchy="age")


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({}, "no kind of hierarchy: give one of balanced, dates, intervals, network, prefix, rows, table, tree"),
        ({"outside": "root"}, "no kind of hierarchy"),
        (
            {"intervals": [5], "prefix": [3]},
            "more than one kind of hierarchy at once: 'intervals' and 'prefix'",
        ),
        ({"table": "a.csv", "rows": []}, "more than one kind of hierarchy at once: 'rows' and 'table'"),
        ({"intervals": [5], "SECRET": 1}, "1 unknown key beside 'intervals': allowed are origin, outside"),
        ({"prefix": [5], "origin": 1, "SECRET": 1}, "2 unknown keys beside 'prefix': allowed are outside"),
    ],
)
def test_wrong_recipes_are_explained_without_naming_what_is_in_them(recipe: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"hierarchy|unknown") as caught:
        parse(recipe)
    assert str(caught.value).startswith(message)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize(
    "recipe",
    [
        {"intervals": ["5"]},
        {"intervals": [True]},
        {"intervals": [float("nan")]},
        {"intervals": [10**400]},
        {"intervals": 5},
        {"prefix": [2.5]},
        {"prefix": ["SECRET"]},
        {"table": 5},
        {"rows": [["SECRET", {"SECRET": 1}]]},
        {"rows": "SECRET"},
        {"tree": ["SECRET"]},
        {"tree": {"SECRET": "SECRET"}},
        {"tree": {"SECRET": {"SECRET": [["SECRET"]]}}},
        {"dates": ["SECRET"]},
        {"balanced": ["SECRET"]},
        {"balanced": [4], "breaks": [["SECRET"]]},
        {"prefix": [2], "outside": "SECRET"},
    ],
)
def test_wrong_types_are_told_and_quote_nothing(recipe: dict[str, Any]) -> None:
    with pytest.raises(SchemaError) as caught:
        parse(recipe)
    assert "SECRET" not in str(caught.value)
    with pytest.raises(SchemaError) as nested:
        Schema(columns=(AGE,), hierarchies={"age": recipe})
    assert {problem.where for problem in nested.value.problems} == {"Schema.hierarchies.age"}
    assert "SECRET" not in str(nested.value)


def test_a_schema_takes_and_gives_recipe_syntax() -> None:
    recipe = {"intervals": [5, 10]}
    schema = Schema(columns=(AGE,), hierarchies={"age": recipe})
    assert schema.hierarchy("age") == parse(recipe)
    assert Schema(columns=(AGE,), hierarchies={"age": parse(recipe)}) == schema
    assert schema.model_dump()["hierarchies"] == {"age": recipe}
    assert Schema.model_validate_json(schema.model_dump_json()) == schema
    assert Schema.model_json_schema()["properties"]["hierarchies"]["additionalProperties"]["type"] == "object"
    with pytest.raises(SchemaError, match="written as a table"):
        Schema(columns=(AGE,), hierarchies={"age": "intervals"})


def test_a_seventh_kind_is_a_seventh_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path(str(package.__file__)).with_name("prefix.py").read_text(encoding="utf-8")
    source = source.replace("class Prefix(", "class Suffix(").replace('("prefix",)', '("suffix",)')
    (tmp_path / "suffix.py").write_text(source.replace("prefix: tuple", "suffix: tuple"), encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    kinds.cache_clear()
    try:
        assert type(parse({"suffix": [2]})).__name__ == "Suffix"
    finally:
        kinds.cache_clear()
        sys.modules.pop("schleier.core.hierarchy.suffix", None)


def test_names_of_file_class_and_key_agree() -> None:
    for key, kind in kinds().items():
        assert issubclass(kind, Hierarchy)
        assert kind.__module__.rpartition(".")[2] == kind.__name__.lower() == kind.keys[0]
        assert key in kind.model_fields


def test_importing_and_reading_loads_nothing_heavy() -> None:
    program = """
import sys, schleier.core.schema
from schleier.core.hierarchy import parse
for recipe in ({"intervals": [5]}, {"rows": [["a", "*"]]}, {"tree": {"a": ["b"]}}, {"balanced": [2]}):
    assert not list(parse(recipe).problems("")), recipe
heavy = {"pyarrow", "numpy", "scipy", "duckdb", "pandas", "narwhals", "numba"} & set(sys.modules)
sys.exit(", ".join(sorted(heavy)) or 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
