"""Exact search for the nearest and the farthest of the records that are left, while records are taken away.

Records lie in leaves of a few dozen that are near each other, each with the box that holds them. A leaf is looked into
only when its box could hold an answer, and first in single precision: whatever could be an answer within the error of
that is measured again in double precision, column after column. So the answers are those of a plain search, and of
equally distant records the first is taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled
from schleier.kernels.grouping.halving import Floats, Whole, halve, widest

Singles = NDArray[np.float32]
WIDTH = 64
"""Records in a leaf."""


class Leaves(NamedTuple):
    """Records in leaves; the arrays change as records are taken."""

    x: Floats
    """The records, in double precision."""
    cells: Any
    """Leaf, column, slot: values from ``centre`` times ``scale``, in single precision."""
    rows: Any
    """Leaf, slot: number of the record."""
    counts: Whole
    """Records left in each leaf; they are in its first slots."""
    low: Singles
    """Column, leaf: the box of what is left."""
    high: Singles
    place: Whole
    """Leaf and slot of each record (leaf * WIDTH + slot), or -1 when it is taken."""
    least: Floats
    """Leaf, column: the box of what was there at first, in double precision; it settles ties."""
    most: Floats
    first: Whole
    """Lowest number of a record that was in the leaf at first."""
    squares: Singles
    """Leaf, slot: squared distance from the centre."""
    top: Floats
    """The largest of each leaf."""
    bounds: Floats
    """Room for the distances of the boxes."""
    inside: Singles
    """Room for the distances within a leaf."""
    centre: Floats
    """A point in the middle."""
    scale: float
    """A power of two that brings all values between -1 and 1."""


@compiled
def build(x: Floats, left: Whole) -> Leaves:
    """Leaves of the records ``left`` (ascending numbers), cut at the middle of the widest column."""
    columns = x.shape[1]
    leaves = max((len(left) + WIDTH - 1) // WIDTH, 1)
    order, centre = left.copy(), _middle(x, left)
    scale = _scale(x, left, centre)
    cells = np.zeros((leaves, columns, WIDTH), np.float32)
    rows = np.full((leaves, WIDTH), -1, np.int64)
    counts = np.zeros(leaves, np.int64)
    low = np.full((columns, leaves), np.inf, np.float32)
    high = np.full((columns, leaves), -np.inf, np.float32)
    squares, top = np.zeros((leaves, WIDTH), np.float32), np.full(leaves, -np.inf)
    place = np.full(len(x), -1, np.int64)
    least, most = np.full((leaves, columns), np.inf), np.full((leaves, columns), -np.inf)
    first, room = np.full(leaves, len(x), np.int64), np.empty(WIDTH, np.float32)
    bounds = np.empty(leaves)
    found = Leaves(
        x, cells, rows, counts, low, high, place, least, most, first, squares, top, bounds, room, centre, scale
    )
    stack = [(0, len(order))]
    while len(stack) > 0:
        start, end = stack.pop()
        if end - start <= WIDTH:
            leaf = start // WIDTH
            counts[leaf] = end - start
            for slot in range(end - start):
                row = order[start + slot]
                rows[leaf, slot], place[row] = row, leaf * WIDTH + slot
                first[leaf] = min(first[leaf], row)
                for j in range(columns):
                    least[leaf, j], most[leaf, j] = min(least[leaf, j], x[row, j]), max(most[leaf, j], x[row, j])
                    value = (x[row, j] - centre[j]) * scale
                    cells[leaf, j, slot] = value
                    squares[leaf, slot] += value * value
            _fit(found, leaf)
            continue
        pieces = (end - start + WIDTH - 1) // WIDTH
        middle = start + (pieces + 1) // 2 * WIDTH
        halve(x, order, start, end, middle, widest(x, order, start, end))
        stack.append((start, middle))
        stack.append((middle, end))
    return found


@compiled
def _middle(x: Floats, left: Whole) -> Floats:
    centre = np.zeros(x.shape[1])
    for row in left:
        centre += x[row]
    return centre / max(len(left), 1)


@compiled
def _scale(x: Floats, left: Whole, centre: Floats) -> float:
    most = 0.0
    for row in left:
        for j in range(x.shape[1]):
            most = max(most, abs(x[row, j] - centre[j]))
    return 1.0 if most == 0.0 else 2.0 ** -np.ceil(np.log2(most))


@compiled
def _fit(leaves: Leaves, leaf: int) -> None:
    """The box of what is left in a leaf, and how far from the centre it reaches."""
    count, cells = leaves.counts[leaf], leaves.cells[leaf]
    for j in range(cells.shape[0]):
        least, most = np.float32(np.inf), np.float32(-np.inf)
        for slot in range(count):
            value = cells[j, slot]
            least = value if value < least else least
            most = value if value > most else most
        leaves.low[j, leaf], leaves.high[j, leaf] = least, most
    top = -np.inf
    for slot in range(count):
        top = max(top, leaves.squares[leaf, slot])
    leaves.top[leaf] = top


@compiled
def take(leaves: Leaves, row: int) -> None:
    """Take a record away; the last of its leaf moves to its slot."""
    leaf, slot = leaves.place[row] // WIDTH, leaves.place[row] % WIDTH
    leaves.place[row] = -1
    leaves.counts[leaf] -= 1
    last = leaves.counts[leaf]
    if slot != last:
        moved = leaves.rows[leaf, last]
        leaves.rows[leaf, slot], leaves.place[moved] = moved, leaf * WIDTH + slot
        for j in range(leaves.cells.shape[1]):
            leaves.cells[leaf, j, slot] = leaves.cells[leaf, j, last]
        leaves.squares[leaf, slot] = leaves.squares[leaf, last]
    _fit(leaves, leaf)


@compiled
def squared_distance(a: Floats, b: Floats) -> float:
    """Squared distance in double precision, column after column."""
    total = 0.0
    for j in range(len(a)):
        total += (a[j] - b[j]) * (a[j] - b[j])
    return total


@compiled
def _limit(leaves: Leaves, squared: float, sign: float) -> np.float32:
    """A squared distance in single precision and scaled, wide enough by the error that single precision can make.

    Values below 1 are off by 2^-25, differences by 2^-23 at most, so a distance by 2^-23 * sqrt(columns); squares and
    sums add a share of 2^-24 each. Both twice, to be safe.
    """
    columns = leaves.x.shape[1]
    reach = np.sqrt(squared) * leaves.scale + sign * 2.0**-22 * np.sqrt(columns)
    return np.float32(max(reach, 0.0) ** 2 * (1.0 + sign * (columns + 8) * 2.0**-23))


@compiled
def _measure(cells: Any, inside: Singles, point: Singles) -> None:
    for slot in range(WIDTH):
        inside[slot] = np.float32(0.0)
    for j in range(len(point)):
        value = point[j]
        for slot in range(WIDTH):
            gap = cells[j, slot] - value
            inside[slot] += gap * gap


@compiled
def _settled(leaves: Leaves, point: Floats, leaf: int, distance: float, row: int, outer: bool) -> bool:
    """Whether a leaf holds nothing nearer (``outer``: farther), nor anything as near that comes first.

    The distance of the box adds up as distances do, and rounding is monotone: it is a bound to the last digit. Where
    many records are equal, the first leaf decides.
    """
    total = 0.0
    for j in range(len(point)):
        below, above = leaves.least[leaf, j] - point[j], point[j] - leaves.most[leaf, j]
        gap = max(-below, -above) if outer else max(below, above, 0.0)
        total += gap * gap
    beyond = total < distance if outer else total > distance
    return beyond or (total == distance and leaves.first[leaf] > row)


@compiled
def nearest_records(leaves: Leaves, point: Floats, wanted: int, distances: Floats, rows: Whole) -> int:
    """The ``wanted`` nearest records into ``rows``, by distance and number; how many were found."""
    bounds, near_to = leaves.bounds, (point - leaves.centre) * leaves.scale
    small = near_to.astype(np.float32)
    for leaf in range(len(bounds)):
        bounds[leaf] = 0.0
    for j in range(len(point)):
        value, low, high = near_to[j], leaves.low[j], leaves.high[j]
        for leaf in range(len(bounds)):
            below, above = low[leaf] - value, value - high[leaf]
            gap = below if below > above else above
            gap = gap if gap > 0.0 else 0.0
            bounds[leaf] += gap * gap
    count, limit, first = 0, np.float32(np.inf), int(np.argmin(bounds))
    for turn in range(-1, len(bounds)):
        leaf = first if turn < 0 else turn
        if bounds[leaf] > limit or (turn == first) or leaves.counts[leaf] == 0:
            continue
        _measure(leaves.cells[leaf], leaves.inside, small)
        hits = 0
        for slot in range(WIDTH):
            hits += leaves.inside[slot] <= limit
        if hits == 0 or (
            count == wanted and _settled(leaves, point, leaf, distances[wanted - 1], rows[wanted - 1], False)
        ):
            continue
        for slot in range(leaves.counts[leaf]):
            if leaves.inside[slot] <= limit:
                row = leaves.rows[leaf, slot]
                count = _placed(distances, rows, count, wanted, squared_distance(leaves.x[row], point), row)
                if count == wanted:
                    limit = _limit(leaves, distances[count - 1], 1.0)
    return count


@compiled
def _placed(distances: Floats, rows: Whole, count: int, wanted: int, distance: float, row: int) -> int:
    """Put a record among the nearest found so far, if it belongs there; how many they are."""
    at = count
    while at > 0 and (distance < distances[at - 1] or (distance == distances[at - 1] and row < rows[at - 1])):
        if at < wanted:
            distances[at], rows[at] = distances[at - 1], rows[at - 1]
        at -= 1
    if at < wanted:
        distances[at], rows[at] = distance, row
    return min(count + 1, wanted)


@compiled
def far(leaves: Leaves, point: Floats) -> tuple[int, float]:
    """The farthest record and its squared distance; -1 when none is left."""
    bounds, far_from = leaves.bounds, (point - leaves.centre) * leaves.scale
    small = far_from.astype(np.float32)
    # |x - p|^2 = |x|^2 + |p|^2 - 2 x p, the first at most ``top``, the last linear: least in a corner of the box
    square, error = 0.0, len(point) * 1.0
    for j in range(len(point)):
        square += far_from[j] * far_from[j]
        error += abs(far_from[j])
    error *= 2.0**-22
    for leaf in range(len(bounds)):
        bounds[leaf] = leaves.top[leaf] + square + error
    for j in range(len(point)):
        value, low, high = 2.0 * far_from[j], leaves.low[j], leaves.high[j]
        corner = low if value > 0.0 else high
        if value != 0.0:
            for leaf in range(len(bounds)):
                bounds[leaf] -= corner[leaf] * value
    for leaf in range(len(bounds)):
        if leaves.counts[leaf] == 0:
            bounds[leaf] = -1.0
    best, distance, limit, first = -1, -1.0, np.float32(0.0), int(np.argmax(bounds))
    for turn in range(-1, len(bounds)):
        leaf = first if turn < 0 else turn
        if bounds[leaf] < limit or (turn == first):
            continue
        _measure(leaves.cells[leaf], leaves.inside, small)
        hits = 0
        for slot in range(WIDTH):
            hits += leaves.inside[slot] >= limit
        if hits == 0 or _settled(leaves, point, leaf, distance, best, True):
            continue
        for slot in range(leaves.counts[leaf]):
            if leaves.inside[slot] >= limit:
                row = leaves.rows[leaf, slot]
                reached = squared_distance(leaves.x[row], point)
                if reached > distance or (reached == distance and row < best):
                    best, distance = row, reached
                    limit = _limit(leaves, distance, -1.0)
    return best, distance
