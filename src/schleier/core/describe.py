"""A component in words, all of it taken from its declaration."""

from __future__ import annotations

import inspect
import re
from typing import Any

from pydantic.fields import FieldInfo

from schleier.core.component import Component


def summary(declared: type[Any]) -> str:
    """The first sentence about a component.

    >>> from schleier.core.registry import get
    >>> summary(get("method", "drop"))
    'Remove columns from the release.'
    """
    return (inspect.getdoc(declared) or "").split("\n\n")[0].replace("\n", " ")


def description(declared: type[Component]) -> dict[str, Any]:
    """Name, text, parameters and facts of a component, ready to print or to write as a table."""
    facts = {"Reference": declared.reference}
    for label, attribute in (("Scales", "scales"), ("Monotone", "monotone"), ("Hereditary", "hereditary")):
        if hasattr(declared, attribute):
            facts[label] = str(getattr(declared, attribute))
    keeps = getattr(declared, "keeps", {})
    if keeps:
        facts["Keeps"] = ", ".join(f"{what} ({how})" for what, how in keeps.items())
    return {
        "name": declared.word(),
        "text": summary(declared),
        "parameters": [_parameter(name, field) for name, field in declared.model_fields.items()],
        "facts": facts,
    }


def _parameter(name: str, field: FieldInfo) -> dict[str, str]:
    return {
        "name": name,
        "type": type_text(field.annotation),
        "default": "required" if field.is_required() else _plain(field.get_default(call_default_factory=True)),
        "text": (field.description or "").replace("\n", " "),
    }


def type_text(annotation: Any) -> str:
    """A type as a recipe writer would say it.

    >>> type_text(tuple[str, ...]), type_text(int | None)
    ('list of str', 'int')
    """
    text = annotation.__name__ if inspect.isclass(annotation) and "[" not in str(annotation) else str(annotation)
    text = re.sub(r"typing\.|schleier\.[a-z_.]+\.", "", text)
    text = re.sub(r"Annotated\[(\w+).*\]", r"\1", text)
    text = text.replace(" | None", "").replace("NoneType", "").replace("Literal", "one of ")
    previous = ""
    while previous != text:
        previous, text = text, re.sub(r"tuple\[((?:[^\[\]]|\[[^\[\]]*\])+), \.\.\.\]", r"list of \1", text)
    return text


def _plain(value: Any) -> str:
    return "" if value in (None, (), {}, "") else str(value)
