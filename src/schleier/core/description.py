"""A component in words, all of it taken from its declaration: for the command line, the web form and the docs."""

from __future__ import annotations

import inspect
import json
import re
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from schleier.core.component import Component
from schleier.core.method import Method
from schleier.core.record import fields_of

PLAIN = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    Any: "anything",
    Path: "path",
}
PLURAL = re.compile(r"(?<=number)$|(?<=^list)|(?<=^table)|(?<=^path)")
BOUNDS = {
    "ge": "≥ {}",
    "gt": "> {}",
    "le": "≤ {}",
    "lt": "< {}",
    "min_length": "at least {}",
    "max_length": "at most {}",
}


def summary(declared: type[Any]) -> str:
    """The first sentence about a component.

    >>> from schleier.core.registry import get
    >>> summary(get("method", "drop"))
    'Remove columns from the release.'
    """
    return (inspect.getdoc(declared) or "").split("\n\n")[0].replace("\n", " ").replace("``", "")


def description(declared: type[Component]) -> dict[str, Any]:
    """Name, text, parameters and facts of a component, ready to print."""
    facts = {"Reference": declared.reference}
    example = declared(**declared.example)
    for label, attribute in (("Scales", "scales"), ("Monotone", "monotone"), ("Hereditary", "hereditary")):
        if hasattr(example, attribute):
            facts[label] = str(getattr(example, attribute)).lower()
    if isinstance(example, Method) and (kept := example.promises()):
        facts["Keeps"] = ", ".join(f"{what} ({how})" for what, how in kept.items())
    fields = {name: field for name, field in fields_of(declared).items() if not learned(field)}
    parameters = [
        {
            "name": name,
            "value": without_marks(value(f)),
            "default": without_marks(default(f)),
            "text": without_marks(meaning(f)),
        }
        for name, f in sorted(fields.items(), key=lambda item: item[0] == "name")
    ]
    return {"name": declared.word(), "text": summary(declared), "parameters": parameters, "facts": facts}


def without_marks(text: str) -> str:
    """Markdown without its marks.

    >>> without_marks("**required**, `5`")
    'required, 5'
    """
    return re.sub(r"\*\*|`", "", text)


def value(field: FieldInfo) -> str:
    """What may be written, in plain words, with its bounds."""
    bounds = [
        text.format(getattr(bound, name))
        for bound in field.metadata
        for name, text in BOUNDS.items()
        if getattr(bound, name, None) is not None
    ]
    return ", ".join([type_words(field.annotation), *bounds]).replace("at least 1", "not empty")


def learned(field: FieldInfo) -> bool:
    """Whether the field is filled in by `fit` rather than written by the user."""
    return (field.description or "").startswith("Learned:")


def type_words(annotation: Any) -> str:
    """A type as a writer of recipes would call it.

    >>> type_words(tuple[str, ...] | None), type_words(dict[str, int | float]), type_words(Literal["keep", "drop"])
    ('list of text', 'table of numbers', '`"keep"` or `"drop"`')
    """
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _either(f"`{json.dumps(arg)}`" for arg in args)
    if origin in (Union, types.UnionType):
        return _either(type_words(arg) for arg in args if arg is not type(None) and not (arg is int and float in args))
    if hasattr(annotation, "__metadata__"):
        return type_words(args[0])
    if isinstance(origin, type) and args:
        item = type_words(args[-1] if issubclass(origin, dict) else args[0])
        return f"{'table' if issubclass(origin, dict) else 'list'} of {PLURAL.sub('s', item)}"
    return PLAIN.get(annotation, getattr(annotation, "__name__", str(annotation)).lower())


def _either(choices: Iterable[str]) -> str:
    *first, last = dict.fromkeys(choices)
    return f"{', '.join(first)} or {last}" if first else last


def default(field: FieldInfo) -> str:
    """The default as a recipe would write it; empty when leaving it out means "none"."""
    if learned(field):
        return "*learned*"
    if field.is_required():
        return "**required**"
    found = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(found, BaseModel):
        found = found.model_dump(mode="json", exclude_defaults=True)
    return "" if found is None else f"`{json.dumps(found, ensure_ascii=False, default=str)}`"


def meaning(field: FieldInfo) -> str:
    """The documentation of the field, and what its declaration adds."""
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    notes = [" ".join((field.description or "").removeprefix("Learned:").split())]
    if "stricter" in extra:
        notes.append(f"{str(extra['stricter']).capitalize()} is stricter.")
    if extra.get("secret"):
        notes.append("Secret: written to the restricted audit only.")
    return " ".join(filter(None, notes))
