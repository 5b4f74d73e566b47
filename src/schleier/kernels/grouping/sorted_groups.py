"""Groups of neighbours in an order: fixed, optimal, or far enough apart to be safe (Höhne M01 to M03, M05, M06)."""

from __future__ import annotations

import math

import numpy as np

from schleier.kernels.compiled import compiled
from schleier.kernels.grouping.halving import Floats, Whole


def fixed(values: Floats, k: int) -> Whole:
    """Groups of k from the largest value down; the last takes what is left over (M03, remainder rule).

    >>> fixed(np.array([5.0, 1, 9, 7, 2, 3, 8]), 3).tolist()
    [1, 1, 0, 0, 1, 1, 0]
    """
    groups = np.empty(len(values), np.int64)
    groups[order_of(-values)] = _places(len(values), k)
    return groups


def order_of(values: Floats) -> Whole:
    """The order of values from the smallest; equal ones keep theirs. Twice as fast as a stable sort."""
    order = np.argsort(values)
    _keep(values, order)
    return order


@compiled
def _keep(values: Floats, order: Whole) -> None:
    """Put records of equal values into their own order."""
    start, count = 0, len(order)
    while start < count:
        end = start + 1
        while end < count and values[order[end]] == values[order[start]]:
            end += 1
        if end - start > 1:
            order[start:end] = np.sort(order[start:end])
        start = end


def _places(count: int, k: int) -> Whole:
    return np.minimum(np.arange(count) // k, max(count // k - 1, 0))


def optimal(values: Floats, k: int) -> Whole:
    """Groups of neighbours with the least squared error of all groups of at least k (Hansen and Mukherjee, M05).

    >>> optimal(np.array([1.0, 2, 3, 10, 11, 12, 13, 50, 51, 52, 90]), 3).tolist()
    [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    """
    order = order_of(values)
    groups = np.empty(len(values), np.int64)
    groups[order] = cut(values[order][:, None], k)[0]
    return groups


def cut(x: Floats, k: int) -> tuple[Whole, Floats, Whole]:
    """The best cut of records in a given order; with it the cost of every prefix and the size of its last group."""
    cost, last = _costs(np.ascontiguousarray(x, dtype=np.float64), k)
    return _back(last), cost, last


@compiled
def _costs(x: Floats, k: int) -> tuple[Floats, Whole]:
    """f_h = min over the size i of the last group of SSE(last i of h) + f_(h-i), i = k .. 2k-1 (appendix 1).

    The error of a group grows from its own mean and last record: no difference of large sums is taken.
    """
    count, columns = x.shape
    cost, last = np.full(count + 1, np.inf), np.zeros(count + 1, np.int64)
    cost[0], mean = 0.0, np.empty(columns)
    for h in range(k, count + 1):
        mean[:] = 0.0
        error = 0.0
        for i in range(1, min(2 * k - 1, h) + 1):
            for j in range(columns):
                value = x[h - i, j] - x[h - 1, j]
                gap = value - mean[j]
                mean[j] += gap / i
                error += gap * (value - mean[j])
            if i >= k and error + cost[h - i] < cost[h]:
                cost[h], last[h] = error + cost[h - i], i
    return cost, last


@compiled
def _back(last: Whole) -> Whole:
    """Numbers of the groups along the order, from the sizes of the last groups."""
    count = len(last) - 1
    groups, h, number = np.zeros(count, np.int64), count, 0
    while h > 0 and last[h] > 0:
        groups[h - last[h] : h] = number
        number += 1
        h -= last[h]
    return number - 1 - groups


def ratio(interval: float, k: int, published: bool) -> float:
    """How many times the next mean each mean must be at least, so that no interval is narrower than a share of its end.

    The published rule forgets that both neighbours bound a value at once (erratum 8): strict is the larger one.

    >>> round(ratio(0.05, 3, True), 5), round(ratio(0.05, 3, False), 6)
    (1.01695, 1.025978)
    """
    first = k / (k - interval)
    if published:
        return first
    return max(first, (k - (k - 1) * interval) / (k - k * interval), 1 / math.sqrt(1 - interval))


def safe(values: Floats, k: int, wanted: float) -> Whole:
    """Groups from the largest down, each grown until its mean is ``wanted`` times smaller than the one before (M06).

    Values are positive.

    >>> safe(np.array([100.0, 99, 98, 97, 96, 95, 50, 49, 48]), 3, 1.05).tolist()
    [0, 0, 0, 1, 1, 1, 1, 1, 1]
    """
    order = order_of(-values)
    groups = np.empty(len(values), np.int64)
    groups[order] = _safe(values[order], k, wanted)
    return groups


@compiled
def _safe(x: Floats, k: int, wanted: float) -> Whole:
    """Steps 5 to 8 (L1278); a last group that never gets small enough joins the one before."""
    count = len(x)
    groups, group, end = np.zeros(count, np.int64), 0, min(k, count)
    before = 0.0
    for i in range(end):
        before += (x[i] - before) / (i + 1)
    while count - end >= k:
        mean, size = 0.0, 0
        while end + size < count and (size < k or mean > before / wanted):
            size += 1
            mean += (x[end + size - 1] - mean) / size
        if mean > before / wanted:
            groups[end:] = group
            return groups
        group += 1
        groups[end : end + size] = group
        before = mean
        end += size
    groups[end:] = group
    return groups


def principal_component(z: Floats) -> Floats:
    """The first principal component of standardised columns; its largest loading is positive."""
    values, vectors = np.linalg.eigh(z.T @ z / max(len(z), 1))
    first = vectors[:, int(np.argmax(values))]
    result: Floats = z @ (first * np.sign(first[int(np.argmax(np.abs(first)))]))
    return result


def score(z: Floats) -> Floats:
    """The sum of standardised columns."""
    total = np.zeros(len(z))
    for j in range(z.shape[1]):
        total += z[:, j]
    return total
