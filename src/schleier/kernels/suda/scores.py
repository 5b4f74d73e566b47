"""What minimal uniques weigh, and how they share out the risk of a file among its unique records."""

from __future__ import annotations

from math import comb, prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]
Scoring = Literal["elliot", "ihsn"]
LEAST_POWER = 0.05
"""Scores are raised at least to this power, that of 27 columns: with more, the formula would turn their order round."""


def weights(columns: int, most: int, scoring: Scoring) -> list[float]:
    """What a minimal unique of 1, 2, ..., ``most`` out of so many columns weighs.

    "elliot": prod (columns - i) for i from k to most - 1, so that one of the largest size weighs 1. "ihsn": the
    combinations that hold one of k columns and more, divided by the number of combinations of k columns.

    >>> weights(4, 4, "elliot"), weights(4, 2, "elliot"), weights(4, 4, "ihsn")
    ([6.0, 2.0, 1.0, 1.0], [3.0, 1.0], [1.75, 0.5, 0.25, 0.0])
    """
    if scoring == "elliot":
        return [float(prod(columns - i for i in range(size, most))) for size in range(1, most + 1)]
    return [(2 ** (columns - size) - 1) / comb(columns, size) for size in range(1, most + 1)]


def outside(pairs: int, persons: float) -> float:
    """Persons outside the file who look like one of its unique records, from the pairs and those they stand for.

    A pair that lost one of its two records would be a unique record with the other outside. Records stand for
    ``persons``, themselves included (Skinner and Elliot 2002; with weights Skinner and Carter 2003).

    >>> outside(3, 600.0)
    594.0
    """
    return max(persons - 2.0 * pairs, 0.0)


def matching(unique: int, strangers: float) -> float:
    """Probability that a match with a unique record is right (DIS); 0 when no record is unique.

    >>> round(matching(4, 594.0), 6)
    0.006689
    """
    return unique / (unique + strangers) if unique else 0.0


def share_out(scores: Real, strangers: float, columns: int, least: float) -> Real:
    """DIS-SUDA of unique records: the persons outside are shared out among them, fewer where the score is higher.

    The part of a record is inverse to its score to the power 1 + (8 - columns) / 20. A record without a score counts
    as one with half of the ``least`` score there can be.

    >>> share_out(np.array([1.75, 3.25, 1.75, 2.75]), 594.0, 4, 0.25).round(9).tolist()
    [0.005120313, 0.010702061, 0.005120313, 0.008775093]
    """
    power = max(1 + (8 - columns) / 20, LEAST_POWER)
    parts = np.where(scores > 0, scores, least / 2) ** -power
    return np.asarray(1 / (1 + strangers * parts / parts.sum()), dtype=np.float64)
