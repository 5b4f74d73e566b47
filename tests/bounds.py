"""Where the parameters of a component begin and end: its default, values that are refused, values that are taken."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

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
    except ValidationError as error:
        return {each["loc"][0] for each in error.errors() if each["loc"]}
    return set()
