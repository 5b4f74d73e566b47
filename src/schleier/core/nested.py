"""A component as a parameter of another: the criteria of a search, the loss it makes small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, SerializationInfo

from schleier.core import registry
from schleier.core.amount import hide_few
from schleier.core.component import Component
from schleier.core.errors import SchleierError
from schleier.core.method import Method
from schleier.core.registry import Kind


def nested(kind: Kind) -> Any:
    """The type of a field that holds a component: written as its word, or as a table like an entry of a recipe.

    >>> from schleier.core.record import Frozen
    >>> Search = type("Search", (Frozen,), {"__annotations__": {"goal": nested("criterion")}})
    >>> Search(goal={"criterion": "k_anonymity", "k": 3}).model_dump()
    {'goal': {'criterion': 'k_anonymity', 'k': 3}}
    """

    def given(value: Any) -> Component:
        if isinstance(value, Component):
            return value
        table = {kind: value} if isinstance(value, str) else dict(value) if isinstance(value, Mapping) else {}
        word = table.pop(kind, None)
        if not isinstance(word, str):
            raise ValueError(f'write it as {{ {kind} = "...", ... }}')
        try:
            component = registry.get(kind, word)(**table)
        except SchleierError as error:
            raise ValueError("; ".join(map(str, error.problems))) from None
        assert isinstance(component, Component)
        return component

    def written(component: Component, how: SerializationInfo) -> dict[str, Any]:
        public = isinstance(how.context, Mapping) and bool(how.context.get("public"))
        parameters = component.parameters(public=public)
        # What it counted is told as it would be told of a step of its own.
        told = hide_few(parameters, component.counts) if public and isinstance(component, Method) else parameters
        return {kind: component.word(), **told}

    return Annotated[Any, BeforeValidator(given), PlainSerializer(written)]
