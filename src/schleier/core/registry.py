"""Finds components by file name in the tree, and by entry point elsewhere; nothing is ever registered by hand."""

from __future__ import annotations

import difflib
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args

from schleier.core.errors import InternalError, Problem, RecipeError
from schleier.core.names import camel

Kind = Literal["method", "criterion", "measure", "attack", "engine", "format", "renderer"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# A kind lives in these folders of the package; a third party offers it in the entry-point group schleier.<kind>.
FOLDERS: dict[Kind, tuple[str, ...]] = {
    "method": ("methods", "search"),
    "criterion": ("criteria",),
    "measure": ("risk", "utility"),
    "attack": ("attacks",),
    "engine": ("engine",),
    "format": ("formats",),
    "renderer": ("report",),
}

# Folders also hold parts that are none: a component is a subclass, or has what its kind promises.
PROMISES: dict[Kind, str] = {"engine": "def map_groups(", "format": "suffixes =", "renderer": "def render("}


def names(kind: Kind) -> list[str]:
    """Recipe words of all components of a kind, in alphabetical order, without importing them.

    >>> "top_code" in names("method")
    True
    """
    return sorted(_places(kind))


def get(kind: Kind, name: str, where: str = "") -> type[Any]:
    """The class behind a recipe word.

    >>> get("method", "top_code").__name__
    'TopCode'
    """
    places = _places(kind)
    if name not in places:
        near = difflib.get_close_matches(name, places, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(sorted(places)) or 'none yet'}"
        raise RecipeError(Problem(f"unknown-{kind}", where, f"there is no {kind} '{name}'", hint))
    module, _, attribute = places[name].partition(":")
    found = getattr(import_module(module), attribute)
    if not isinstance(found, type):
        raise InternalError(Problem("not-a-class", places[name], f"{kind} '{name}' is not a class"))
    return found


def every(kind: Kind) -> dict[str, type[Any]]:
    """All components of a kind by their recipe word, imported."""
    return {name: get(kind, name) for name in names(kind)}


def default_engine() -> Any:
    """The engine of datasets made without one: shared, so that they can be compared with each other."""
    global _default  # noqa: PLW0603  # one per process, made on first use
    if _default is None or _default.closed:
        _default = get("engine", "duckdb")()
    return _default


_default: Any = None


@cache
def _places(kind: Kind) -> dict[str, str]:
    """Recipe word -> ``module:Class``. A tree file counts when it defines the class its name promises."""
    from importlib.metadata import entry_points

    places = {entry.name: entry.value for entry in entry_points(group=f"schleier.{kind}")}
    package = Path(__file__).parent.parent
    for folder in FOLDERS[kind]:
        for file in sorted((package / folder).glob("[a-z]*.py")):
            word, text = file.stem, file.read_text(encoding="utf-8")
            header = rf"^class {camel(word)}" + (r"\b" if kind in PROMISES else r"\(")
            if re.search(header, text, re.MULTILINE) and PROMISES.get(kind, "") in text:
                # The tree comes last and wins: nobody replaces a component of ours from outside.
                places[word] = f"schleier.{folder}.{word}:{camel(word)}"
    return places
