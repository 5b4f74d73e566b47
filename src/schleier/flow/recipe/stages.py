"""Walks a schema through the steps of a recipe: what the columns mean before and after each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from schleier.core.method import Method
from schleier.core.schema import Schema


@dataclass(frozen=True)
class Stage:
    """A step between two schemas."""

    step: Method
    label: str
    before: Schema
    after: Schema
    sound: bool = True
    """Whether the step fits the schema it meets; if not, the schema stays as it is."""


def stages(
    schema: Schema, steps: Iterable[Method], sound: Callable[[Method, Schema], bool] = lambda step, before: True
) -> Iterator[Stage]:
    """Each step with the schema it meets and the one it leaves; one that is not sound leaves it as it is.

    >>> from schleier.core.registry import get
    >>> from schleier.core.schema import Column
    >>> schema = Schema(columns=[Column(name=name, scale="text") for name in ("name", "remark")])
    >>> [stage.after.names for stage in stages(schema, [get("method", "drop")(columns=["name"])])]
    [('remark',)]
    """
    for step in steps:
        fits = sound(step, schema)
        after = step.after(schema) if fits else schema
        yield Stage(step, step.label(schema), schema, after, fits)
        schema = after
