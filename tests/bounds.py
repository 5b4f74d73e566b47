"""Where the parameters of a component begin and end: its default, values that are refused, values that are taken."""

from __future__ import annotations

import re
from typing import Any

from schleier.core.errors import SchleierError
from schleier.core.registry import Kind, get

REQUIRED = "required"
"""What decides privacy has no default."""


def check_bounds(kind: Kind, word: str, name: str, default: Any, refused: list[Any], taken: list[Any]) -> None:
    declared: Any = get(kind, word)
    info = declared.model_fields[name]
    assert (REQUIRED if info.is_required() else info.default) == default
    for value in refused:
        assert name in complaints(declared, name, value)
    for value in taken:
        assert name not in complaints(declared, name, value)


def complaints(declared: Any, name: str, value: Any) -> set[Any]:
    """The parameters that are refused one by one, when one of the example has another value."""
    try:
        declared(**declared.example | {name: value})
    except SchleierError as error:
        return {re.split(r"[.\[]", problem.where)[1] for problem in error.problems if "." in problem.where}
    return set()
