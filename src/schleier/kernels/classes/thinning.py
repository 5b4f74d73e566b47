"""What a fine region does to combinations: the same records, spread over many small places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = Sequence[int] | NDArray[np.int64]


def expected_per_place(counts: Counts, inhabitants: float, population: float) -> Floats:
    """Records expected per place: c u / P, for combinations with c records and P / u places (L16217-16226).

    >>> expected_per_place([100, 880], inhabitants=100_000, population=16_000_000).tolist()
    [0.625, 5.5]
    """
    each = _counts(counts, inhabitants, population)
    return np.asarray(each * inhabitants / population, dtype=np.float64)  # in this order: 49 in 49 places are 1 each


def alone_by_place(counts: Counts, inhabitants: float, population: float) -> Floats:
    """Probability that a record of a combination is its only one in its place: (1 - u / P)^(c - 1).

    >>> np.round(alone_by_place([1, 100], inhabitants=100_000, population=16_000_000), 4).tolist()
    [1.0, 0.5376]
    """
    each = _counts(counts, inhabitants, population)
    share = min(inhabitants / population, 1.0)
    return np.asarray((1 - share) ** np.maximum(each - 1, 0), dtype=np.float64)


def _counts(counts: Counts, inhabitants: float, population: float) -> Floats:
    each = np.asarray(counts, dtype=np.float64)
    wrong = []
    if (each < 0).any():
        wrong.append(f"{int((each < 0).sum())} counts are negative")
    if not inhabitants > 0:
        wrong.append("a place has more than no inhabitants")
    if not population > 0:
        wrong.append("a population has more than no persons")
    if wrong:
        raise ValueError("; ".join(wrong))
    return each
