"""What each degree of protection costs: all nodes that are not beaten by another one in both risk and loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schleier.search._judge import Node

MOST = 200
"""Points of a front that are looked for."""


@dataclass(frozen=True)
class Point:
    """A choice nobody has reason to refuse for another: less risk costs more, less loss is more dangerous."""

    levels: dict[str, int]
    risk: float
    """Chance to find the record that is easiest to find."""
    loss: float
    suppressed: int
    proven: bool
    """Whether it is known that nothing with this risk or less loses less."""


def whole_front(best: Callable[[int], tuple[Node | None, bool]], most: int = MOST) -> list[Point]:
    """The whole front, from the least loss on, one search for each point.

    ``best`` finds the cheapest node whose classes have at least so many records, and says whether that is proven. The
    smallest class of the last point tells what to ask for next: whatever has less risk must have larger classes.
    """
    points: list[Point] = []
    least = 1
    while len(points) < most:
        node, proven = best(least)
        if node is None:
            return points
        smallest = round(1.0 / node.risk)
        levels = dict(zip(node.table.keys, node.levels, strict=True))
        point = Point(levels, node.risk, node.cost, node.suppressed, proven)
        if points and points[-1].loss >= point.loss - 1e-12:
            points.pop()  # the same loss at less risk
        points.append(point)
        least = max(smallest, least) + 1
    return points
