"""The loop of ``predicates``: rows that may meet all conditions, counted up to two."""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.compiled import compiled


@compiled
def count_up_to_two(
    table: Any, codes: Any, lows: Any, highs: Any, columns: Any, at: Any, bounds: Any, kinds: Any
) -> Any:
    """For each predicate none, one or two; a condition is a row of a table, at least, at most, or a gap (0 to 3)."""
    many, conditions = columns.shape
    rows = codes.shape[1]
    found = np.zeros(many, dtype=np.int64)
    for q in range(many):
        for i in range(rows):
            fits = True
            for c in range(conditions):
                j, kind = columns[q, c], kinds[q, c]
                if kind == 0:
                    fits = table[at[q, c] + codes[j, i]]
                elif kind == 1:
                    fits = highs[j, i] >= bounds[q, c]
                elif kind == 2:
                    fits = lows[j, i] <= bounds[q, c]
                else:
                    fits = np.isnan(lows[j, i])
                if not fits:
                    break
            if fits:
                found[q] += 1
                if found[q] == 2:
                    break
    return found
