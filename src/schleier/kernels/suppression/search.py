"""Which records lose which cells so that records with the same values and the same gaps are never few.

Records of small classes are placed into classes with gaps, the cheapest per record placed first; where they are too
few, records of larger classes join them. Small tables are then torn apart and put together again many times, larger
ones are annealed; the best is kept. Only records that may move count: of a large class some stay for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from schleier.kernels.classes.coding import Codes
from schleier.kernels.classes.packed import Masks
from schleier.kernels.compiled import compiled
from schleier.kernels.suppression.cells import price
from schleier.kernels.suppression.nodes import Whole, nodes
from schleier.kernels.suppression.placing import draw, fall, fill, free, rebuilt, total, uniform

SMALL = 4_000
"""Tables of so many records are torn apart and put together again."""
EFFORT = 400_000
"""Records placed anew in all; at least ``FEWEST`` and at most ``MOST`` rounds."""
FEWEST, MOST = 50, 3_000
SWEEPS, MOVES = 200, 5_000_000
"""Annealing: moves per record, and in all."""
HOT, COLD, FINE = 0.3, 0.1, 0.5
"""Temperature from and to, and the cost of a record that is lacking; in units of the average cell."""


def common_gaps(
    codes: Codes, sizes: Whole, costs: Sequence[float], least: int, own: Masks, seed: int, *, quick: bool = False
) -> tuple[Whole, Whole, Whole]:
    """How many records of each class lose which columns: classes, columns as bits, and records, in order of class.

    Afterwards every combination, gaps included, occurs ``least`` times. There must be so many records. ``own`` are
    the gaps each class needs by itself (``own_gaps``): less is impossible. ``quick``: the first placing will do.

    >>> codes = np.array([[0, 0], [0, 1], [1, 0]], dtype=np.int32)
    >>> own = np.array([0, 2, 0])
    >>> [part.tolist() for part in common_gaps(codes, np.array([9, 1, 3]), [1, 1], 3, own, seed=1)]
    [[0, 0, 1, 2], [0, 2, 2, 0], [7, 2, 1, 3]]
    """
    graph = nodes(codes, sizes, costs, least, own)
    floor = sum(price(int(blank), costs) * int(sizes[own == blank].sum()) for blank in np.unique(own))
    small = int(sizes.sum()) <= SMALL
    movable = sizes if small else np.minimum(sizes, 2 * least)
    units = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(movable)])
    owner = np.repeat(np.arange(len(sizes)), movable)
    safe = sizes >= least
    home = graph.start[:-1]
    at = np.where(safe[owner], home[owner], -1)
    count = np.zeros(len(graph.first) - 1, dtype=np.int64)
    count[graph.node[home[safe]]] = sizes[safe]
    state, cell = np.array([seed], dtype=np.uint64), float(np.mean(costs))
    fill(least, *graph, units, at, count, np.ones(len(count)), False)
    fall(least, graph.start, graph.node, graph.price, owner, at, count)
    if small and not quick:
        rounds = min(max(EFFORT // max(len(at), 1), FEWEST), MOST)
        at = rebuilt(least, *graph, units, owner, at, count, state, rounds, floor)
    elif not quick:
        other, there, moves = at.copy(), count.copy(), min(SWEEPS * len(at), MOVES)
        _anneal(least, graph.start, graph.node, graph.price, owner, other, there, state, moves, cell)
        free(least, graph.node, other, there)
        fill(least, *graph, units, other, there, np.ones(len(count)), False)
        fall(least, graph.start, graph.node, graph.price, owner, other, there)
        at = other if total(graph.price, other) < total(graph.price, at) else at
    return _parcels(owner, graph.blank[at], sizes - movable)


def _parcels(owner: Whole, blank: Whole, staying: Whole) -> tuple[Whole, Whole, Whole]:
    """Equal records together, those that were never to move with those that stayed."""
    who = np.concatenate([owner, np.flatnonzero(staying)])
    gaps = np.concatenate([blank, np.zeros(len(who) - len(owner), dtype=np.int64)])
    amounts = np.concatenate([np.ones(len(owner), dtype=np.int64), staying[staying > 0]])
    order = np.lexsort((gaps, who))
    who, gaps, amounts = who[order], gaps[order], amounts[order]
    new = np.ones(len(who), dtype=bool)
    new[1:] = (who[1:] != who[:-1]) | (gaps[1:] != gaps[:-1])
    return who[new], gaps[new], np.add.reduceat(amounts, np.flatnonzero(new)) if len(who) else amounts


@compiled
def _lacking(records: Any, least: Any) -> Any:
    return least - records if 0 < records < least else 0


@compiled
def _anneal(least: Any, start: Any, node: Any, price: Any, owner: Any, at: Any, count: Any, state: Any, moves: Any,
            cell: Any) -> Any:  # fmt: skip
    """Move single records at random, dearer moves ever more rarely; nodes may be too small on the way."""
    cooling, heat, low = (COLD / HOT) ** (1.0 / max(moves, 1)), HOT * cell, np.uint64(0xFFFFFFFF)
    for _ in range(moves):
        heat *= cooling
        drawn = draw(state)
        u = np.int64((drawn >> np.uint64(32)) * np.uint64(len(at)) >> np.uint64(32))
        i, old = owner[u], at[u]
        new = start[i] + np.int64((drawn & low) * np.uint64(start[i + 1] - start[i]) >> np.uint64(32))
        if new == old:
            continue
        v, o = node[new], node[old]
        lack = _lacking(count[v] + 1, least) - _lacking(count[v], least)
        lack += _lacking(count[o] - 1, least) - _lacking(count[o], least)
        more = price[new] - price[old] + FINE * cell * lack
        if more <= 0 or np.exp(-more / heat) > uniform(state):
            at[u] = new
            count[v] += 1
            count[o] -= 1
