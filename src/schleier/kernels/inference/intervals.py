"""What the means of sorted groups tell for certain about their members (Höhne 3.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def member_bounds(means: Floats, sizes: NDArray[np.int64], lowest: float = -np.inf) -> tuple[Floats, Floats]:
    """Lower and upper bounds of the members of groups; means in descending order, groups of any size.

    Nobody is above the mean of the next larger group or below that of the next smaller one (3.2-3). If all others of
    a group were as small as they can be, one member would hold the rest of their sum (3.2-4), and the other way round
    (3.2-5).

    >>> lower, upper = member_bounds(np.array([100_000.0, 99_000, 90_000]), np.array([3, 3, 3]))
    >>> lower.tolist(), upper.tolist()
    ([99000.0, 97000.0, 72000.0], [102000.0, 100000.0, 99000.0])
    """
    larger, smaller = np.append(np.inf, means[:-1]), np.append(means[1:], -np.inf)
    smaller = np.maximum(smaller, lowest)
    own, others = sizes * means, sizes - 1.0
    with np.errstate(invalid="ignore"):
        upper = np.minimum(larger, np.where(others > 0, own - others * smaller, means))
        lower = np.maximum(smaller, np.where(others > 0, own - others * larger, means))
    return lower, upper


def intervals(values: Floats, lowest: float = -np.inf) -> tuple[Floats, Floats]:
    """The bounds of each record of a released column: groups are the records with equal values; missing is nan."""
    held = ~np.isnan(values)
    means, place, sizes = np.unique(values[held], return_inverse=True, return_counts=True)
    found = member_bounds(means[::-1], sizes[::-1], lowest)
    lower, upper = np.full(len(values), np.nan), np.full(len(values), np.nan)
    lower[held], upper[held] = (side[::-1][place] for side in found)
    return lower, upper


def relative_widths(lower: Floats, upper: Floats) -> Floats:
    """Relative widths: as a share of the end that is farther from zero; infinite where an end is open."""
    size = np.maximum(np.abs(lower), np.abs(upper))
    closed = np.isfinite(size)
    result = np.where(np.isnan(size), np.nan, np.inf)
    result[closed] = (upper[closed] - lower[closed]) / np.where(size[closed] > 0, size[closed], 1.0)
    return result
