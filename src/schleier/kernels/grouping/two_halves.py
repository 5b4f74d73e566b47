"""Records that stay alike in all columns while each column keeps its variance (Höhne 3.3.2, M13, several columns).

A group of k near records is split once more into two halves of near records. In each column one half gets the lower and
the other the upper of the two values that keep mean and variance of the group: the upper one goes to the half with the
larger mean of that column, so that columns that oppose each other still do (L1392).
"""

from __future__ import annotations

import numpy as np

from schleier.kernels.grouping.centroid_groups import mdav
from schleier.kernels.grouping.group_values import standardised
from schleier.kernels.grouping.halving import Floats, Whole
from schleier.kernels.grouping.microaggregation import GroupingPlan, kinds, states
from schleier.kernels.grouping.two_values import AS_IT_IS, LAST_DIGITS, LEAST, MIXED, PLAIN, Bools


def preserved_together(x: Floats, k: int, *, keep_zeros: bool = False) -> tuple[Floats, Whole]:
    """New values of all columns, and what became of each; missing ones stay missing.

    Records are grouped with those that have gaps (and kept zeros) in the same columns.

    >>> x = np.array([[0.0, 3], [0, 1], [10, 9], [10, 7]])
    >>> preserved_together(x, 4)[0].round(3).tolist()
    [[0.0, 1.838], [0.0, 1.838], [10.0, 8.162], [10.0, 8.162]]
    """
    new, how = x.copy(), np.zeros(x.shape, dtype=np.int64)
    z = standardised(x)
    found, numbers = kinds(states(x, GroupingPlan("mdav", k, keep_zeros=keep_zeros)))
    signs = np.array([_sign(column[~np.isnan(column)]) for column in x.T])
    for number, pattern in enumerate(found):
        open_, rows = np.flatnonzero(pattern > 0), np.flatnonzero(numbers == number)
        if not len(open_):
            continue
        if len(rows) < k or k < LEAST:
            raise ValueError("too few values")
        place = np.ix_(rows, open_)
        new[place], how[place] = in_halves(x[place], mdav(z[place], k), z[place], signs[open_])
    return new, how


def in_halves(x: Floats, groups: Whole, z: Floats, signs: Floats) -> tuple[Floats, Whole]:
    """Two values for each group and column, shared by its halves, and what became of each.

    A sign of 1 (or -1) says that a column must not fall below (above) zero; 0 that it holds both. The first half is
    the record farthest from the centre of its group with those nearest to it. It shrinks from half of the group
    down to two records so long as a column would cross zero; where none of these helps the columns concerned become
    the mean of the group.
    """
    order, starts, sizes = _from_the_rim(groups, z)
    ordered = x[order] * np.where(signs < 0, -1.0, 1.0)
    rank = np.arange(len(x)) - np.repeat(starts, sizes)
    mean = np.add.reduceat(ordered, starts) / sizes[:, None]
    apart = ordered - np.repeat(mean, sizes, axis=0)
    sd = np.sqrt(np.add.reduceat(apart * apart, starts) / sizes[:, None])
    first, best = sizes // 2, np.full(len(sizes), x.shape[1] + 1)
    chosen, up = first.copy(), np.zeros_like(mean, dtype=np.bool_)
    while True:
        inside = rank < np.repeat(first, sizes)
        higher = np.add.reduceat(np.where(inside[:, None], apart, 0.0), starts) >= 0  # apart adds up to 0 in a group
        below = (signs != 0) & (_low(mean, sd, sizes, first, higher) < -LAST_DIGITS * mean)
        better = below.sum(axis=1) < best
        best[better], chosen[better], up[better] = below.sum(axis=1)[better], first[better], higher[better]
        if not (fewer := (best > 0) & (first > 2)).any():
            break
        first = first - fewer
    low, high = _low(mean, sd, sizes, chosen, up), _high(mean, sd, sizes, chosen, up)
    plain = (signs != 0) & (low < -LAST_DIGITS * mean)
    low, high = (np.where(plain, mean, np.where(signs != 0, np.maximum(side, 0.0), side)) for side in (low, high))
    inside = (rank < np.repeat(chosen, sizes))[:, None] == np.repeat(up, sizes, axis=0)
    values = np.where(inside, np.repeat(high, sizes, axis=0), np.repeat(low, sizes, axis=0))
    new, how = np.empty_like(x), np.empty(x.shape, dtype=np.int64)
    new[order] = values * np.where(signs < 0, -1.0, 1.0)
    how[order] = np.repeat(np.where(signs == 0, MIXED, np.where(plain, PLAIN, AS_IT_IS)), sizes, axis=0)
    return new, how


def _low(mean: Floats, sd: Floats, sizes: Whole, first: Whole, up: Bools) -> Floats:
    """The lower value: m - √(g₂/g₁)·σ, where g₂ records get the upper one (3.3-1 and its uneven form)."""
    upper = np.where(up, first[:, None], (sizes - first)[:, None])
    result: Floats = mean - np.sqrt(upper / (sizes[:, None] - upper)) * sd
    return result


def _high(mean: Floats, sd: Floats, sizes: Whole, first: Whole, up: Bools) -> Floats:
    upper = np.where(up, first[:, None], (sizes - first)[:, None])
    result: Floats = mean + np.sqrt((sizes[:, None] - upper) / upper) * sd
    return result


def _from_the_rim(groups: Whole, z: Floats) -> tuple[Whole, Whole, Whole]:
    """Records group by group, each from its farthest record on by their distance to that one; starts and sizes."""
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    order = np.argsort(groups, kind="stable")
    centre = np.add.reduceat(z[order], starts) / sizes[:, None]
    out = ((z - centre[groups]) ** 2).sum(axis=1)
    far = np.lexsort((-out, groups))[starts]
    near = ((z - z[far][groups]) ** 2).sum(axis=1)
    near[far] = -1.0  # before records that are equal to it
    return np.lexsort((near, groups)), starts, sizes


def _sign(values: Floats) -> float:
    """Whether a column holds no negative value (1), none above zero (-1), or both (0)."""
    return 1.0 if not (values < 0).any() else -1.0 if not (values > 0).any() else 0.0
