"""Entries of a recipe become components; what is wrong with one does not hide what is wrong with the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from schleier.core import registry
from schleier.core.errors import Problem, Problems, RecipeError
from schleier.core.record import unexplained
from schleier.core.registry import Kind
from schleier.core.validation import explain_validation

M = TypeVar("M", bound=BaseModel)


def component(kind: Kind, entry: Mapping[str, Any], where: str) -> Any:
    """The component an entry describes, or a RecipeError with everything wrong with it."""
    name = entry.get(kind)
    if not isinstance(name, str):
        known = ", ".join(registry.names(kind))
        raise RecipeError(Problem(f"no-{kind}", where, f'the entry does not say {kind} = "..."', f"there are: {known}"))
    declared = registry.get(kind, name, where)
    return validated(declared, {key: value for key, value in entry.items() if key != kind}, where)


def components(kind: Kind, section: str, entries: object, problems: Problems) -> dict[int, Any]:
    """The sound components of a section by their place in it; problems of the others are added."""
    result = {}
    for i, entry in enumerate(_tables(section, entries, problems)):
        try:
            result[i] = component(kind, entry, f"{section}[{i}]")
        except RecipeError as error:
            problems.extend(error.problems)
    return result


def validated(model: type[M], values: Mapping[str, Any], where: str) -> M:
    """A record from plain values, or a RecipeError with all its problems."""
    try:
        return unexplained(model, values)
    except ValidationError as error:
        raise RecipeError(explain_validation(error, model, where)) from None


def _tables(section: str, entries: object, problems: Problems) -> list[Mapping[str, Any]]:
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        return entries
    problems.add("bad-section", section, f"write each entry as [[{section}]]")
    return []
