"""A dataset that groups its rows once, however many ask for the same classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.classes.histogram import joint
from schleier.core.classes.request import Request
from schleier.core.data import Dataset, Spectrum
from schleier.core.schema import Column

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.classes import Classes

LISTS = ("sensitive", "joint", "magnitudes", "populations", "compositions")


@dataclass(frozen=True)
class Memory:
    """Class tables, and what they depend on."""

    frame: nw.LazyFrame[Any] = field(repr=False)
    populations: Mapping[str, Dataset]
    columns: tuple[Column, ...]
    """The columns without their hierarchies."""
    tables: dict[Request, Classes] = field(default_factory=dict)

    def fits(self, other: Memory) -> bool:
        """Whether what is remembered here holds there too."""
        same = self.frame is other.frame and self.populations is other.populations
        return same and self.columns == other.columns


@dataclass(frozen=True)
class CachedDataset(Dataset):
    """A dataset that remembers class tables; a table that holds more than is asked for answers too.

    The same rows share the memory when only their hierarchies are others; any other change begins anew.
    """

    memory: Memory | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        columns = tuple(column.model_copy(update={"hierarchy": None}) for column in self.schema)
        own = Memory(self.frame, self.populations, columns)
        if self.memory is None or not self.memory.fits(own):
            object.__setattr__(self, "memory", own)

    @staticmethod
    def of(data: Dataset) -> CachedDataset:
        """A dataset, with a memory."""
        return CachedDataset(data.frame, data.schema, data.engine, data.populations, data.added)

    def classes(self, request: Request) -> Classes:
        """The equivalence classes of some keys, with the hierarchies they have here."""
        table, hierarchies = self._table(request), tuple(map(self._hierarchy, request.keys))
        if table.hierarchies == hierarchies and not table.histograms:
            return table  # what others asked of it is known
        histograms = {
            name: replace(
                found,
                columns=tuple(self.schema[column.name] for column in found.columns),
                hierarchy=self._hierarchy(name) if name in self.schema else None,
            )
            for name, found in table.histograms.items()
        }
        return replace(table, hierarchies=hierarchies, histograms=histograms)

    def spectrum(self, name: str) -> Spectrum:
        """How often the values of a column occur, from a class table of which it is a key where there is one."""
        tables = self.memory.tables if self.memory else {}
        known = (table for wider, table in tables.items() if name in wider.keys and wider.missing != "exclude")
        if (table := next(known, None)) is None:
            return super().spectrum(name)
        import numpy as np

        from schleier.kernels.classes.uniqueness import spectrum

        codes = table.codes[:, table.keys.index(name)]
        rows = np.bincount(codes + 1, weights=table.sizes, minlength=1).astype(np.int64)
        times, values = spectrum(rows[1:][rows[1:] > 0])
        if missing := int(rows[0]):
            times, values = np.append(times, missing), np.append(values, 1)
        return Spectrum(times, values, (np.arange(len(times)) == len(times) - 1) & bool(missing))

    def _table(self, request: Request) -> Classes:
        tables = self.memory.tables if self.memory else {}
        if request in tables:
            return tables[request]
        for wider, table in tables.items():
            if _holds(wider, request):
                tables[request] = _only(table, request)
                break
        else:
            tables[request] = super().classes(request)
        return tables[request]


def _holds(wider: Request, request: Request) -> bool:
    """Whether a table made for one request holds everything another asks for.

    >>> _holds(Request(("a",), weight="w"), Request(("a",))), _holds(Request(("a",)), Request(("a",), weight="w"))
    (True, False)
    """
    same = (wider.keys, wider.missing) == (request.keys, request.missing) and wider.members >= request.members
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
        members=table.members if request.members else None,
        compositions={missing: table.compositions[missing] for missing in request.compositions},
        histograms={name: table.histograms[name] for name in spread},
        magnitudes={name: table.magnitudes[name] for name in request.magnitudes},
        populations={name: table.populations[name] for name in request.populations},
    )
