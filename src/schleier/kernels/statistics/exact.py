"""Sums and means that do not depend on the order of the numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence


def exact_mean(values: Sequence[float], decimals: int | None) -> tuple[float, float]:
    """The mean rounded to ``decimals`` (``None``: not at all), halves upwards, and how much that adds to the total.

    >>> exact_mean([1, 2, 2], 0), exact_mean([0.1] * 10, None), exact_mean([1.0, 1.01, 1.01], 2)
    ((2, 1), (0.1, 0.0), (1.01, 0.01))
    """
    n = len(values)
    if decimals == 0 and all(isinstance(value, int) for value in values):
        total = int(sum(values))
        mean = (2 * total + n) // (2 * n)
        return mean, mean * n - total
    exact = math.fsum(values)
    if decimals is None:
        return exact / n, 0.0
    scale = 10.0**decimals
    rounded = math.floor(exact / n * scale + 0.5) / scale
    return rounded, round(rounded * n - exact, decimals)
