"""A good node of a lattice that is too large to be searched whole: steps downhill from the root, several times."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from schleier.core.cell_loss import CellLoss
from schleier.search._judge import Judge, Node

if TYPE_CHECKING:
    import numpy as np

    from schleier.search._optimum import Search

SECONDS = 60.0
"""Time that is taken unless a limit is given."""
TURNS = 8
"""Descents without a better node after which it stops."""
GROUP = 20_000
"""Nodes of the lattice of a group of keys that is searched for a bound."""
TINY = 1e-12
"""Costs that differ by less are the same."""
JUMP = 3
"""Keys that are made coarser at random before the next descent."""


def greedy_node(judge: Judge, rng: np.random.Generator, seconds: float | None) -> tuple[Node | None, int]:
    """The best node found, and how many were looked at; none when even the root fails."""
    import numpy as np

    end = time.process_time() + (seconds or SECONDS)
    descent = _Descent(judge, end)
    top = judge.top()
    if not top.holds:
        return None, 1
    best = descent.down(top)
    vain = 0
    while vain < TURNS and time.process_time() < end:
        levels = np.array(best.levels)
        for j in rng.permutation(len(levels))[:JUMP]:
            levels[j] = rng.integers(levels[j], judge.keys[j].top + 1)
        start = judge.judged(tuple(int(level) for level in levels))
        descent.looked_at += 1
        # A start that fails is no matter: what is finer may still hold, as criteria need not be monotone.
        found = descent.down(start) if start.holds else best
        vain = vain + 1 if found.cost >= best.cost else 0
        best = found if found.cost < best.cost else best
    return best, descent.looked_at + 1


class _Descent:
    """Steps to cheaper nodes that hold: one key finer, or one finer and another one coarser."""

    def __init__(self, judge: Judge, end: float) -> None:
        self.judge, self.end, self.looked_at = judge, end, 0

    def down(self, node: Node) -> Node:
        while time.process_time() < self.end:
            # What is finer at the same cost is a step too: the next level may be cheaper.
            better = self._first(node.cost + TINY, self._finer(node.levels))
            better = better or self._first(node.cost - TINY, self._exchanged(node.levels))
            if better is None:
                return node
            node = better
        return node

    def _first(self, below: float, nearby: list[tuple[float, tuple[int, ...]]]) -> Node | None:
        """The first of some nodes that holds, by their cost when nothing is suppressed: the least they can cost."""
        for cost, levels in sorted(nearby):
            if cost >= below or time.process_time() > self.end:
                return None
            self.looked_at += 1
            found = self.judge.judged(levels)
            if found.holds and found.cost < below:
                return found
        return None

    def _finer(self, levels: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        lower = [_moved(levels, {j: level - 1}) for j, level in enumerate(levels) if level > 0]
        return [(self._least(one), one) for one in lower]

    def _exchanged(self, levels: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        pairs = [
            _moved(levels, {j: levels[j] - 1, i: levels[i] + 1})
            for j in range(len(levels))
            for i in range(len(levels))
            if i != j and levels[j] > 0 and levels[i] < self.judge.keys[i].top
        ]
        return [(self._least(one), one) for one in pairs]

    def _least(self, levels: tuple[int, ...]) -> float:
        """What a node costs when nothing is suppressed; 0 where the loss cannot say it key by key."""
        return self.judge.unsuppressed(levels) if self.judge.loss.additive else 0.0


def _moved(levels: tuple[int, ...], changes: dict[int, int]) -> tuple[int, ...]:
    return tuple(changes.get(j, level) for j, level in enumerate(levels))


def bound(search: Search) -> float:
    """A cost below which nothing holds: what groups of keys cost at least when each is searched for itself.

    A record in a class that is too small on some keys is in one that is too small on all of them, so a node that holds
    holds on each group, with no more suppressed; and its cost is the sum of theirs.
    """
    least = max([1, *(demand.limits.least for demand in search.demands if demand.is_plain(search.classes.keys))])
    if not isinstance(search.loss, CellLoss) or not search.loss.additive:
        return 0.0
    total = 0.0
    for group in _groups(search):
        chosen = [search.classes.keys.index(name) for name in group]
        kept = tuple(search.classes.hierarchies[j] for j in chosen)
        classes = replace(search.classes.onto(group)[0], hierarchies=kept)
        counted = [name for name in group if name in search.counted]
        seconds = (search.seconds or SECONDS) / 10
        part = replace(search, classes=classes, demands=(), counted=counted, least=least, blank=False, seconds=seconds)
        part.best()
        total += part.bound * part.worst
    return total / search.worst


def _groups(search: Search) -> list[list[str]]:
    """Keys in groups whose lattices are small enough, those that tell most together."""
    sizes = {name: key.top + 1 for name, key in zip(search.classes.keys, search.keys, strict=True)}
    groups: list[list[str]] = []
    nodes = GROUP + 1
    for name in sorted(sizes, key=lambda name: -len(search.classes.values[search.classes.keys.index(name)])):
        if nodes * sizes[name] > GROUP:
            groups.append([])
            nodes = 1
        groups[-1].append(name)
        nodes *= sizes[name]
    return groups
