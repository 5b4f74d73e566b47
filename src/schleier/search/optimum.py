"""The cheapest node of a lattice that meets all criteria, with the proof that there is no cheaper one."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schleier.core.classes import Classes
from schleier.core.loss import Loss
from schleier.search.goals import Demand
from schleier.search.tables import Key, keys_of, lattice_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.kernels import lattice as kernel
    from schleier.kernels.lattice import Lattice

MOST_CELLS = 50_000_000
"""Classes times sensitive values that are counted at once."""
RATE = 10_000_000
"""Class rows a walk moves in a second at least."""
SHARES = (0.5, 0.75, 0.9, 0.95)
"""Of the best found: limits below which all is looked at when time is short."""
STEP = 1.3
"""By how much the limit of the walk rises when no node below it meets the criteria."""


@dataclass(frozen=True)
class Node:
    """One choice of levels, judged."""

    levels: tuple[int, ...]
    table: Classes
    bad: NDArray[np.bool_]
    """Classes of the table that are dropped."""
    cost: float
    """Mean loss of a record, 1 for a dropped one."""
    holds: bool

    @property
    def dropped(self) -> int:
        """Records in dropped classes."""
        return int(self.table.sizes[self.bad].sum())


@dataclass
class Search:
    """A search on one class table. ``looked_at`` counts the nodes whose classes were made."""

    classes: Classes
    demands: Sequence[Demand]
    loss: Loss
    budget: int
    counted: Sequence[str]
    seconds: float | None = None
    """Time after which the best found so far must do."""
    looked_at: int = 0
    bound: float = 0.0
    """No node that holds costs less than this; what the best node costs when it is proven to be the best."""
    keys: list[Key] = field(init=False)
    worst: float = field(init=False)

    def __post_init__(self) -> None:
        self.keys = keys_of(self.classes, self.loss, self.counted)
        self.worst = sum(self.loss.weight(name) for name in self.counted) or 1.0

    @property
    def nodes(self) -> int:
        """Size of the lattice."""
        return math.prod(key.top + 1 for key in self.keys)

    def top(self) -> Node:
        """Everything at its root: if this fails, everything does."""
        return self.judged([key.top for key in self.keys])

    def best(self) -> Node | None:
        """The cheapest node that holds, or the cheapest found in time; none when there is none."""
        from schleier.kernels.lattice import walk

        start = time.monotonic()
        sensitive, limits, whole = self._limits()
        lattice, order = lattice_of(self.classes, self.keys, self.worst, sensitive)
        most = int(RATE * self.seconds) if self.seconds else 1 << 62
        first = walk(lattice, limits, self.budget, math.inf, shrink=True, most=most)
        self.looked_at = len(first.nodes)
        if not math.isfinite(first.best):
            # Cut off by the clock before anything was found: the coarsest node may still do.
            return None if first.finished or not (top := self.top()).holds else top
        found = self.judged(_ordered(first.levels, order))
        if not (found.holds and whole):
            return self._stricter(lattice, order, limits, first.best if first.finished else 0.0, start)
        self.bound = found.cost
        if not first.finished:
            found = self._bounded(lattice, order, limits, found, most)
        return found

    def _bounded(self, lattice: Lattice, order: list[int], limits: kernel.Limits, found: Node, most: int) -> Node:
        """How far from the best a node can be at most: below some limits everything can be seen in time."""
        from schleier.kernels.lattice import walk

        self.bound = 0.0
        for share in SHARES:
            limit = share * found.cost * self.worst * self.classes.records
            below = walk(lattice, limits, self.budget, limit, shrink=True, most=most // len(SHARES))
            self.looked_at += len(below.nodes)
            if not below.finished:
                break
            if below.levels[0] >= 0:  # everything below the limit was seen, and this is the best of it
                found = self.judged(_ordered(below.levels, order))
                self.bound = found.cost
                break
            self.bound = share * found.cost
        return found

    def _limits(self) -> tuple[str | None, kernel.Limits, bool]:
        """What the walk judges: the strictest limits, those on values for one sensitive column; and if that is all."""
        from schleier.kernels.lattice import Limits

        plain = [demand.limits for demand in self.demands if demand.is_plain(self.classes.keys)]
        about = next((limits.sensitive for limits in plain if limits.sensitive), None)
        if about is not None and len(self.classes.histograms[about].totals) * len(self.classes) > MOST_CELLS:
            about = None
        told = [limits for limits in plain if limits.sensitive in (None, about)]
        whole = len(told) == len(self.demands) and all(limits.whole for limits in told)
        least = max((limits.least for limits in plain), default=1)
        on_values = [limits for limits in told if limits.sensitive]
        different = max((limits.different for limits in on_values), default=1)
        return about, Limits(least, different, min((limits.far for limits in on_values), default=math.inf)), whole

    def _stricter(
        self, lattice: Lattice, order: list[int], limits: kernel.Limits, floor: float, start: float
    ) -> Node | None:
        """What the walk can judge is a lower bound of every node: judge all of it in that order until it passes."""
        import numpy as np

        from schleier.kernels.lattice import walk

        best: Node | None = None
        seen: set[tuple[int, ...]] = set()
        highest = self.worst * max(self.classes.records, 1)
        limit = max(floor * STEP, highest / 1000)
        self.bound = floor / highest
        while True:
            found = walk(lattice, limits, self.budget, limit, shrink=False)
            self.looked_at += len(found.nodes)
            fits = np.flatnonzero((found.suppressed <= self.budget) & (found.bounds < limit))
            for i in fits[np.argsort(found.bounds[fits], kind="stable")]:
                if best is not None and found.bounds[i] >= best.cost * highest:
                    break
                levels = _ordered(found.nodes[i], order)
                if levels in seen:
                    continue
                if best is not None and self.seconds and time.monotonic() - start > self.seconds:
                    return best
                seen.add(levels)
                node = self.judged(levels)
                if node.holds and (best is None or node.cost < best.cost):
                    best = node
            if limit > highest or (best is not None and best.cost * highest <= limit):
                self.bound = best.cost if best is not None else 1.0
                return best
            self.bound = min(limit / highest, best.cost if best is not None else 1.0)
            limit = best.cost * highest if best is not None else limit * STEP

    def judged(self, levels: Sequence[int]) -> Node:
        """A node with its class table, the classes that must go, and what it costs."""
        import numpy as np

        table, place = self.classes.rolled_up(levels)
        bad = self._bad(table)
        own = np.zeros(len(self.classes))
        for j, (key, level) in enumerate(zip(self.keys, levels, strict=True)):
            own += key.costs[level][key.codes[level][self.classes.codes[:, j].astype(np.int64) + 1]]
        records = self.classes.records
        total = float((np.where(bad[place], self.worst, own) * self.classes.sizes).sum())
        dropped = int(table.sizes[bad].sum())
        kept = table.only(~bad) if bad.any() else table
        holds = dropped <= self.budget and all(self._verdict(demand, kept) for demand in self.demands)
        return Node(tuple(levels), table, bad, total / (self.worst * max(records, 1)), holds)

    def _bad(self, table: Classes) -> NDArray[np.bool_]:
        """Classes that fail; where dropping some makes others fail, these too, until all that is left is good."""
        import numpy as np

        bad = np.zeros(len(table), dtype=np.bool_)
        while True:
            left = np.flatnonzero(~bad)
            rest = table.only(~bad) if bad.any() else table
            new = np.zeros(len(rest), dtype=np.bool_)
            for demand in self.demands:
                new |= demand.bad(rest)
            bad[left[new]] = True
            if not new.any() or all(demand.is_plain(table.keys) for demand in self.demands):
                return bad

    def _verdict(self, demand: Demand, kept: Classes) -> bool:
        if demand.limits.whole and demand.is_plain(kept.keys):
            return True  # no class that fails is left
        return demand.verdict(kept).holds


def _ordered(levels: NDArray[np.int64], order: Sequence[int]) -> tuple[int, ...]:
    """Levels in the order of the table's keys."""
    found = [0] * len(order)
    for place, j in enumerate(order):
        found[j] = int(levels[place])
    return tuple(found)
