"""Finds components by file name, in the house and in its wings, and by entry point elsewhere; nobody is listed by hand.

A file ``methods/top_code.py`` is the method ``top_code``, its class is ``TopCode``. Files that help begin with an
underscore. A wing is a small house with the same rooms: ``extras/text/methods/mask_text.py`` is a method, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args

from schleier.core.errors import InternalError, Problem, RecipeError
from schleier.core.names import camel

# fmt: off
Kind = Literal[
    "method", "criterion", "measure", "attack", "session", "detector", "service",
    "engine", "format", "renderer", "section",
]
# fmt: on
KINDS: tuple[Kind, ...] = get_args(Kind)
LONG = 60
"""Characters of a word nobody knows that are said again."""

ROOMS: dict[Kind, tuple[str, ...]] = {
    "method": ("methods", "search"),
    "criterion": ("criteria",),
    "measure": ("risk", "utility"),
    "attack": ("attacks",),
    "session": ("sessions",),
    "detector": ("detectors",),
    "service": ("services",),
    "engine": ("engine",),
    "format": ("formats",),
    "renderer": ("renderers",),
    "section": ("report",),
}
"""Where a kind lives, in the house and in every wing; a third party offers it in the entry-point group
``schleier.<kind>``."""
FIXED: dict[Kind, dict[str, str]] = {"renderer": {"html": "schleier.report.html:Html"}, "section": {}}
"""What the house itself has of kinds that only wings have rooms for: its own ``report`` is no room of components."""

PACKAGE = Path(__file__).parent.parent


def names(kind: Kind) -> list[str]:
    """Recipe words of all components of a kind, in alphabetical order, without importing them.

    >>> "top_code" in names("method")
    True
    """
    places = _places(kind)
    if twice := [_same_word(kind, word, found) for word, found in places.items() if len(found) > 1]:
        raise InternalError(twice)
    return sorted(places)


def ours(kind: Kind) -> list[str]:
    """Recipe words of the house and its wings alone; installed packages are not even looked at.

    >>> "top_code" in ours("method"), ours("detector")
    (True, [])
    """
    return sorted({word for word, _ in _in_tree(kind)})


def get(kind: Kind, name: str, where: str = "") -> type[Any]:
    """The class behind a recipe word.

    >>> get("method", "top_code").__name__
    'TopCode'
    """
    places = _places(kind)
    if name not in places:
        import difflib

        near = difflib.get_close_matches(name, places, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(sorted(places)) or 'none yet'}"
        said = name if len(name) <= LONG else f"{name[:LONG]}..."
        raise RecipeError(Problem(f"unknown-{kind}", where, f"there is no {kind} '{said}'", hint))
    place, *others = places[name]
    if others:
        raise InternalError(_same_word(kind, name, places[name]))
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute, None)
    if not isinstance(found, type):
        raise InternalError(Problem("not-a-class", place, f"{kind} '{name}' is not a class"))
    return found


def every(kind: Kind) -> dict[str, type[Any]]:
    """All components of a kind by their recipe word, imported."""
    return {name: get(kind, name) for name in names(kind)}


@cache
def wings() -> tuple[str, ...]:
    """Names of the wings, in alphabetical order, none of them imported; a folder of leftovers is no wing."""
    return tuple(sorted(folder.parent.name for folder in PACKAGE.glob("extras/[a-z]*/__init__.py")))


def default_engine() -> Any:
    """The engine of datasets made without one: shared, so that they can be compared with each other."""
    global _default  # noqa: PLW0603  # one per process, made on first use
    if _default is None or _default.closed:
        _default = get("engine", "duckdb")()
    return _default


_default: Any = None


@cache
def _places(kind: Kind) -> dict[str, list[str]]:
    """Recipe word -> where it is offered, as ``module:Class``: one place, or nobody can tell which is meant."""
    from importlib.metadata import entry_points

    ours: dict[str, list[str]] = {}
    for word, place in _in_tree(kind):
        ours.setdefault(word, []).append(place)
    theirs: dict[str, list[str]] = {}
    for entry in entry_points(group=f"schleier.{kind}"):
        if entry.name not in ours and entry.value not in theirs.get(entry.name, ()):
            theirs.setdefault(entry.name, []).append(entry.value)
    return ours | theirs  # a word of ours is ours: nobody replaces it from outside


def _in_tree(kind: Kind) -> Iterator[tuple[str, str]]:
    """Words and places of the house and of its wings, by the names of their files."""
    yield from FIXED.get(kind, {}).items()
    homes = [] if kind in FIXED else [""]
    for home in (*homes, *(f"extras/{wing}/" for wing in wings())):
        for room in ROOMS[kind]:
            module = f"schleier/{home}{room}".replace("/", ".")
            for file in (PACKAGE / home / room).glob("[a-z]*.py"):
                yield file.stem, f"{module}.{file.stem}:{camel(file.stem)}"


def _same_word(kind: Kind, word: str, places: list[str]) -> Problem:
    message = f"{kind} '{word}' is there more than once: {', '.join(places)}"
    return Problem("same-word", word, message, "rename all but one, or remove what brings them")
