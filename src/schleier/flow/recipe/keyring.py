"""The long-lived keys of a recipe: looked for when it is checked, held by the run alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from schleier.core.errors import Problem, Problems, RecipeError, SchleierError
from schleier.core.keys import VARIABLE, Key, KeySource, find_key, unknown_key

if TYPE_CHECKING:
    from schleier.core.method import Method
    from schleier.flow.recipe.recipe import Recipe


def open_keys(recipe: Recipe, problems: Problems) -> dict[str, Key]:
    """The keys by their names; what is wrong with one does not hide what is wrong with the next."""
    found: dict[str, Key] = {}
    for name, source in recipe.keys.items():
        try:
            found[name] = source.key(f"keys.{name}")
        except SchleierError as error:
            problems.extend(error.problems)
    for i, step in enumerate(recipe.steps):
        for name in step.named_keys():
            try:
                _ = name.startswith(VARIABLE) and find_key(name, {})
            except SchleierError as error:
                problems.extend(Problem(p.code, f"steps[{i}].key", p.message, p.hint) for p in error.problems)
    return found


def keyring(recipe: Recipe) -> dict[str, Key]:
    """The keys of a recipe by their names; anything wrong with them is an error."""
    problems = Problems()
    found = open_keys(recipe, problems)
    problems.raise_as(RecipeError)
    return found


def undeclared_keys(step: Method, known: Mapping[str, KeySource], where: str) -> Iterator[Problem]:
    """Keys that a step names and the recipe does not."""
    for name in step.named_keys():
        if not name.startswith(VARIABLE) and name not in known:
            yield unknown_key(name, known, f"{where}.key")
