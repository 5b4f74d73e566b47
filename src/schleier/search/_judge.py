"""One choice of levels, judged as the release it would become: what must go, what it costs, whether it holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from schleier.core.cell_loss import CellLoss
from schleier.core.classes import Classes
from schleier.core.loss import Coarsened, Loss
from schleier.search._goals import Demand
from schleier.search._shown import as_category, blanked, holds_alone, recounted
from schleier.search._tables import Key, joined_costs, joined_losses, keys_of_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MORE = 25
"""Further classes that are blanked, one after the other, so that the blank records are enough themselves."""


@dataclass(frozen=True)
class Node:
    """One choice of levels, judged."""

    levels: tuple[int, ...]
    table: Classes
    place: NDArray[np.int64]
    """The class of the table that each class before becomes part of."""
    bad: NDArray[np.bool_]
    """Classes of the table that are suppressed."""
    cost: float
    """Loss, that of suppressed records included."""
    holds: bool
    blank: bool = False
    """Whether suppressed records stay, without keys."""

    @property
    def suppressed(self) -> int:
        """Records in suppressed classes."""
        return int(self.table.sizes[self.bad].sum())

    @property
    def released(self) -> Classes:
        """The classes that stay."""
        return self.table.only(~self.bad) if self.bad.any() else self.table

    @property
    def risk(self) -> float:
        """Chance to find the record that is easiest to find: one by the size of the smallest class of the release."""
        shown = blanked(self.table, self.bad) if self.blank and self.bad.any() else self.released
        return 1.0 / int(shown.sizes.min(initial=self.table.records or 1))


@dataclass
class Judge:
    """What nodes of one class table are judged by."""

    classes: Classes
    demands: Sequence[Demand]
    loss: Loss
    budget: int
    """Records that may be suppressed."""
    counted: Sequence[str]
    """Keys whose loss counts."""
    blank: bool = False
    """Whether the keys of suppressed records become missing, instead of the records being left out."""
    least: int = 1
    """Records of a class, whatever the demands say."""
    partial: bool = False
    """Whether further records will be released beside the node, so that only its classes can be judged."""
    keys: list[Key] = field(init=False)
    worst: float = field(init=False)
    _last: tuple[tuple[int, ...], Classes, NDArray[np.int64]] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        cells = isinstance(self.loss, CellLoss)
        if cells and not self.loss.additive:
            self.counted = [self.classes.keys[j] for j in self.loss.counted(self.classes)]
        self.keys = keys_of_table(self.classes, self.loss, self.counted)
        self.worst = (sum(self.loss.weight(name) for name in self.counted) if cells else 0.0) or 1.0

    @property
    def is_cellwise(self) -> bool:
        """Whether what a node costs follows from the losses of its keys, and these from labels."""
        counts = [
            key.losses is not None
            for key, name in zip(self.keys, self.classes.keys, strict=True)
            if name in self.counted
        ]
        return isinstance(self.loss, CellLoss) and all(counts)

    @property
    def nodes(self) -> int:
        """Size of the lattice."""
        return math.prod(key.top + 1 for key in self.keys)

    def top(self) -> Node:
        """Everything at its root: if this fails, everything does."""
        return self.judged([key.top for key in self.keys])

    def judged(self, levels: Sequence[int]) -> Node:
        """A node with its class table, the classes that must go, and what it costs."""
        table, place = self._rolled_up(tuple(levels))
        bad = self._bad(table)
        if bad.any() and not self.partial:
            bad = self._blank_enough(table, bad) if self.blank else self._also_alone(table, bad)
        if not self.partial and not self.blank and (more := self._without_smallest(table, bad)) is not bad:
            bad = self._also_alone(table, more)
        suppressed = int(table.sizes[bad].sum())
        holds = suppressed <= self.budget and (suppressed < table.records or not table.records)
        holds = holds and self._released_holds(table, bad)
        node = Node(tuple(levels), table, place, bad, 0.0, holds, self.blank)
        return replace(node, cost=self._cost(node))

    def _rolled_up(self, levels: tuple[int, ...]) -> tuple[Classes, NDArray[np.int64]]:
        """The table of a node; the last one is kept, for a bound and a judgement ask for the same."""
        if self._last is None or self._last[0] != levels:
            self._last = (levels, *self.classes.rolled_up(levels))
        return self._last[1:]

    def floor(self, levels: Sequence[int]) -> float:
        """What every node from here upwards costs at least."""
        import numpy as np

        table, place = self._rolled_up(tuple(levels))
        return self.loss.floor(Coarsened(self.classes, tuple(levels), table, place, np.zeros(len(table), np.bool_)))

    def column(self, j: int, level: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Records of each label of a key at a level, and what one of them costs."""
        import numpy as np

        own = self.keys[j].codes[level][self.classes.codes[:, j].astype(np.int64) + 1]
        costs = self.keys[j].costs[level]
        return np.bincount(own, weights=self.classes.sizes, minlength=len(costs)).astype(np.int64), costs

    def unsuppressed(self, levels: Sequence[int]) -> float:
        """What a node costs when nothing is suppressed, by a loss that follows from labels."""
        return float(joined_costs(self._unsuppressed[tuple(range(len(self.keys))), tuple(levels)], *self.joined))

    def bounds(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same of many nodes: no node costs less."""
        import numpy as np

        return joined_costs(self._unsuppressed[np.arange(len(self.keys)), nodes], *self.joined)

    @cached_property
    def _unsuppressed(self) -> NDArray[np.float64]:
        """What each key has lost at each level."""
        import numpy as np

        found = np.zeros((len(self.keys), max((key.top for key in self.keys), default=0) + 1))
        for j, key in enumerate(self.keys):
            found[j, : len(key.losses or ())] = key.losses or ()
        return found

    @cached_property
    def joined(self) -> tuple[NDArray[np.float64], int]:
        """The weight of each key in the cost, and how the losses of the keys become one."""
        return joined_losses(self.loss, self.counted, self.classes.keys)

    def _cost(self, node: Node) -> float:
        import numpy as np

        if not self.is_cellwise:
            return self.loss.of(Coarsened(self.classes, node.levels, node.table, node.place, node.bad))
        lost = self._unsuppressed[tuple(range(len(self.keys))), node.levels]
        gone = node.bad[node.place] if node.bad.any() else None
        if gone is not None:
            codes, sizes = self.classes.codes[gone].astype(np.int64) + 1, self.classes.sizes[gone]
            for j, (key, level) in enumerate(zip(self.keys, node.levels, strict=True)):
                if key.extras:
                    lost[j] += float((key.extras[level][key.codes[level][codes[:, j]]] * sizes).sum())
        return float(joined_costs(lost, *self.joined))

    def _bad(self, table: Classes) -> NDArray[np.bool_]:
        """Classes that fail; where dropping some makes others fail, these too, until all that is left is good."""
        import numpy as np

        bad = np.zeros(len(table), dtype=np.bool_)
        while True:
            left = np.flatnonzero(~bad)
            rest = table.only(~bad) if bad.any() else table
            new = rest.sizes < self.least
            for demand in self.demands:
                new |= demand.bad(rest)
            bad[left[new]] = True
            if not new.any() or all(demand.is_plain(table.keys) for demand in self.demands):
                return bad

    def _released_holds(self, table: Classes, bad: NDArray[np.bool_]) -> bool:
        """Whether all criteria hold of what is released."""
        if self.partial:
            return True
        if not bad.any():
            return all(self._met(demand, table) for demand in self.demands)
        if self.blank:
            left = blanked(table, bad)
            return self._blanks_hold(left) and all(demand.met(left) for demand in self.demands)
        left = table.only(~bad)
        return all(self._met(demand, left) for demand in self.demands) and holds_alone(self.demands, left)

    def _also_alone(self, table: Classes, bad: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Classes that fail, also when compared with what is left.

        The search compares classes with the table before suppression; whoever verifies has only the table after.
        """
        import numpy as np

        demands = [demand for demand in self.demands if demand.criterion.alone and not demand.counts_only]
        while table.histograms and demands and not bad.all():
            left = recounted(table.only(~bad))
            new = np.zeros(len(left), dtype=np.bool_)
            for demand in demands:
                new |= demand.bad(left)
            if not new.any():
                break
            bad = bad.copy()
            bad[np.flatnonzero(~bad)[new]] = True
        return bad

    def _without_smallest(self, table: Classes, bad: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Classes that fail, and as many of the smallest others as it takes for the table as a whole to hold."""
        import numpy as np

        demands = [demand for demand in self.demands if demand.criterion.of_table]
        room = self.budget - int(table.sizes[bad].sum())
        if not demands or room <= 0:
            return bad
        good = np.flatnonzero(~bad)
        good = good[np.argsort(table.sizes[good], kind="stable")]

        def without(count: int) -> NDArray[np.bool_]:
            wider = bad.copy()
            wider[good[:count]] = True
            return wider

        def is_enough(count: int) -> bool:
            left = table.only(~without(count))
            return all(demand.met(left) for demand in demands)

        enough = min(int(np.searchsorted(np.cumsum(table.sizes[good]), room, side="right")), len(good) - 1)
        if enough <= 0 or not is_enough(enough) or is_enough(0):
            return bad
        few = 0
        while enough - few > 1:
            middle = (few + enough) // 2
            few, enough = (few, middle) if is_enough(middle) else (middle, enough)
        return without(enough)

    def _met(self, demand: Demand, kept: Classes) -> bool:
        if demand.limits.whole and demand.is_plain(kept.keys):
            return True  # no class that fails is left
        return demand.met(kept)

    def _blank_enough(self, table: Classes, bad: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Blank the smallest good classes too, until the blank records are no class that fails."""
        import numpy as np

        good = np.flatnonzero(~bad)
        more = good[np.argsort(table.sizes[good], kind="stable")][:MORE]
        for extra in range(len(more) + 1):
            wider = bad.copy()
            wider[more[:extra]] = True
            if int(table.sizes[wider].sum()) > self.budget:
                break
            if self._blanks_hold(blanked(table, wider)):
                return wider
        return bad

    def _blanks_hold(self, left: Classes) -> bool:
        """Whether records without keys are no class that fails: seen as one, whatever missing means elsewhere."""
        import numpy as np

        empty = left.only(np.asarray((left.codes < 0).all(axis=1)))
        if not len(empty):
            return True
        strict = [as_category(demand) for demand in self.demands]
        return int(empty.sizes[0]) >= self.least and not any(demand.bad(empty).any() for demand in strict)
