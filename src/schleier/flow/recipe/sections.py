"""The sections of a recipe, and the two that make a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from schleier.core.errors import Problem, Problems, RecipeError, SchemaError, SchleierError
from schleier.core.hierarchy import Hierarchy, parse
from schleier.core.keys import NAME, KeySource
from schleier.core.schema import Schema
from schleier.flow.recipe.entries import validated
from schleier.flow.recipe.parents import Table

SECTIONS = (
    "data",
    "keys",
    "schema",
    "hierarchies",
    "steps",
    "criteria",
    "measures",
    "attacks",
    "release",
    "engine",
    "advice",
    "extends",
)


def section(raw: Table, name: str) -> Mapping[str, Any]:
    """A section of a recipe; empty when it is absent."""
    table = raw.get(name, {})
    if not isinstance(table, dict):
        raise RecipeError(Problem("bad-section", name, f"write it as a table: [{name}]"))
    return table


def keys_section(raw: Table, problems: Problems) -> dict[str, KeySource]:
    """Where the long-lived keys are, by name."""
    return sources_of(section(raw, "keys"), problems)


def sources_of(given: Mapping[str, Any], problems: Problems) -> dict[str, KeySource]:
    """Where keys are, by name: as sources, or as tables of their parameters."""
    found: dict[str, KeySource] = {}
    for name, table in given.items():
        where = f"keys.{name}"
        if isinstance(table, KeySource):
            found[name] = table
        elif not isinstance(table, Mapping):
            problems.add("bad-section", where, f"write it as a table: [{where}]")
        elif not NAME.fullmatch(name):
            problems.add("bad-parameter", where, "a key is called by a word of letters and digits")
        else:
            try:
                found[name] = validated(KeySource, table, where)
            except SchleierError as error:
                problems.extend(error.problems)
    return found


def schema_section(raw: Table, problems: Problems) -> Schema:
    """The schema with its hierarchies; broken hierarchies are told through ``problems``."""
    table = dict(section(raw, "schema"))
    if not table:
        raise SchemaError(Problem("no-schema", "schema", "the recipe does not describe the columns", "write [schema]"))
    hierarchies: dict[str, Hierarchy] = {}
    for name, definition in section(raw, "hierarchies").items():
        where = f"hierarchies.{name}"
        if not isinstance(definition, dict):
            problems.add("bad-hierarchy", where, "a hierarchy is written as a table")
            continue
        try:
            parsed = parse(definition)
        except SchemaError as error:
            problems.extend(replace(p, where=f"{where}.{p.where}".rstrip(".")) for p in error.problems)
            continue
        except ValueError as error:
            problems.add("bad-hierarchy", where, str(error))
            continue
        try:
            hierarchies[name] = parsed.located(Path())
        except SchleierError as error:
            problems.extend(replace(p, where=where) for p in error.problems)
    schema = validated(Schema, table | {"hierarchies": hierarchies}, "schema")
    broken = set(section(raw, "hierarchies")) - set(hierarchies)
    # A column that names a broken hierarchy was told so above: not a second time as unknown.
    columns = tuple(c.model_copy(update={"hierarchy": None}) if c.hierarchy in broken else c for c in schema.columns)
    return schema.model_copy(update={"columns": columns})
