"""What a criterion, a loss or a search wants to see of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Missing = Literal["category", "wildcard", "exclude"]
"""A missing key is a value of its own (category), may be anything (wildcard), or takes its row out (exclude).

As a wildcard it widens the class of its own row; it never counts towards the class of another."""


@dataclass(frozen=True)
class Request:
    """One class table, and what it must hold."""

    keys: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    weight: str | None = None
    missing: Missing = "category"
    joint: tuple[tuple[str, ...], ...] = ()
    """Sensitive columns whose combination counts as one value."""
    magnitudes: tuple[str, ...] = ()
    """Columns of amounts: who contributes how much is wanted."""
    populations: tuple[str, ...] = ()
    """Population tables to compare with: "population", "gazetteer"."""
    units: str | None = None
    """The column that says whom rows are about: how many of them a class holds is wanted."""
    members: bool = False
    """Whether it is wanted which units those are: only then are they known where classes are merged or overlap."""
    compositions: tuple[Missing, ...] = ()
    """Policies for missing keys under which it is wanted how many units are alike as a whole."""

    @staticmethod
    def joined(keys: Sequence[str], requests: Iterable[Request], sensitive: Sequence[str] = ()) -> Request:
        """One table of some keys that holds what several ask for, with the histograms of further columns.

        >>> both = Request.joined(["a"], [Request(("a",), sensitive=("x",)), Request(("a",), weight="w")])
        >>> both.sensitive, both.weight
        (('x',), 'w')
        """
        all_ = list(requests)

        def every(what: str, *more: str) -> tuple[Any, ...]:
            return tuple(dict.fromkeys((*(one for request in all_ for one in getattr(request, what)), *more)))

        return Request(
            keys=tuple(keys),
            sensitive=every("sensitive", *sensitive),
            weight=next((request.weight for request in all_ if request.weight), None),
            joint=every("joint"),
            magnitudes=every("magnitudes"),
            populations=every("populations"),
            units=next((request.units for request in all_ if request.units), None),
            members=any(request.members for request in all_),
            compositions=every("compositions"),
        )
