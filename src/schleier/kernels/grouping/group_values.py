"""One value for every group: mean, median, mode; and groups that belong to enough different owners (footnote 7)."""

from __future__ import annotations

import numpy as np

from schleier.kernels.compiled import compiled
from schleier.kernels.grouping.halving import Floats, Whole
from schleier.kernels.grouping.leaves import squared_distance


def means(values: Floats, groups: Whole) -> Floats:
    """Each record's group mean. Equal values keep theirs exactly.

    >>> means(np.array([0.1, 0.1, 0.1, 1, 2]), np.array([0, 0, 0, 1, 1])).tolist()
    [0.1, 0.1, 0.1, 1.5, 1.5]
    """
    result: Floats = _means(np.ascontiguousarray(values), groups, int(groups.max(initial=-1)) + 1)
    return result


@compiled
def _means(values: Floats, groups: Whole, number: int) -> Floats:
    """The first of each group, and the mean of what the others have more: sums stay small."""
    first, more, sizes = np.zeros(number), np.zeros(number), np.zeros(number, np.int64)
    for i in range(len(values)):
        group = groups[i]
        if sizes[group] == 0:
            first[group] = values[i]
        more[group] += values[i] - first[group]
        sizes[group] += 1
    for group in range(number):
        first[group] += more[group] / max(sizes[group], 1)
    return first[groups]


def medians(values: Floats, groups: Whole) -> Floats:
    """Each record's group median; of an even number the mean of both in the middle.

    >>> medians(np.array([1.0, 9, 2, 5, 6]), np.array([0, 0, 0, 1, 1])).tolist()
    [2.0, 2.0, 2.0, 5.5, 5.5]
    """
    ordered = values[np.lexsort((values, groups))]
    sizes = np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    low, high = ordered[starts + (sizes - 1) // 2], ordered[starts + sizes // 2]
    result: Floats = (low + (high - low) / 2)[groups]
    return result


def modes(values: Floats, groups: Whole) -> Floats:
    """Each record's most frequent value in its group; the smallest of equally frequent ones.

    >>> modes(np.array([1.0, 2, 2, 4, 3]), np.array([0, 0, 0, 1, 1])).tolist()
    [2.0, 2.0, 2.0, 3.0, 3.0]
    """
    order = np.lexsort((values, groups))
    v, g = values[order], groups[order]
    starts = np.flatnonzero(np.concatenate(([True], (v[1:] != v[:-1]) | (g[1:] != g[:-1]))))
    counts = np.diff(np.concatenate((starts, [len(v)])))
    best = np.lexsort((v[starts], -counts, g[starts]))
    where = starts[best]
    first = np.concatenate(([True], g[where][1:] != g[where][:-1]))
    result: Floats = v[where[first]][groups]
    return result


VALUES = {"mean": means, "median": medians, "mode": modes}


def squared_error(x: Floats, groups: Whole) -> float:
    """The squared error of replacing records by their group means, F(T) (2.2.6-1)."""
    return float(sum(np.sum((x[:, j] - means(x[:, j], groups)) ** 2) for j in range(x.shape[1])))


def loss(x: Floats, groups: Whole) -> float:
    """Information loss in per cent, 100 * SSE / SST, on standardised columns.

    >>> round(loss(np.array([[0.0], [1], [10], [11]]), np.array([0, 0, 1, 1])), 9)
    0.99009901
    """
    z = standardised(x)
    total = squared_error(z, np.zeros(len(z), np.int64))
    return 100 * squared_error(z, groups) / total if total else 0.0


def standardised(x: Floats) -> Floats:
    """Columns with mean 0 and variance 1 (divisor n); missing stays missing, a constant column becomes 0."""
    z = np.zeros(x.shape)
    for j in range(x.shape[1]):
        known = ~np.isnan(x[:, j])
        column = x[known, j]
        if len(column) and column.max() > column.min():
            column = column - column.mean()
            z[known, j] = column / np.sqrt(np.mean(column * column))
        z[~known, j] = np.nan
    return z


def along(groups: Whole, owners: Whole, fewest: int) -> Whole:
    """Groups in order, joined with the next until each has ``fewest`` owners; what is left joins the last.

    >>> along(np.array([0, 0, 1, 1, 2, 2]), np.array([7, 7, 8, 9, 7, 9]), 2).tolist()
    [0, 0, 0, 0, 1, 1]
    """
    found: Whole = _along(groups, np.argsort(groups, kind="stable"), owners, fewest)
    return found


@compiled
def _different(owners: Whole, rows: Whole, fewest: int) -> bool:
    """Whether records belong to at least so many owners."""
    seen = np.empty(fewest, np.int64)
    count = 0
    for row in rows:
        known = False
        for i in range(count):
            known = known or seen[i] == owners[row]
        if not known:
            seen[count] = owners[row]
            count += 1
            if count == fewest:
                return True
    return count >= fewest


@compiled
def _along(groups: Whole, order: Whole, owners: Whole, fewest: int) -> Whole:
    result, count = np.zeros(len(groups), np.int64), len(groups)
    start, at, group = 0, 0, 0
    while at < count:
        end = at
        while end < count and groups[order[end]] == groups[order[at]]:
            end += 1
        at = end
        if _different(owners, order[start:end], fewest):
            result[order[start:end]] = group
            group += 1
            start = end
    result[order[start:]] = max(group - 1, 0)
    return result


def nearby(x: Floats, groups: Whole, owners: Whole, fewest: int) -> Whole:
    """Groups of fewer than ``fewest`` owners joined with the one whose mean is nearest, one after the other."""
    found: Whole = _nearby(np.ascontiguousarray(x), groups.copy(), owners, fewest)
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


@compiled
def _nearby(x: Floats, groups: Whole, owners: Whole, fewest: int) -> Whole:
    number = groups.max() + 1
    centres, sizes = np.zeros((number, x.shape[1])), np.zeros(number, np.int64)
    order = np.argsort(groups, kind="mergesort")
    for i in range(len(groups)):
        centres[groups[i]] += x[i]
        sizes[groups[i]] += 1
    at = np.zeros(number + 1, np.int64)
    at[1:] = np.cumsum(sizes)
    left = number
    few = [g for g in range(number) if not _different(owners, order[at[g] : at[g + 1]], fewest)]
    for group in range(number):
        centres[group] /= max(sizes[group], 1)
    for first in few:
        group = groups[order[at[first]]]  # it may have been joined to another already
        members = np.flatnonzero(groups == group)
        while left > 1 and not _different(owners, members, fewest):
            best, distance = -1, np.inf
            for other in range(number):
                if sizes[other] > 0 and other != group:
                    found = squared_distance(centres[other], centres[group])
                    if found < distance:
                        best, distance = other, found
            groups[members] = best
            centres[best] = (centres[best] * sizes[best] + centres[group] * sizes[group]) / (sizes[best] + sizes[group])
            sizes[best] += sizes[group]
            sizes[group] = 0
            left -= 1
            group = best
            members = np.flatnonzero(groups == group)
    return groups
