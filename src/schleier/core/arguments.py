"""Arguments of another kind than a function takes, told in our words: looked for once something has failed."""

from __future__ import annotations

import inspect
import numbers
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from schleier.core.errors import Problem

PACKAGE = __name__.partition(".")[0]
NUMBERS: Mapping[type, type] = {int: numbers.Integral, float: numbers.Real}
"""What is taken for a number: also those of NumPy."""


def misfits(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[Problem]:
    """Each argument of a call that is not what the function says it takes; nothing where it does not say so.

    >>> def half(number: float, name: str | None = None) -> float: ...
    >>> [str(one) for one in misfits(half, ["4"], {"name": "a"})]
    ['number: should be float, and this is of type str']
    """
    try:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:  # too many, too few or unknown ones: Python says which
        return
    for name, value in given.items():
        text = function.__annotations__.get(name, "Any")
        if not _fits(value, _kind(function, text)):
            what = text if isinstance(text, str) else getattr(text, "__name__", str(text))
            message = f"should be {what}, and this is of type {type(value).__name__}"
            yield Problem("bad-parameter", name, message)


def _kind(function: Callable[..., Any], annotation: Any) -> Any:
    """What an annotation means; anything where it names what is known to tools alone."""
    wanted = types.SimpleNamespace(__annotations__={"it": annotation})
    known = dict(getattr(function, "__globals__", {}))
    while True:
        try:
            return typing.get_type_hints(wanted, known)["it"]
        except NameError as error:
            name = error.name or ""
            shown = getattr(sys.modules.get(PACKAGE), name, None)  # imported for tools alone, but known to everybody
            if shown is None:
                return Any
            known[name] = shown


def _fits(value: Any, kind: Any) -> bool:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in typing.get_args(kind))
    if origin is typing.Literal:
        return value in typing.get_args(kind)
    if kind in NUMBERS:
        return isinstance(value, NUMBERS[kind]) and not isinstance(value, bool)
    wanted = origin or kind
    try:
        return not isinstance(wanted, type) or isinstance(value, wanted)
    except TypeError:  # a protocol, of which nobody can tell what follows it
        return True
