"""Pieces of a recipe by what they are for: the one place that says which component Schleier itself takes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from schleier.core import registry
from schleier.core.registry import Kind


def piece(purpose: str, /, **parameters: Any) -> dict[str, Any]:
    """An entry of a recipe that does what is wanted.

    >>> piece("leave_out", columns=["name"])
    {'method': 'drop', 'columns': ['name']}
    """
    return {**_pieces()[purpose], **parameters}


def made(purpose: str, /, **parameters: Any) -> Any:
    """The component that does what is wanted.

    >>> made("records_alike", k=3).k
    3
    """
    ((kind, word),) = _pieces()[purpose].items()
    return registry.get(cast(Kind, kind), word)(**parameters)


def purpose_of(entry: Mapping[str, Any]) -> str | None:
    """What an entry of a recipe is for; nothing when Schleier would not write such an entry.

    >>> purpose_of({"method": "drop", "columns": ["name"]})
    'leave_out'
    """
    return next((name for name, said in _pieces().items() if said.items() <= entry.items()), None)


@cache
def _pieces() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
