"""Finds the kinds of hierarchy and reads one from recipe syntax."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, ValidationError

from schleier.core.errors import SchemaError
from schleier.core.hierarchy.contract import Hierarchy
from schleier.core.record import unexplained
from schleier.core.validation import explain_validation


@functools.cache
def kinds() -> Mapping[str, type[Hierarchy]]:
    """The kinds by the recipe key that announces them: whatever files this package holds.

    >>> sorted(kinds())
    ['balanced', 'dates', 'intervals', 'network', 'prefix', 'rows', 'table', 'tree']
    """
    package = importlib.import_module(__package__ or "")
    found: dict[str, type[Hierarchy]] = {}
    for entry in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{__package__}.{entry.name}")
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == module.__name__ and issubclass(kind, Hierarchy) and kind is not Hierarchy:
                found.update(dict.fromkeys(kind.keys, kind))
    return found


def parse(table: Mapping[str, Any]) -> Hierarchy:
    """Read a hierarchy from recipe syntax; its kind is told by which key is present.

    Unknown keys are counted, not named: a label put in the wrong place is a protected value.

    >>> parse({"prefix": [3, 0]}).depth
    2
    >>> parse({"prefix": [3, 0], "intervals": [5]})
    Traceback (most recent call last):
    ValueError: more than one kind of hierarchy at once: 'intervals' and 'prefix'
    """
    known = kinds()
    given = sorted(known.keys() & table.keys())
    if not given:
        raise ValueError(f"no kind of hierarchy: give one of {', '.join(sorted(known))}")
    if len(given) > 1:
        raise ValueError(f"more than one kind of hierarchy at once: {' and '.join(map(repr, given))}")
    kind = known[given[0]]
    allowed = sorted(kind.model_fields.keys() - kind.keys)
    unknown = len(table.keys() - {given[0], *allowed})
    if unknown:
        noun = "unknown key" if unknown == 1 else "unknown keys"
        raise ValueError(f"{unknown} {noun} beside '{given[0]}': allowed are {', '.join(allowed)}")
    try:
        return unexplained(kind, dict(table))
    except ValidationError as error:
        problems = explain_validation(error, kind, "")
    raise SchemaError(problems)


def _read(given: object) -> Hierarchy:
    if isinstance(given, Hierarchy):
        return given
    if isinstance(given, Mapping):
        try:
            return parse(given)
        except SchemaError as error:
            raise ValueError("; ".join(map(str, error.problems))) from None
    raise ValueError("a hierarchy is written as a table")


AnyHierarchy = Annotated[
    Hierarchy,
    PlainValidator(_read, json_schema_input_type=dict[str, Any]),
    PlainSerializer(Hierarchy.to_toml, return_type=dict[str, Any]),
]
"""Field type for a hierarchy of any kind: takes an instance or recipe syntax, is written as recipe syntax."""
