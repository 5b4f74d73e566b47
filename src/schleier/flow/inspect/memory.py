"""A dataset that groups its rows once, however many ask for the same classes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from schleier.core.classes.histogram import joint
from schleier.core.classes.request import Request
from schleier.core.data import Dataset

if TYPE_CHECKING:
    from schleier.core.classes import Classes

LISTS = ("sensitive", "joint", "magnitudes", "populations")


@dataclass(frozen=True)
class Remembering(Dataset):
    """A dataset that remembers class tables; a table that holds more than is asked for answers too."""

    known: dict[Request, Classes] = field(default_factory=dict, init=False, repr=False, compare=False)

    def classes(self, request: Request) -> Classes:
        """The equivalence classes of some keys."""
        if request in self.known:
            return self.known[request]
        for wider, table in self.known.items():
            if _holds(wider, request):
                return _only(table, request)
        self.known[request] = super().classes(request)
        return self.known[request]


def _holds(wider: Request, request: Request) -> bool:
    """Whether a table made for one request holds everything another asks for.

    >>> _holds(Request(("a",), weight="w"), Request(("a",))), _holds(Request(("a",)), Request(("a",), weight="w"))
    (True, False)
    """
    same = (wider.keys, wider.missing) == (request.keys, request.missing)
    single = all(getattr(request, name) in (None, getattr(wider, name)) for name in ("weight", "units"))
    return same and single and all(set(getattr(request, name)) <= set(getattr(wider, name)) for name in LISTS)


def _only(table: Classes, request: Request) -> Classes:
    """The table without what was not asked for, as if it had been grouped for this request."""
    spread = (*request.sensitive, *map(joint, request.joint))
    return replace(
        table,
        weights=table.weights if request.weight else None,
        squares=table.squares if request.weight else None,
        units=table.units if request.units else None,
        histograms={name: table.histograms[name] for name in spread},
        magnitudes={name: table.magnitudes[name] for name in request.magnitudes},
        populations={name: table.populations[name] for name in request.populations},
    )
