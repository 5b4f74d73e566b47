"""Whether one text stands in another of the same record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SHORTEST, LONGEST = 4, 80
"""Shorter texts stand in others by chance; of longer ones the beginning is looked at."""


def contained(one: NDArray[np.str_], other: NDArray[np.str_]) -> float:
    """Share of the records in which one text is a part of the other, in capitals or not.

    >>> contained(np.array(["Springfield", "Ithaca"]), np.array(["university of springfield", "utica"]))
    0.5
    """
    if not len(one):
        return 0.0
    left, right = (np.char.lower(np.char.strip(values.astype(f"<U{LONGEST}"))) for values in (one, other))
    inside = (np.char.find(left, right) >= 0) | (np.char.find(right, left) >= 0)
    long = np.minimum(np.char.str_len(left), np.char.str_len(right)) >= SHORTEST
    return float((inside & long).mean())
