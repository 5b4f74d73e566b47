"""Recipes and schemas back into TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schleier.core.component import Component
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.flow.recipe.recipe import Recipe


def recipe_toml(recipe: Recipe) -> str:
    """A recipe as TOML text that loads back to the same recipe, without parents and files of hierarchies."""
    table: dict[str, Any] = {"data": recipe.data.model_dump(mode="json", exclude_none=True)}
    if recipe.keys:
        table["keys"] = {name: source.model_dump(exclude_defaults=True) for name, source in recipe.keys.items()}
    table |= schema_table(recipe.schema)
    for section, kind in (
        ("steps", "method"),
        ("criteria", "criterion"),
        ("measures", "measure"),
        ("attacks", "attack"),
    ):
        entries = [entry(kind, component) for component in getattr(recipe, section)]
        if entries:
            table[section] = entries
    table["release"] = recipe.release.model_dump(mode="json", exclude_none=True)
    table["engine"] = recipe.engine.model_dump(mode="json", exclude_none=True)
    if recipe.advice is not None:
        table["advice"] = recipe.advice.model_dump()
    return toml(table)


def entry(kind: str, component: Component) -> dict[str, Any]:
    """A component as an entry of a recipe."""
    return {kind: component.word(), **component.parameters()}


def schema_table(schema: Schema) -> dict[str, Any]:
    """The sections [schema] and [hierarchies]."""
    table = schema.model_dump(mode="json", exclude_defaults=True, exclude={"hierarchies"})
    result = {"schema": table}
    if schema.hierarchies:
        result["hierarchies"] = {name: h.to_toml() for name, h in schema.hierarchies.items()}
    return result


def toml(table: dict[str, Any]) -> str:
    """A table as TOML text; TOML has no null, so empty values are left out."""
    import tomli_w

    return tomli_w.dumps(_without_none(table))


def steps_toml(steps: Sequence[Mapping[str, Any]]) -> str:
    """Steps as a person would write them into a recipe: each under its own heading, so that texts can be joined.

    >>> print(steps_toml([{"method": "recode", "column": "age", "level": 1, "hierarchy": {"intervals": [10]}}]), end="")
    [[steps]]
    method = "recode"
    column = "age"
    level = 1
    hierarchy = { intervals = [10] }
    """
    return "\n".join(
        "".join(["[[steps]]\n", *(f"{key} = {_written(value)}\n" for key, value in step.items())]) for step in steps
    )


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_written(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    return toml({"_": value}).removeprefix("_ = ").rstrip("\n")


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_none(v) for k, v in value.items() if v is not None}
    if isinstance(value, list | tuple):
        return [_without_none(v) for v in value if v is not None]
    return value
