"""Which records are nearest in the metric of the errors: d^2(y, z) = (z - y)' S^-1 (z - y), part A (4), (5).

Where errors are large or go together a difference weighs little. After a change of axes the metric is Euclid's, and
the distances of all pairs are a product of matrices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.linkage.penalties import Neighbours

Floats = NDArray[np.float64]

TARGETS, RECORDS = 256, 8192
"""So many distances at a time fit into memory that is near."""
CELLS = 5_000_000
"""Numbers of neighbours that are computed once more at a time."""
SMALLEST = 1e-10
"""Axes along which errors vary by a smaller share of the largest have no error at all."""
ALIKE = 1e-4
"""Squared distances that differ by a smaller share are equal: products of matrices are rounded."""


def whitened(covariance: Floats, *files: Floats) -> tuple[Floats, ...]:
    """Files on the axes of the errors, in standard deviations of these: then the metric is Euclid's.

    Along an axis without any error every difference counts as much as it would with the smallest error there is.

    >>> points, = whitened(np.diag([4.0, 1.0]), np.array([[2.0, 0.0], [0.0, 2.0]]))
    >>> sorted((points**2).sum(axis=1).round(6).tolist())
    [1.0, 4.0]
    """
    values, axes = np.linalg.eigh((covariance + covariance.T) / 2)
    largest = float(values.max(initial=0.0))
    if largest <= 0:
        return files
    held = values > SMALLEST * largest
    spread = np.sqrt(np.where(held, values, values[held].min()))
    return tuple(file @ (axes / spread) for file in files)


def nearest_points(points: Floats, asked: Floats, many: int) -> Neighbours:
    """The nearest so many points of each of some others, by squared Euclidean distance.

    >>> found = nearest_points(np.array([[0.0], [3.0], [1.0]]), np.array([[0.8]]), 2)
    >>> found.record.tolist(), found.distance.round(2).tolist(), found.tied.tolist()
    ([[2, 0]], [[0.04, 0.64]], [1])
    """
    many = max(min(many, len(points)), 1)
    distance = np.full((len(asked), many), np.inf, dtype=np.float32)
    record = np.full((len(asked), many), -1, dtype=np.int64)
    tied = np.zeros(len(asked), dtype=np.int64)
    if not len(points) or not len(asked):
        return Neighbours(distance.astype(np.float64), record, tied)
    from schleier.kernels.linkage.penalties_of_pairs import look_through

    middle = points.mean(axis=0)
    there, here = (points - middle).astype(np.float32), (asked - middle).astype(np.float32)
    own = (here**2).sum(axis=1)
    # |y|^2 - 2 yz is a product as well, with a column more; |z|^2 is the same for all records of a target.
    there = np.column_stack([there, (there**2).sum(axis=1)])
    here = np.column_stack([-2 * here, np.ones(len(here), dtype=np.float32)])
    for start in range(0, len(here), TARGETS):
        some = here[start : start + TARGETS]
        for first in range(0, len(there), RECORDS):
            sums = some @ there[first : first + RECORDS].T
            look_through(sums, own, first, start, ALIKE, distance, record, tied)
    return _exact(points, asked, Neighbours(distance.astype(np.float64), record, tied))


def _exact(points: Floats, asked: Floats, found: Neighbours) -> Neighbours:
    """The same with distances that were not rounded, in their order."""
    distance, record = found.distance.copy(), found.record.copy()
    step = max(1, CELLS // max(record.shape[1] * points.shape[1], 1))
    for start in range(0, len(asked), step):
        some = slice(start, start + step)
        off = ((points[record[some]] - asked[some, None, :]) ** 2).sum(axis=2)
        off[record[some] < 0] = np.inf
        order = np.argsort(off, axis=1, kind="stable")
        distance[some] = np.take_along_axis(off, order, axis=1)
        record[some] = np.take_along_axis(record[some], order, axis=1)
    return Neighbours(distance, record, found.tied)
