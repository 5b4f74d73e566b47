"""The loops of ``penalties``: what pairs of some targets and all records cost, block by block.

Costs only add up, so a record that is too far by the first columns is not looked at in the others. Of the sums that
count nothing is added in another order: which record is nearest never depends on how many were left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import unheld
from schleier.kernels.linkage.penalties_of_pairs import beyond, keep

FEW = 4
"""One of so many records of a block, or fewer, are looked at one by one."""
HAIR = 1e-6
"""Added to what is too far, so that rounding leaves nobody out."""


@unheld
def look(
    costs: Any,
    starts: Any,
    widths: Any,
    codes: Any,
    cells: Any,
    known: Any,
    upto: Any,
    low: Any,
    high: Any,
    how: Any,
    exact: Any,
    grows: bool,
    start: int,
    end: int,
    block: int,
    alike: float,
    distance: Any,
    record: Any,
    tied: Any,
) -> None:
    """Keep the nearest records of the targets from ``start`` to ``end``; sums grow where no cost is below nothing."""
    words, numbers = codes.shape[0], known.shape[0]
    records, many = max(cells.shape[1], low.shape[1]), distance.shape[1]
    slots, begins, columns = _slots(starts, widths, codes, start, end, len(costs))
    laid = np.empty((len(begins), block), dtype=np.float32)
    sums, left = np.empty(block, dtype=np.float32), np.empty(block, dtype=np.int64)
    first, size = 0, min(block, 256)
    while first < records:
        # The first blocks are small: after them it is known how near the nearest must be.
        width, size = min(size, records - first), min(2 * size, block)
        last = first + width
        for s in range(len(begins)):
            _lay(laid[s, :width], costs[begins[s] :], cells[columns[s], first:last])
        for i in range(start, end):
            far = _too_far(distance[i], alike) if grows else np.float32(np.inf)
            _add_words(sums[:width], laid, slots[:, i - start], costs, starts, widths, codes[:, i], cells, first)
            j, many_left = 0, width
            if words:
                many_left = _within(sums[:width], far)
            while j < numbers and many_left * FEW > width:
                lower, upper = low[j, first:last], high[j, first:last]
                _add_numbers(sums[:width], lower, upper, known[j, i], upto[j, i], how[j], exact[j])
                many_left = _within(sums[:width], far)
                j += 1
            if not many_left:
                continue
            many_left = _those_within(sums[:width], far, left)
            for place in left[:many_left]:
                value, r = sums[place], first + place
                for c in range(j, numbers):
                    value += _one_number(low[c, r], high[c, r], known[c, i], upto[c, i], how[c], exact[c])
                    if value > far:
                        break
                if value <= distance[i, many - 1] or value <= beyond(distance[i, 0], alike):
                    keep(value, r, distance[i], record[i], tied, i, alike)
        first = last


@unheld
def _too_far(distance: Any, alike: float) -> Any:
    """What a record may cost that is still to be kept."""
    return np.float32(max(np.float64(distance[-1]), distance[0] * (1 + alike)) * (1 + HAIR))


@unheld
def _slots(starts: Any, widths: Any, codes: Any, start: int, end: int, most: int) -> Any:
    """Where a value is known of several targets, what it costs with all records is laid out once: its place, or -1."""
    words, targets = codes.shape[0], end - start
    slots = np.full((words, targets), -1, dtype=np.int64)
    begins, columns = np.empty(words * targets, dtype=np.int64), np.empty(words * targets, dtype=np.int64)
    total = 0
    for j in range(words):
        values = (most - starts[j]) // max(widths[j], 1) + 1
        place, different = np.full(values, -1, dtype=np.int64), 0
        for i in range(targets):
            code = codes[j, start + i]
            if place[code] < 0:
                place[code] = different
                different += 1
        if 2 * different > targets:
            continue
        for i in range(targets):
            code = codes[j, start + i]
            slots[j, i] = total + place[code]
            begins[slots[j, i]], columns[slots[j, i]] = starts[j] + code * widths[j], j
        total += different
    return slots, begins[:total], columns[:total]


@unheld
def _lay(laid: Any, row: Any, cell: Any) -> None:
    for r in range(len(laid)):
        laid[r] = row[cell[r]]


@unheld
def _add_words(
    sums: Any, laid: Any, slots: Any, costs: Any, starts: Any, widths: Any, codes: Any, cells: Any, first: int
) -> None:
    """What all columns of words cost, from the first on, several at a time where they are laid out."""
    width, words = len(sums), len(slots)
    j = 0
    if words >= 2 and slots[0] >= 0 and slots[1] >= 0:
        a, b = laid[slots[0]], laid[slots[1]]
        for r in range(width):
            sums[r] = a[r] + b[r]
        j = 2
    else:
        for r in range(width):
            sums[r] = 0
    while j < words:
        if slots[j] < 0:
            row, cell = costs[starts[j] + codes[j] * widths[j] :], cells[j, first : first + width]
            for r in range(width):
                sums[r] += row[cell[r]]
            j += 1
        elif j + 1 < words and slots[j + 1] >= 0:
            a, b = laid[slots[j]], laid[slots[j + 1]]
            for r in range(width):
                sums[r] = (sums[r] + a[r]) + b[r]
            j += 2
        else:
            a = laid[slots[j]]
            for r in range(width):
                sums[r] += a[r]
            j += 1


@unheld
def _add_numbers(sums: Any, lower: Any, upper: Any, value: Any, last: Any, how: Any, exact: bool) -> None:
    """What a column of numbers costs."""
    weight, gap, power, none = how[0], how[1], how[2], np.float32(0)
    if np.isnan(value):
        for r in range(len(sums)):
            sums[r] += none if np.isnan(lower[r]) else gap
    elif exact and power == 1:  # the most frequent kind
        for r in range(len(sums)):
            off = abs(lower[r] - value) * weight
            sums[r] += gap if np.isnan(lower[r]) else off
    else:
        for r in range(len(sums)):
            upto = lower[r] if exact else upper[r]
            off = max(lower[r] - last, value - upto, none) * weight
            cost = off if power == 1 else off * off if power == 2 else weight if off > 0 else none
            sums[r] += gap if np.isnan(lower[r]) else cost


@unheld
def _one_number(lower: Any, upper: Any, value: Any, last: Any, how: Any, exact: bool) -> Any:
    """The same of one record."""
    weight, gap, power, none = how[0], how[1], how[2], np.float32(0)
    if np.isnan(value):
        return none if np.isnan(lower) else gap
    if np.isnan(lower):
        return gap
    off = max(lower - last, value - (lower if exact else upper), none) * weight
    return off if power == 1 else off * off if power == 2 else weight if off > 0 else none


@unheld
def _within(sums: Any, far: Any) -> Any:
    """How many are not too far."""
    many = np.int32(0)
    for r in range(len(sums)):
        many += np.int32(sums[r] <= far)
    return many


@unheld
def _those_within(sums: Any, far: Any, left: Any) -> int:
    """Which ones are not too far."""
    many = 0
    for r in range(len(sums)):
        left[many] = r
        many += sums[r] <= far
    return many


@unheld
def moved(values: Any, middles: Any, order: Any) -> Any:
    """Columns in another order and around other middles, in half the digits."""
    result = np.empty((values.shape[0], len(order)), dtype=np.float32)
    for j in range(values.shape[0]):
        for r in range(len(order)):
            result[j, r] = values[j, order[r]] - middles[j]
    return result
