"""The cheapest node of a lattice that meets all criteria, with the proof that there is no cheaper one."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schleier.search._judge import Judge, Node
from schleier.search._shapes import shape_of
from schleier.search._tables import RANKED, lattice_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.kernels.search import limits as kernel
    from schleier.kernels.search.lattice import Lattice, Walk
    from schleier.kernels.search.shapes import Shape

MOST_CELLS = 50_000_000
"""Classes times sensitive values that are counted at once."""
RATE = 10_000_000
"""Class rows a walk moves in a second at least."""
SHARES = (0.5, 0.75, 0.9, 0.95)
"""Of the best found: limits below which all is looked at when time is short."""
TINY = 1e-10
"""Costs that differ by less are the same."""
FIRST, STEP = 1.05, 1.3
"""By how much the limit of the walk is above the best node that seemed to hold, and rises when none below it does."""


@dataclass
class Search(Judge):
    """A search on one class table. ``looked_at`` counts the nodes whose classes were made."""

    seconds: float | None = None
    """Time after which the best found so far must do."""
    looked_at: int = 0
    bound: float = 0.0
    """No node that holds costs less than this; what the best node costs when it is proven to be the best."""
    _walks: list[tuple[Walk, list[int]]] = field(init=False, default_factory=list)
    _refused: set[tuple[int, ...]] = field(init=False, default_factory=set)
    _shape: Shape | None = field(init=False, default=None)
    """The loss where it follows from whole classes, not from the losses of keys."""

    def explored(self) -> pa.Table:
        """The nodes that were looked at: the level of each key, loss, suppressed records, and whether criteria are met.

        Where criteria ask for more than a walk can judge, a node counts as met unless it was judged and failed.
        """
        import numpy as np
        import pyarrow as pa

        names = self.classes.keys
        levels, losses, gone = [np.empty((0, len(names)), np.int64)], [np.empty(0)], [np.empty(0, np.int64)]
        for found, order in self._walks:
            levels.append(_in_order(found.nodes, order))
            losses.append(found.bounds)
            gone.append(found.suppressed)
        nodes, first = np.unique(np.concatenate(levels), axis=0, return_index=True)
        suppressed = np.concatenate(gone)[first]
        refused = np.array([tuple(node) in self._refused for node in nodes.tolist()], dtype=np.bool_)
        columns = {name: nodes[:, j] for j, name in enumerate(names)}
        met = (suppressed <= self.budget) & ~refused
        return pa.table({**columns, "_loss_": np.concatenate(losses)[first], "_suppressed_": suppressed, "_met_": met})

    @property
    def by_whole_classes(self) -> bool:
        """Whether the walk knew the loss although it does not follow from the losses of keys."""
        return self._shape is not None

    def _walk(self, lattice: Lattice, order: list[int], limits: kernel.Limits, limit: float, **how: Any) -> Walk:
        import numpy as np

        from schleier.kernels.search.lattice import walk

        found = walk(lattice, limits, self.budget, limit, shape=self._shape, **how)
        if self.joined[1] == RANKED and len(found.nodes):  # the walk knows the largest loss only
            found = found._replace(bounds=np.maximum(found.bounds, self.bounds(_in_order(found.nodes, order))))
        self.looked_at += len(found.nodes)
        self._walks.append((found, order))
        return found

    def best(self) -> Node | None:
        """The cheapest node that holds, or the cheapest found in time; none when there is none."""
        from schleier.kernels.search import limits as kernel

        start = time.process_time()
        sensitive, limits, whole = self._limits()
        if self.is_cellwise and limits == kernel.Limits(different=0) and not whole:
            return self._one_by_one(start)
        tree = math.isfinite(limits.far_up)
        lattice, order = lattice_of(self.classes, self.keys, *self.joined, sensitive, tree=tree)
        most = int(RATE * self.seconds) if self.seconds else 1 << 62
        if not self.is_cellwise:
            exact = whole and sensitive is None and not (self.blank or self.partial)
            self._shape = shape_of(self.loss, self.classes, self.keys, order, exact=exact)
        if not self.is_cellwise and self._shape is None:
            return self._ranked(self._walk(lattice, order, limits, math.inf, shrink=None, most=most), order)
        # What is suppressed changes what closeness is measured against: then the best may be one that is nearly so.
        shrink = FIRST if sensitive and self.budget and not whole else 1.0
        first = self._walk(lattice, order, limits, math.inf, shrink=shrink, most=most)
        if not math.isfinite(first.best):
            # Cut off by the clock before anything was found: the coarsest node may still do.
            return None if first.finished or not (top := self.top()).holds else top
        found = self.judged(_ordered(first.levels, order))
        exact = found.cost <= first.best + TINY
        if not (found.holds and whole and exact):
            told = first.best * shrink if shrink > 1.0 and first.finished else 0.0
            return self._stricter(lattice, order, limits, first, told, start, most)
        self.bound = found.cost
        if not first.finished:
            found = self._bounded(lattice, order, limits, found, most)
        return found

    def _one_by_one(self, start: float) -> Node | None:
        """Nothing is asked of a class by itself: all nodes in the order of what they cost with nothing suppressed."""
        import numpy as np

        from schleier.kernels.search.lattice import Walk

        nodes = (
            np.stack(np.meshgrid(*(np.arange(key.top + 1) for key in self.keys), indexing="ij"))
            .reshape(len(self.keys), -1)
            .T
        )
        bounds = self.bounds(nodes)
        found = Walk(math.inf, nodes[0], nodes, bounds, np.zeros(len(nodes), np.int64), finished=True)
        self._walks.append((found, list(range(len(self.keys)))))
        best, late = self._improved(None, found, math.inf, self._walks[-1][1], set(), start)
        self.looked_at += len(self._refused) + (best is not None)
        if late and best is None:
            return top if (top := self.top()).holds else None
        self.bound = 0.0 if late else best.cost if best is not None else 1.0
        return best

    def _ranked(self, found: Walk, order: list[int]) -> Node | None:
        """The walk tells which nodes can hold at all; what they cost only their tables tell."""
        from schleier.search._ranking import cheapest_node

        fits = _in_order(found.nodes[found.suppressed <= self.budget], order)
        node, bound = cheapest_node(self, fits, self.seconds)
        self.bound = bound if found.finished else 0.0
        return node if node is not None or found.finished or not (top := self.top()).holds else top

    def _bounded(self, lattice: Lattice, order: list[int], limits: kernel.Limits, found: Node, most: int) -> Node:
        """How far from the best a node can be at most: below some limits everything can be seen in time."""
        self.bound = 0.0
        for share in SHARES:
            limit = share * found.cost
            below = self._walk(lattice, order, limits, limit, shrink=1.0, most=most // len(SHARES))
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
        from schleier.kernels.search.limits import Limits

        known = [demand for demand in self.demands if demand.is_plain(self.classes.keys)]
        plain = [demand.limits for demand in known]
        about, gaps = next(((limits.sensitive, limits.gaps) for limits in plain if limits.sensitive), (None, True))
        if about is not None and len(self.classes.histograms[about].totals) * len(self.classes) > MOST_CELLS:
            about = None
        told = [one for one in plain if one.sensitive is None or (one.sensitive, one.gaps) == (about, gaps)]
        alone = {demand.criterion.alone for demand in known if demand.limits.compares}
        whole = len(told) == len(self.demands) and all(limits.whole for limits in told) and len(alone) < 2
        least = max([self.least, *(limits.least for limits in plain)])
        on_values = [limits for limits in told if limits.sensitive]
        different = max((limits.different for limits in on_values), default=1)
        falls = [limits for limits in on_values if limits.fall > 0]
        strict = [limits for limits in falls if not limits.lack]
        whole = whole and (not strict or len(strict) == len(falls))
        return (
            about,
            Limits(
                least=least,
                different=different if different > 1 else 0,  # where gaps are no values a class may hold none at all
                far=min((limits.far for limits in on_values), default=math.inf),
                far_up=min((limits.far_up for limits in on_values), default=math.inf),
                rise=min((limits.rise for limits in on_values), default=math.inf),
                fall=max((limits.fall for limits in strict or falls), default=0.0),
                lack=bool(falls) and not strict,
                damped=any(limits.damped for limits in on_values),
                gaps=gaps,
                # With further demands other records go, and what is left is something else to compare with.
                again=whole and alone == {True} and not (self.blank or self.partial),
            ),
            whole,
        )

    def _stricter(
        self,
        lattice: Lattice,
        order: list[int],
        limits: kernel.Limits,
        found: Walk,
        limit: float,
        start: float,
        most: int,
    ) -> Node | None:
        """What the walk can judge is a lower bound of every node: judge all of it in that order until it passes.

        A first walk found all nodes below a limit; when that is 0, only the best.
        """
        best: Node | None = None
        seen: set[tuple[int, ...]] = set()
        floor = found.best if found.finished else 0.0
        self.bound = floor
        if not limit:
            limit = max(floor * FIRST, 0.001)
            found = self._walk(lattice, order, limits, limit, shrink=None, most=most)
        while True:
            best, late = self._improved(best, found, limit, order, seen, start)
            if late:
                return best or self.top()
            if not found.finished or (self._late(start) and best is None):
                return best or (top if (top := self.top()).holds else None)
            if limit > 1.0 or (best is not None and best.cost <= limit):
                self.bound = best.cost if best is not None else 1.0
                return best
            self.bound = min(limit, best.cost if best is not None else 1.0)
            limit = best.cost if best is not None else limit * STEP
            found = self._walk(lattice, order, limits, limit, shrink=None, most=most)

    def _improved(
        self, best: Node | None, found: Walk, limit: float, order: list[int], seen: set[tuple[int, ...]], start: float
    ) -> tuple[Node | None, bool]:
        """The best node that holds, with those below a limit not ``seen`` yet; and whether time was up before.

        They are judged in the order of their lower bounds, until these pass the best.
        """
        import numpy as np

        fits = np.flatnonzero((found.suppressed <= self.budget) & (found.bounds < limit))
        for i in fits[np.argsort(found.bounds[fits], kind="stable")]:
            if best is not None and found.bounds[i] >= best.cost:
                break
            levels = _ordered(found.nodes[i], order)
            if levels in seen:
                continue
            if self._late(start) and (best is not None or self.top().holds):
                return best, True
            seen.add(levels)
            node = self.judged(levels)
            if not node.holds:
                self._refused.add(levels)
            elif best is None or node.cost < best.cost:
                best = node
        return best, False

    def _late(self, start: float) -> bool:
        return self.seconds is not None and time.process_time() - start > self.seconds


def _in_order(nodes: NDArray[np.int64], order: Sequence[int]) -> NDArray[np.int64]:
    """Levels of many nodes in the order of the table's keys."""
    import numpy as np

    found = np.empty_like(nodes)
    found[:, list(order)] = nodes
    return found


def _ordered(levels: NDArray[np.int64], order: Sequence[int]) -> tuple[int, ...]:
    """Levels in the order of the table's keys."""
    found = [0] * len(order)
    for place, j in enumerate(order):
        found[j] = int(levels[place])
    return tuple(found)
