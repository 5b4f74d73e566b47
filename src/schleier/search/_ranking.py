"""The best node by a loss of whole tables: nodes are judged in the order of what they cost at least."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.search._judge import Judge, Node


def cheapest_node(judge: Judge, nodes: NDArray[np.int64], seconds: float | None) -> tuple[Node | None, float]:
    """The cheapest of some nodes that holds, and a cost below which there is none.

    What a node costs at least holds for all coarser ones, so each judged node raises the bound of those above it;
    those that cannot be better than the best one any more are never made.
    """
    import numpy as np

    start = time.process_time()
    bounds, open_ = np.zeros(len(nodes)), np.ones(len(nodes), dtype=np.bool_)
    height = nodes.sum(axis=1)
    best: Node | None = None
    while open_.any():
        left = np.flatnonzero(open_)
        low = float(bounds[left].min())
        if best is not None and seconds and time.process_time() - start > seconds:
            return best, min(low, best.cost)
        nearest = left[bounds[left] == low]
        chosen = nearest[np.argmin(height[nearest])]  # the finest of them: its floor says something of most others
        levels = tuple(int(level) for level in nodes[chosen])
        open_[chosen] = False
        above = (nodes >= nodes[chosen]).all(axis=1)
        bounds[above] = np.maximum(bounds[above], judge.floor(levels))
        if best is None or bounds[chosen] < best.cost:
            node = judge.judged(levels)
            if node.holds and (best is None or node.cost < best.cost):
                best = node
        if best is not None:
            open_ &= bounds < best.cost
    return best, best.cost if best is not None else 1.0
