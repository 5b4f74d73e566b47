"""How coarse the keys must be: a quick search on classes, one level at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.kernels.classes.rarity import Rarity

RARE = 0.05
"""Share of records that may be left in classes below k: their keys are blanked afterwards."""
LAST = 3.0
"""Nats that a column is worth for still telling anything at all."""
TRIED = 12
"""Keys that are compared at a turn: of more, those that tell most."""
MANY = 100_000
"""Classes beyond which the finest keys are coarsened first, before alternatives are compared."""


def levels_for(classes: Classes, k: int, rare: float = RARE) -> tuple[int, ...]:
    """A level for each key so that at most a share ``rare`` of the records is in classes of fewer than k.

    Greedy: at each turn the key that turns most rare records into common ones for the entropy it loses. A draft, not
    the least loss there is.

    >>> import pyarrow as pa
    >>> from schleier.core.classes.request import Request
    >>> from schleier.core.data import Dataset
    >>> from schleier.core.hierarchy import parse
    >>> from schleier.core.schema import Column, Schema
    >>> age = Column(name="age", role="quasi", scale="discrete", hierarchy="age")
    >>> schema = Schema(columns=[age], hierarchies={"age": parse({"intervals": [10, 20]})})
    >>> data = Dataset.from_frame(pa.table({"age": list(range(20, 40))}), schema)
    >>> levels_for(data.classes(Request(keys=("age",))), k=5)
    (1,)
    """
    return next(ways_for_each(classes, k, (rare,))).levels


def ways_for_each(classes: Classes, k: int, shares: Sequence[float]) -> Iterator[Way]:
    """The same for several shares, the largest first: one way leads past all of them."""
    keys = _Keys(classes)
    table, levels = keys.table, [0] * len(classes.keys)
    rows, many, left = table.rows, *_shares(table, table.rows, k, classes.records)
    while many > MANY and (finest := keys.finest(levels)) is not None:
        rows = keys.climb(table, rows, levels, finest)
        levels[finest] += 1
        many, left = _shares(table, rows, k, classes.records)
    for rare in sorted(shares, reverse=True):
        while left > rare:
            if keys.nested and many * 2 < len(rows):
                table, rows = table.merged(rows)
            step = _best_step(keys, table, rows, levels, left, k)
            if step is None:
                break  # everything is at its root: the file is too small for this k
            j, rows, many, left = step
            levels[j] += 1
        yield Way(keys, tuple(levels), k, rare)


@dataclass(frozen=True)
class Way:
    """Where the search went for a share."""

    keys: _Keys = field(repr=False)
    reached: tuple[int, ...]
    k: int
    rare: float

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The levels without the steps that turned out not to be needed."""
        return tuple(_relaxed(self.keys, list(self.reached), self.k, self.rare))


def told(classes: Classes, levels: Sequence[int]) -> float:
    """What keys still tell at some levels, as shares of what they told: one is worth as much as another."""
    keys = _Keys(classes)
    return sum(keys.entropy(j, level) / whole for j, level in enumerate(levels) if (whole := keys.entropy(j, 0)) > 0)


def _best_step(
    keys: _Keys, table: Rarity, rows: NDArray[np.uint64], levels: Sequence[int], left: float, k: int
) -> tuple[int, NDArray[np.uint64], int, float] | None:
    """The key to coarsen next, with the rows, classes and share of rare records after it."""
    best: tuple[float, tuple[int, NDArray[np.uint64], int, float]] | None = None
    for j in sorted(keys.open(levels), key=lambda j: -keys.entropy(j, levels[j]))[:TRIED]:
        tried = keys.climb(table, rows, levels, j)
        then, rest = _shares(table, tried, k, keys.classes.records)
        lost = keys.entropy(j, levels[j]) - keys.entropy(j, levels[j] + 1)
        # Analysts miss a column that says nothing more than all that its last step took away.
        gain = (left - rest) / max(lost + (LAST if levels[j] + 1 == keys.tops[j] else 0.0), 1e-9)
        if best is None or gain > best[0]:
            best = gain, (j, tried, then, rest)
    return None if best is None else best[1]


def _relaxed(keys: _Keys, levels: list[int], k: int, rare: float) -> list[int]:
    """Take back steps that turned out not to be needed, the latest coarse keys first."""
    rows = keys.at(levels)
    for j in sorted(range(len(levels)), key=lambda j: -levels[j]):
        while levels[j]:
            finer = keys.climb(keys.table, rows, levels, j, -1)
            lower = [level - (i == j) for i, level in enumerate(levels)]
            if keys.left(lower, finer, k) > rare:
                break
            rows, levels = finer, lower
    return levels


def _shares(table: Rarity, rows: NDArray[np.uint64], k: int, records: int) -> tuple[int, float]:
    """Classes, and the share of the records that is in classes of fewer than k."""
    many, below = table.rare(rows, k)
    return many, float(below) / records if records else 0.0


@dataclass(frozen=True)
class _Keys:
    """What the search knows of each key at each level."""

    classes: Classes

    @cached_property
    def tops(self) -> list[int]:
        return [0 if hierarchy is None else hierarchy.depth for hierarchy in self.classes.hierarchies]

    @cached_property
    def table(self) -> Rarity:
        from schleier.kernels.classes.rarity import Rarity

        classes, members = self.classes, self.classes.members
        held = (None, None) if members is None else (members.classes, members.units)
        return Rarity.of(classes.codes, classes.sizes, [len(values) for values in classes.values], *held)

    @cached_property
    def _codes(self) -> dict[tuple[int, int], NDArray[np.int32]]:
        return {}

    @cached_property
    def _entropies(self) -> dict[tuple[int, int], float]:
        return {}

    @cached_property
    def _counts(self) -> list[NDArray[Any]]:
        """Records of each value of a key, and behind them those where it is missing."""
        import numpy as np

        sizes, width = self.classes.sizes, [len(values) + 1 for values in self.classes.values]
        found = [np.bincount(c + 1, weights=sizes, minlength=w) for c, w in zip(self.table.columns, width, strict=True)]
        return [np.append(counts[1:], counts[0]) for counts in found]

    def codes(self, j: int, level: int) -> NDArray[np.int32]:
        """The code of each value of a key at a level, and behind them that of what is missing."""
        import numpy as np

        if (j, level) not in self._codes:
            many = len(self.classes.values[j])
            if level and level == self.tops[j]:  # everything joins the root, also what is missing
                found = np.zeros(many + 1, dtype=np.int32)
            else:
                own = self.classes.labelled(j, level)[1] if level else np.arange(many)
                found = np.append(own, -1).astype(np.int32)
            self._codes[j, level] = found
        return self._codes[j, level]

    @cached_property
    def nested(self) -> bool:
        """Whether values that are alike at a level are so at all coarser ones."""
        import numpy as np

        try:
            return all(
                len(np.unique(np.stack([fine, self.codes(j, level + 1)]), axis=1).T) == len(np.unique(fine))
                for j, top in enumerate(self.tops)
                for level in range(1, top - 1)
                if (fine := self.codes(j, level)) is not None
            )
        except DataError:  # a level that some value does not have: perhaps nobody will need it
            return False

    def climb(
        self, table: Rarity, rows: NDArray[np.uint64], levels: Sequence[int], j: int, by: int = 1
    ) -> NDArray[np.uint64]:
        """The rows with one key a level coarser."""
        return table.moved(rows, j, self.codes(j, levels[j]), self.codes(j, levels[j] + by))

    def at(self, levels: Sequence[int]) -> NDArray[np.uint64]:
        """The rows of the whole table at some levels."""
        rows = self.table.rows
        for j, level in enumerate(levels):
            rows = self.table.moved(rows, j, self.codes(j, 0), self.codes(j, level)) if level else rows
        return rows

    def left(self, levels: Sequence[int], rows: NDArray[np.uint64], k: int) -> float:
        """The share of the records in classes of fewer than k at some levels, with the rows there: counted once."""
        if (place := tuple(levels)) not in self._left:
            self._left[place] = _shares(self.table, rows, k, self.classes.records)[1]
        return self._left[place]

    @cached_property
    def _left(self) -> dict[tuple[int, ...], float]:
        return {}

    def open(self, levels: Sequence[int]) -> list[int]:
        """Keys that can still be coarsened."""
        return [j for j in range(len(levels)) if levels[j] < self.tops[j]]

    def finest(self, levels: Sequence[int]) -> int | None:
        """The key with most different values that can still be coarsened."""
        return max(self.open(levels), key=lambda j: int(self.codes(j, levels[j]).max(initial=0)) + 1, default=None)

    def entropy(self, j: int, level: int) -> float:
        """What one key tells: E = -sum p ln p over its values, missing being one of them."""
        import numpy as np

        if (j, level) not in self._entropies:
            counts = np.bincount(self.codes(j, level) + 1, weights=self._counts[j])
            shares = counts[counts > 0] / self.classes.records
            self._entropies[j, level] = float(-(shares * np.log(shares)).sum())
        return self._entropies[j, level]
