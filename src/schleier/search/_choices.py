"""Everything a search can show: the best choice, what other degrees of protection cost, and what was looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schleier.search._front import MOST, Point, whole_front

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.search._judge import Node
    from schleier.search._optimum import Search


@dataclass(frozen=True)
class Choices:
    """The outcome of a search, for people who want to choose themselves."""

    best: Point | None
    """The choice that meets all criteria at the least loss."""
    front: tuple[Point, ...]
    """Every choice that is not beaten by another one in both risk and loss, whatever the size of classes demanded."""
    explored: pa.Table
    """The nodes that were looked at: the level of each key, ``_loss_``, records ``_suppressed_``, and ``_met_``."""


def choices(search: Search, most: int = MOST) -> Choices:
    """Search for the best node and for the front; what is asked of sensitive values holds on all of it."""
    node = search.best()
    best = None
    if node is not None:
        levels = dict(zip(node.table.keys, node.levels, strict=True))
        best = Point(levels, node.risk, node.cost, node.suppressed, node.cost <= search.bound)
    explored = search.explored()
    others = tuple(demand for demand in search.demands if not demand.counts_only)

    def of_size(least: int) -> tuple[Node | None, bool]:
        part = replace(search, demands=others, least=least, looked_at=0, bound=0.0)
        found = part.best()
        return found, found is not None and found.cost <= part.bound

    return Choices(best, tuple(whole_front(of_size, most)), explored)
