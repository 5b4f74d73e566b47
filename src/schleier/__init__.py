"""Schleier: anonymise microdata and prove what the result is worth.

Everything here is loaded on first use, so that importing stays cheap:

>>> import schleier as sl
>>> sl.methods.TopCode(column="income", upper=9000).upper
9000
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Column": "schleier.core.schema",
    "Dataset": "schleier.core.data",
    "Layout": "schleier.core.schema",
    "Recipe": "schleier.flow.recipe.recipe",
    "Release": "schleier.flow.release.release",
    "Run": "schleier.core.run",
    "Schema": "schleier.core.schema",
    "SchleierError": "schleier.core.errors",
    "advise": "schleier.draft.advise",
    "attack": "schleier.flow.attack.attack",
    "inspect": "schleier.flow.inspect.inspect",
    "correct": "schleier.flow.correct",
    "describe": "schleier.draft.describe",
    "plan": "schleier.planning.plan",
    "read": "schleier.flow.run.reader",
    "replay": "schleier.flow.replay",
    "suggest": "schleier.draft.suggest",
    "verify": "schleier.flow.run.runner",
}
_CATALOGUES = ("attacks", "criteria", "measures", "methods")
_OF_WINGS: dict[str, Kind] = {"detectors": "detector", "services": "service", "sessions": "session"}

__all__ = [
    "Column",
    "Dataset",
    "Layout",
    "Recipe",
    "Release",
    "Run",
    "Schema",
    "SchleierError",
    "advise",
    "attack",
    "attacks",
    "correct",
    "criteria",
    "describe",
    "detectors",
    "inspect",
    "measures",
    "methods",
    "plan",
    "read",
    "replay",
    "services",
    "sessions",
    "suggest",
    "verify",
]

if TYPE_CHECKING:
    from schleier import attacks, criteria, measures, methods
    from schleier.core.catalogue import Catalogue
    from schleier.core.data import Dataset
    from schleier.core.errors import SchleierError
    from schleier.core.registry import Kind
    from schleier.core.run import Run
    from schleier.core.schema import Column, Layout, Schema
    from schleier.draft.advise import advise
    from schleier.draft.describe import describe
    from schleier.draft.suggest import suggest
    from schleier.flow.attack.attack import attack
    from schleier.flow.correct import correct
    from schleier.flow.inspect.inspect import inspect
    from schleier.flow.recipe.recipe import Recipe
    from schleier.flow.release.release import Release
    from schleier.flow.replay import replay
    from schleier.flow.run.reader import read
    from schleier.flow.run.runner import verify
    from schleier.planning.plan import plan

    detectors: Catalogue
    services: Catalogue
    sessions: Catalogue


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _CATALOGUES:
        return import_module(f"schleier.{name}")
    if name in _OF_WINGS:
        return import_module("schleier.core.catalogue").Catalogue(_OF_WINGS[name])
    raise AttributeError(f"module 'schleier' has no attribute '{name}'")


def __dir__() -> list[str]:
    """The public names; catalogues that only wings fill are shown where one does."""
    from schleier.core import registry

    empty = {name for name, kind in _OF_WINGS.items() if not registry.ours(kind)}
    return ["__version__", *(name for name in __all__ if name not in empty)]
