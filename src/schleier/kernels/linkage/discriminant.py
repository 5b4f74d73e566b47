"""How certain a link is: the posterior of the nearest record among all, after Paaß and Wauschkuhn (part A, (1) to (7)).

Errors around every record are normal in the metric of the errors, so p(z|k) falls with exp(-d^2/2). In this simple
variant the density p(z) of what an attacker holds is the mean of p(z|m) over all other records m.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

TARGETS, RECORDS = 256, 8192
"""So many distances at a time fit into memory that is near."""
LISTED, ACCEPTED = 0.95, 0.99
"""Pairs above the first are listed, those above the second are accepted when nothing else is listed for the person."""


class Linked(NamedTuple):
    """For each asked point its nearest record, the squared distance, and the probability that it is the right one."""

    record: Whole
    distance: Floats
    probability: Floats


def posterior(nearest: Floats, others: Floats, people: float) -> Floats:
    """(7): p(k*|z) = p(z|k*) / (p(z|k*) + (N - 1) p(z)), N persons whose records might be asked for.

    >>> posterior(np.array([1.0, 1.0]), np.array([0.0, 1.0]), 4.0).tolist()
    [1.0, 0.25]
    """
    weight = np.asarray(nearest) + (people - 1) * np.asarray(others)
    return np.divide(nearest, weight, out=np.zeros_like(weight), where=weight > 0)


def linked(points: Floats, asked: Floats, people: float | None = None) -> Linked:
    """The nearest of some points to each of others, and its posterior; metric and errors are those of ``whitened``.

    ``people`` is the number of persons the points stand for, all of them when left out.

    >>> found = linked(np.array([[0.0], [9.0]]), np.array([[0.5], [4.5]]))
    >>> found.record.tolist(), found.probability.round(3).tolist()
    ([0, 0], [1.0, 0.5])
    """
    many = len(points) if people is None else people
    if not len(points) or not len(asked):
        none = np.zeros(len(asked))
        return Linked(np.full(len(asked), -1, dtype=np.int64), none + np.inf, none)
    middle = points.mean(axis=0)
    there, here = (points - middle).astype(np.float32), (asked - middle).astype(np.float32)
    lengths, own = (there**2).sum(axis=1), (here**2).sum(axis=1)
    record = np.zeros(len(asked), dtype=np.int64)
    least, sums = np.full(len(asked), np.inf), np.zeros(len(asked))
    for start in range(0, len(here), TARGETS):
        some = slice(start, start + TARGETS)
        for first in range(0, len(there), RECORDS):
            part = slice(first, first + RECORDS)
            off = here[some] @ there[part].T
            off *= -2
            off += lengths[part]
            off += own[some, None]
            np.maximum(off, 0, out=off)
            _add(off, first, some, record, least, sums)
    exact = ((points[record] - asked) ** 2).sum(axis=1)
    # The sum is over exp((d*^2 - d^2)/2): the nearest itself is one of it.
    others = np.maximum(sums - 1.0, 0.0) / max(len(points) - 1, 1)
    return Linked(record, exact, posterior(np.ones(len(asked)), others, max(many, 1.0)))


def _add(off: NDArray[np.float32], first: int, some: slice, record: Whole, least: Floats, sums: Floats) -> None:
    """Take some records into account: the nearest so far, and the sum of densities relative to its own."""
    place = off.argmin(axis=1)
    near = off[np.arange(len(off)), place].astype(np.float64)
    nearer = near < least[some]
    edge = np.where(nearer, near, least[some])
    with np.errstate(invalid="ignore"):
        shrunk = np.where(np.isinf(least[some]), 0.0, np.exp((edge - least[some]) / 2))
    off -= edge[:, None].astype(np.float32)
    off *= np.float32(-0.5)
    sums[some] = sums[some] * shrunk + np.exp(off, out=off).sum(axis=1, dtype=np.float64)
    record[some] = np.where(nearer, first + place, record[some])
    least[some] = edge


def accepted(
    person: Whole, probability: Floats, listing: float = LISTED, accepting: float = ACCEPTED
) -> NDArray[np.bool_]:
    """Which pairs are accepted: above the second limit, and alone for their person among those above the first.

    >>> accepted(np.array([7, 7, 8, 9]), np.array([0.999, 0.96, 0.995, 0.97])).tolist()
    [False, False, True, False]
    """
    listed = probability > listing
    _, place, many = np.unique(person[listed], return_inverse=True, return_counts=True)
    result = np.zeros(len(person), dtype=np.bool_)
    result[listed] = (probability[listed] > accepting) & (many[place.reshape(-1)] == 1)
    return result
