"""Looks ahead through a whole recipe before any row is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core import registry
from schleier.core.component import Component, listed
from schleier.core.errors import DataError, Problem, Problems, RecipeError, SchleierError
from schleier.core.schema import Schema
from schleier.flow.run.populations import absent, misfits

if TYPE_CHECKING:
    from schleier.flow.recipe.recipe import Recipe

DATA = "data"
"""Where problems of the data, not of the recipe, are placed."""


def check(recipe: Recipe, *, header: bool = True, places: Mapping[str, Sequence[int]] | None = None) -> list[Problem]:
    """Every problem of a recipe; ``places`` tells where its entries stood among broken ones."""
    found = Problems()
    if header and recipe.data.file is not None:
        found.extend(_header(recipe, recipe.data.file))
    found.extend(recipe.schema.problems())
    places = places or {}
    schema = _steps(recipe, places.get("steps") or range(len(recipe.steps)), found)
    for section in ("criteria", "measures", "attacks"):
        entries = getattr(recipe, section)
        for i, entry in zip(places.get(section) or range(len(entries)), entries, strict=True):
            found.extend(problems := list(_placed(entry, schema, f"{section}[{i}]")))
            if not problems:
                found.extend(absent(entry, schema, recipe.data, f"{section}[{i}]"))
    if header:
        found.extend(misfits(recipe))
    found.extend(_engine(recipe))
    found.extend(_format(recipe.release.format))
    if not schema.columns:
        found.add("nothing-released", "steps", "the steps drop every column", "keep at least one")
    left = schema.having("identifier")
    if left:
        hint = 'add [[steps]] with method = "drop"'
        found.add("identifier-released", "steps", f"direct identifiers would be released: {listed(left)}", hint)
    return found.found


def _steps(recipe: Recipe, places: Sequence[int], found: Problems) -> Schema:
    schema = recipe.schema
    labels: dict[str, int] = {}
    for i, step in zip(places, recipe.steps, strict=True):
        where = f"steps[{i}]"
        problems = list(_placed(step, schema, where))
        found.extend(problems)
        for criterion in getattr(step, "criteria", ()) if not problems else ():
            found.extend(absent(criterion, schema, recipe.data, where))
        if recipe.engine.name != "duckdb" and step.scales == "memory":
            message = f"'{step.word()}' needs all rows in memory"
            found.add("needs-memory", where, message, 'run it with engine "duckdb"')
        label = step.label(schema)
        if label in labels:
            message = f"steps[{labels[label]}] and this step have the same label '{label}'"
            found.add("equal-labels", where, message, "give one of them another name")
        labels.setdefault(label, i)
        if not problems:
            schema = step.after(schema)
    return schema


def _engine(recipe: Recipe) -> Iterable[Problem]:
    try:
        registry.get("engine", recipe.engine.name, "engine.name")
    except RecipeError as error:
        yield from error.problems
    odd = [name for name in (*recipe.schema.names, recipe.schema.key) if set(name) & set(".`")]
    if recipe.engine.name == "spark" and odd:
        message = f"on Spark no name may hold a dot or a backtick: {listed(odd)}"
        yield Problem("odd-names", "schema", message, 'rename them, or run it with engine "duckdb"')


def _format(name: str) -> Iterable[Problem]:
    """A release can be written only in a format that writes."""
    forms = [word for word, form in registry.every("format").items() if hasattr(form, "write")]
    if name not in forms:
        message = f"a release cannot be written as '{name}'"
        yield Problem("unknown-format", "release.format", message, f"there are: {', '.join(forms)}")


def _placed(entry: Component, schema: Schema, where: str) -> Iterable[Problem]:
    for problem in entry.problems(schema):
        place = f"{where}.{problem.where}" if problem.where else where
        yield Problem(problem.code, place, problem.message, problem.hint)


def _header(recipe: Recipe, file: str) -> Iterable[Problem]:
    from schleier.flow.run.reader import look

    try:
        return look(file, recipe.schema)[1].found
    except SchleierError as error:
        return [Problem(p.code, f"{DATA}.file", f"{Path(file).name}: {p.message}", p.hint) for p in error.problems]


def refuse(problems: list[Problem]) -> None:
    """Raise what was found: a DataError when only the data are wrong, else a RecipeError."""
    if problems:
        of_data = all(problem.where.startswith(DATA) for problem in problems)
        raise (DataError if of_data else RecipeError)(problems)


def checked(recipe: Recipe, engine: str | None) -> Recipe:
    """The recipe for an engine named elsewhere (command line), or unchanged."""
    if engine is None:
        return recipe
    return replace(recipe, engine=recipe.engine.model_copy(update={"name": engine}))
