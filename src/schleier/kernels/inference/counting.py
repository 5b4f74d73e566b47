"""The loop of ``predicates``: rows that may meet all conditions, counted up to two.

Only rows that meet the rarest condition are looked at: every column has them in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled, inlined


@compiled
def count_up_to_two(
    words: Any,
    table: Any,
    starts: Any,
    widths: Any,
    firsts: Any,
    often: Any,
    begins: Any,
    cells: Any,
    codes: Any,
    ends: Any,
    row_ends: Any,
    held: Any,
    middles: Any,
    order: Any,
    columns: Any,
    records: Any,
    sides: Any,
) -> Any:
    """For each predicate none, one or two; a condition is a row of a table, at least, at most, or a gap (0 to 3).

    ``order`` has the rows of each column by code or by lower ends, and by upper ends; ``begins`` where codes begin.
    """
    many, conditions = columns.shape
    rows = codes.shape[1]
    found = np.zeros(many, dtype=np.int64)
    kinds, at = np.zeros(conditions, dtype=np.int64), np.zeros(conditions, dtype=np.int64)
    bounds, spans = np.zeros(conditions), np.zeros((conditions, 2), dtype=np.int64)
    for q in range(many):
        rarest, fewest = 0, rows + 1
        for c in range(conditions):
            j, record = columns[q, c], records[q, c]
            if words[j]:
                cell = firsts[j] + cells[j, record]
                kinds[c], at[c] = 0, starts[j] + cells[j, record] * widths[j]
                if often[cell] < 0:
                    often[cell] = _often(table[at[c] : at[c] + widths[j]], begins[j])
                few = often[cell]
            else:
                low, high = ends[0, j, record], ends[1, j, record]
                above = sides[q, c] > 0 if sides[q, c] else (low + high) / 2 > middles[j]
                bounds[c] = low if above else high
                kinds[c] = 3 if np.isnan(low) else 1 if above else 2
                if kinds[c] == 3:
                    spans[c] = held[0, j], rows
                elif kinds[c] == 1:
                    spans[c] = _below(row_ends[1, j], order[1, j], held[1, j], bounds[c], False), held[1, j]
                else:
                    spans[c] = 0, _below(row_ends[0, j], order[0, j], held[0, j], bounds[c], True)
                few = spans[c, 1] - spans[c, 0]
            if few < fewest:
                rarest, fewest = c, few
        j = columns[q, rarest]
        if kinds[rarest]:
            side = 1 if kinds[rarest] == 1 else 0
            some = order[side, j, spans[rarest, 0] : spans[rarest, 1]]
            found[q] = _meeting(some, rarest, columns[q], kinds, at, bounds, table, codes, row_ends)
            continue
        for code in range(widths[j]):
            if table[at[rarest] + code] and found[q] < 2:
                some = order[0, j, begins[j, code] : begins[j, code + 1]]
                found[q] += _meeting(some, rarest, columns[q], kinds, at, bounds, table, codes, row_ends)
        found[q] = min(found[q], 2)
    return found


@inlined
def _often(may_be: Any, begins: Any) -> int:
    """How many rows a cell may be."""
    many = 0
    for code in range(len(may_be)):
        if may_be[code]:
            many += begins[code + 1] - begins[code]
    return many


@compiled
def _below(values: Any, order: Any, held: int, bound: float, with_it: bool) -> int:
    """How many values are below a bound, or not above it."""
    low, high = 0, held
    while low < high:
        middle = (low + high) // 2
        value = values[order[middle]]
        if value < bound or (with_it and value == bound):
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _meeting(
    some: Any, but: int, columns: Any, kinds: Any, at: Any, bounds: Any, table: Any, codes: Any, row_ends: Any
) -> int:
    """How many of some rows meet all conditions but one, which they all meet: none, one, or two for more."""
    many = 0
    for i in some:
        fits = True
        for c in range(len(columns)):
            if c == but:
                continue
            j, kind = columns[c], kinds[c]
            if kind == 0:
                fits = table[at[c] + codes[j, i]]
            elif kind == 1:
                fits = row_ends[1, j, i] >= bounds[c]
            elif kind == 2:
                fits = row_ends[0, j, i] <= bounds[c]
            else:
                fits = np.isnan(row_ends[0, j, i])
            if not fits:
                break
        if fits:
            many += 1
            if many == 2:
                break
    return many
