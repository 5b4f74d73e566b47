"""Where the records of a class may go when cells are blanked: every class with gaps that enough records can reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import Codes
from schleier.kernels.classes.packed import Masks, Packed, agree, spot
from schleier.kernels.compiled import compiled
from schleier.kernels.suppression.cells import patterns, price

Whole = NDArray[np.int64]
ENTRIES = 1 << 22
"""For so many pairs of class and pattern all patterns are looked at."""
SLACK = 1.0
"""For more only patterns that cost so many cells more than those a class cannot do without."""


class Nodes(NamedTuple):
    """Classes before and after blanking. Choice ``a`` of a class leads to ``node[a]`` at ``price[a]`` a record."""

    start: Whole
    """First choice of each class; the choices of a class follow each other, the cheapest first."""
    node: Whole
    """The class with gaps a choice leads to."""
    price: NDArray[np.float64]
    """What a choice costs for one record."""
    blank: Whole
    """The columns a choice blanks."""
    first: Whole
    """First entry of each node in the next two."""
    whose: Whole
    """The classes that reach a node."""
    by: Whole
    """By which of their choices."""


def nodes(codes: Codes, sizes: Whole, costs: Sequence[float], least: int, own: Masks) -> Nodes:
    """The classes with gaps that at least so many records can reach.

    ``own`` are the gaps each class needs at least. Where there are very many pairs of class and pattern, only patterns
    are looked at that cost little more, and only nodes that small classes can reach; the empty record is one of them.

    >>> codes, own = np.array([[0, 0], [0, 1]], dtype=np.int32), np.array([2, 2])
    >>> found = nodes(codes, np.array([1, 2]), [1.0, 2.0], 3, own)
    >>> found.blank.tolist(), found.price.tolist()
    ([2, 3, 2, 3], [2.0, 3.0, 2.0, 3.0])
    """
    rows, tried = Packed.of(codes), patterns(costs)
    keep = np.array([rows.kept(blank) for blank in tried], dtype=np.uint64)
    blanks, prices = np.array(tried, dtype=np.int64), np.array([price(blank, costs) for blank in tried])
    index = np.zeros(len(tried), dtype=np.int64)
    index[blanks] = np.arange(len(tried))
    thorough = len(sizes) * len(tried) <= ENTRIES
    limits = prices[index[own]] + (np.inf if thorough else SLACK * max(costs))
    ids, count = _number(rows.words, rows.gaps, sizes, keep, blanks, prices, index, limits, least, thorough)
    return Nodes(*_choices(ids, count, blanks, prices))


@compiled
def _number(words: Any, gaps: Any, sizes: Any, keep: Any, blanks: Any, prices: Any, index: Any, limits: Any,
            least: Any, thorough: Any) -> Any:  # fmt: skip
    """Number the classes with gaps that are large enough; ``[class, pattern]``, -1 where a class does not go."""
    n, every, count = len(words), len(blanks) - 1, 0
    ids = np.full((n, len(blanks)), -1, np.int32)
    room = 16
    while room < 2 * n:
        room *= 2
    last = np.uint64(room - 1)
    slots, stamps = np.empty(room, np.int32), np.full(room, -1, np.int32)
    local, reach, number = np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int32)
    small, who = np.empty(n, np.bool_), np.empty(n, np.int32)
    for g in range(len(blanks)):  # all columns that are empty in the end, by whatever pattern
        found = 0
        for i in range(n):
            local[i] = -1
            p = index[blanks[g] & ~gaps[i]]
            if gaps[i] & ~blanks[g] or (prices[p] > limits[i] and blanks[g] != every):
                continue
            place = spot(words[i], keep[g]) & last
            while stamps[place] == g and not agree(words[who[slots[place]]], words[i], keep[g]):
                place = (place + np.uint64(1)) & last
            if stamps[place] != g:
                stamps[place], slots[place] = g, found
                who[found], reach[found], small[found] = i, 0, thorough
                found += 1
            local[i] = slots[place]
            reach[local[i]] += sizes[i]
            small[local[i]] |= p == 0 or sizes[i] < least  # home, or a way out for somebody
        for f in range(found):
            number[f] = -1
            if reach[f] >= least and small[f]:
                number[f] = count
                count += 1
        for i in range(n):
            if local[i] >= 0:
                ids[i, index[blanks[g] & ~gaps[i]]] = number[local[i]]
    return ids, count


@compiled
def _choices(ids: Any, count: Any, blanks: Any, prices: Any) -> Any:
    """Lists by class and by node."""
    classes, tried = ids.shape
    start = np.zeros(classes + 1, np.int64)
    for i in range(classes):
        start[i + 1] = start[i]
        for p in range(tried):
            start[i + 1] += ids[i, p] >= 0
    node, blank = np.empty(start[classes], np.int64), np.empty(start[classes], np.int64)
    price, a = np.empty(start[classes]), 0
    first = np.zeros(count + 1, np.int64)
    for i in range(classes):
        for p in range(tried):
            v = ids[i, p]
            if v >= 0:
                node[a], blank[a], price[a] = v, blanks[p], prices[p]
                first[v + 1] += 1
                a += 1
    for v in range(count):
        first[v + 1] += first[v]
    whose, by, fill = np.empty(a, np.int64), np.empty(a, np.int64), first[:-1].copy()
    for i in range(classes):
        for a in range(start[i], start[i + 1]):
            whose[fill[node[a]]], by[fill[node[a]]] = i, a
            fill[node[a]] += 1
    return start, node, price, blank, first, whose, by
