"""Rare values of one column, and how many of a kind live in a region."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schleier.core.classes import Classes
from schleier.core.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.hierarchy import Hierarchy

    Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Look:
    """One column, by itself and by region."""

    pair: Classes
    """Its values by region, with their hierarchies."""
    spot: NDArray[np.int64]
    """Where each class of all columns is in ``pair``."""
    limit: float
    few: int

    @staticmethod
    def at(classes: Classes, name: str, place: str | None, limit: float, few: int) -> Look:
        """The column in a table of classes."""
        keys = (name,) if place is None else (name, place)
        pair, spot = classes.onto(keys)
        steps = tuple(_ready(classes, classes.keys.index(key)) for key in keys)
        return Look(replace(pair, hierarchies=steps), spot, limit, few)

    @property
    def rare(self) -> Flags:
        """Classes with a rare value."""
        return self._flags(self.pair)[0][self.spot]

    @property
    def exposed(self) -> Flags:
        """Classes with a rare value and few of their kind in the region."""
        return self._flags(self.pair)[1][self.spot]

    def exposed_at(self, levels: tuple[int, ...]) -> Flags | None:
        """Those that still are at some levels of column and region; nothing where there are no such levels."""
        try:
            table, up = self.pair.rolled_up(levels)
        except (DataError, ValueError):  # the hierarchy does not fit what was released
            return None
        return (self._flags(table)[1][up] & self._flags(self.pair)[1])[self.spot]

    def _flags(self, table: Classes) -> tuple[Flags, Flags]:
        """Rare values, and those of which there are few in a region; what is missing is neither."""
        import numpy as np

        single, up = table.onto(table.keys[:1])
        persons = single.sizes if single.weights is None else single.weights
        rare = np.asarray((persons < self.limit) & (single.codes[:, 0] >= 0))[up]
        return rare, np.asarray(rare & (table.sizes < self.few) & (table.codes >= 0).all(axis=1))

    def details(self, classes: Classes) -> dict[str, int | None]:
        """Counts: values, rare ones, records with these, records exposed, and exposed one level higher."""
        import numpy as np

        single, up = self.pair.onto(self.pair.keys[:1])
        rare = self._flags(self.pair)[0]
        higher = self.exposed_at((1, *(0,) * (len(self.pair.keys) - 1)))
        return {
            "values": int((single.codes[:, 0] >= 0).sum()),
            "values_in_small_groups": len(np.unique(up[rare])),
            "in_small_groups": int(self.pair.sizes[rare].sum()),
            "exposed": int(classes.sizes[self.exposed].sum()),
            "one_level_higher": None if higher is None else int(classes.sizes[higher].sum()),
        }


def left_exposed(classes: Classes, looks: list[Look]) -> list[int]:
    """Records still exposed when the region is one, two, ... levels coarser."""
    import numpy as np

    steps = looks[0].pair.hierarchies[1]
    left: list[int] = []
    for level in range(1, steps.depth + 1 if steps else 1):
        flags = [flag for look in looks if (flag := look.exposed_at((0, level))) is not None]
        if len(flags) < len(looks):
            return left
        left.append(int(classes.sizes[np.any(flags, axis=0)].sum()))
    return left


def _ready(classes: Classes, j: int) -> Hierarchy | None:
    """The hierarchy of a key, fitted to its values where it learns from them."""
    from schleier.kernels.classes.coding import MISSING, add_up

    steps = classes.hierarchies[j]
    if steps is None or not steps.learns:
        return steps
    held = classes.codes[:, j] != MISSING
    return steps.fit(classes.values[j], add_up(classes.sizes[held], classes.codes[held, j], len(classes.values[j])))
