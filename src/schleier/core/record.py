"""The frozen record every declared thing is made of."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


class Frozen(BaseModel):
    """Immutable, refuses unknown fields; the docstring below a field is its documentation (see ``fields_of``)."""

    # Deferred: of many records that are declared a program makes few, and each costs a millisecond to prepare.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


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
            field.description = next((text for one in record.__mro__ if (text := _written(one).get(name))), None)
    return record.model_fields


@functools.cache
def _written(declared: type) -> dict[str, str]:
    """The docstrings below the fields that a class itself declares; none where there is no source."""
    import ast
    import inspect
    import textwrap

    if not (issubclass(declared, BaseModel) and declared is not BaseModel):
        return {}
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(declared))).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        line.target.id: inspect.cleandoc(below.value.value)
        for line, below in zip(body, body[1:], strict=False)
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }
