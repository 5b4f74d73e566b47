"""The parts of a recipe as they are given in Python, and everything that is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from schleier.core import registry
from schleier.core.address import spelled
from schleier.core.component import Component
from schleier.core.criterion import Criterion
from schleier.core.errors import Problems, SchleierError
from schleier.core.measure import Measure
from schleier.core.method import Method
from schleier.core.record import Declared
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.flow.recipe.entries import component, validated

if TYPE_CHECKING:
    from schleier.core.registry import Kind

S = TypeVar("S", bound=Declared)
SECTION: dict[Kind, str] = {"method": "steps", "criterion": "criteria", "measure": "measures", "attack": "attacks"}
BASES: dict[Kind, type[Component]] = {
    "method": Method,
    "criterion": Criterion,
    "attack": Technique,  # before measures: every attack is one
    "measure": Measure,
}


def section_of(model: type[S], given: Any, where: str, short: str, problems: Problems) -> S:
    """A section: itself, a table of its parameters, or the one parameter ``short`` alone."""
    if isinstance(given, model):
        return given
    try:
        if given is None or isinstance(given, Mapping):
            return validated(model, given or {}, where)
        if short and isinstance(given, str | os.PathLike):
            return validated(model, {short: spelled(given)}, where)
    except SchleierError as error:
        problems.extend(error.problems)
        return model()
    rows = "; rows are given to run()" if hasattr(given, "columns") or hasattr(given, "shape") else ""
    alone = f", or its {short} alone" if short else ""
    problems.add("bad-section", where, f"should be a table of its parameters{alone}, and is a {_kind(given)}{rows}")
    return model()


def schema_of(given: Any, problems: Problems) -> Schema:
    """A schema: itself, or the file that holds it."""
    from schleier.flow.recipe.schema_file import schema_from_file

    if isinstance(given, Schema):
        return given
    try:
        if isinstance(given, str | os.PathLike):
            return schema_from_file(spelled(given))
        if isinstance(given, Mapping):
            return validated(Schema, given, "schema")
    except SchleierError as error:
        problems.extend(error.problems)
    else:
        hint = "write schema=Schema(columns=[Column(...), ...]), or name its file"
        problems.add("no-schema", "schema", "the recipe does not describe the columns", hint)
    return Schema.model_construct(columns=())


def components_of(kind: Kind, section: str, given: Any, problems: Problems) -> tuple[Any, ...]:
    """The entries of a section: components of its kind, or tables like the entries of a recipe."""
    if isinstance(given, str | Mapping | Component) or not isinstance(given, Iterable):
        problems.add("bad-section", section, f"should be a list, and is a {_kind(given)}", f"write {section}=[...]")
        return ()
    return tuple(_component(kind, one, f"{section}[{i}]", problems) for i, one in enumerate(given))


def _component(kind: Kind, given: Any, where: str, problems: Problems) -> Any:
    if _kind_of(given) == kind:
        return given
    if isinstance(given, Mapping):
        try:
            return component(kind, given, where)
        except SchleierError as error:
            problems.extend(error.problems)
            return None
    message, hint = f"should be {_article(kind)}, and is a {_kind(given)}", ""
    if isinstance(given, type):
        message, hint = f"should be {_article(kind)} with its parameters", f"write {given.__name__}(...)"
    elif other := _kind_of(given):
        message = f"should be {_article(kind)}, and {type(given).__name__} is {_article(other)}"
        hint = f"put it among the {SECTION[other]}"
    problems.add("bad-parameter", where, message, hint)
    return None


def _kind_of(given: Any) -> Kind | None:
    """What a component is; an attack of others need not be a technique of ours."""
    kind = next((kind for kind, base in BASES.items() if isinstance(given, base)), None)
    return "attack" if kind == "measure" and given.word() in registry.names("attack") else kind


def _article(kind: Kind) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _kind(given: Any) -> str:
    return type(given).__name__
