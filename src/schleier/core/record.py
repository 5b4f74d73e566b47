"""The frozen record every declared thing is made of."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


class Frozen(BaseModel):
    """Immutable, refuses unknown fields; the docstring below a field is its documentation (see ``fields_of``)."""

    # Deferred: of many records that are declared a program makes few, and each costs a millisecond to prepare.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


class Declared(Frozen):
    """A record that people write in a recipe: its numbers are numbers, for nothing is above, below or near "nan"."""

    model_config = ConfigDict(allow_inf_nan=False)


def fields_of(record: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a record, each described by the docstring below it.

    Pydantic could do that for every record as it is declared; reading all that source takes a fifth of the time
    of a short command, and only help and documentation want to know.

    >>> class Point(Frozen):
    ...     x: float = 0.0
    >>> fields_of(Point)["x"].default
    0.0
    """
    for name, field in record.model_fields.items():
        if field.description is None:
            field.description = _text(record, name)
    return record.model_fields


def _text(record: type[BaseModel], name: str) -> str | None:
    """What is written below a field, where the record has it from: itself, else the first parent that has it."""
    parents = (one for one in record.__bases__ if issubclass(one, BaseModel) and name in one.model_fields)
    parent = next(parents, None)
    return texts_below(record).get(name) or (_text(parent, name) if parent else None)


@functools.cache
def texts_below(declared: type[object]) -> dict[str, str]:
    """The docstrings below the fields that a class itself declares; none where there is no source."""
    import ast
    import inspect
    import textwrap

    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(declared))).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        line.target.id: inspect.cleandoc(below.value.value)
        for line, below in itertools.pairwise(body)
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }
