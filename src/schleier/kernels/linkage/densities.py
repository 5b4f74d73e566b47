"""How certain a link is, estimated as Paaß and Wauschkuhn did: two distributions of the distance (part A, M-03).

p(z|k*) is how often errors alone make a distance like that of the nearest record; p(z) how often another person would
be as near. The latter is put together around each asked point from its 500 nearest records: distances of the columns in
about ten components, coarse categories of these with all pairs of them kept (iterative proportional fitting), and
within a coarse cell independent components on a fine grid. Both densities are slopes of distribution functions of the
same squared distance on the same grid, so that they can be compared (E-08).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.linkage.discriminant import Floats, Whole, posterior
from schleier.kernels.linkage.mahalanobis import nearest_points, whitened

SOME = 32
"""Asked points that a thread takes at a time."""
SEEN = 200
"""Asked points around which it is looked which columns go together."""
ERRORS = 20_000
"""Persons made up to see how far errors go."""
WINDOW = 20
"""A slope is taken over this part of the grid to either side."""
DAMPED = 1e-12
"""Sums beyond the grid come back into it with this share."""
CANDIDATES = 2
"""Records of each asked point whose probability is estimated: two may both be probable."""


class Constants(NamedTuple):
    """What the algorithm leaves open, as it was chosen in 1985."""

    neighbours: int = 500
    components: int = 10
    coarse: int = 2
    least: int = 5
    fine: int = 200
    degree: int = 2


class Axis(NamedTuple):
    """One column on the axes of its own errors: coordinates of both files, and of each value where it is words."""

    points: Floats
    asked: Floats
    values: Floats | None
    usual: Floats | None
    """How frequent each value is."""
    error: float


class Likely(NamedTuple):
    """For each asked point its nearest records, by rank: their squared distances and probabilities."""

    record: Whole
    distance: Floats
    probability: Floats


def axis_of(
    covariance: Floats, points: Floats, asked: Floats, values: Floats | None, usual: Floats | None, error: float
) -> Axis:
    """A column on the principal axes of its errors."""
    if values is None:
        points, asked = whitened(covariance, points, asked)
        return Axis(points, asked, None, None, error)
    points, asked, values = whitened(covariance, points, asked, values)
    return Axis(points, asked, values, usual, error)


def error_distances(axes: Sequence[Axis], rng: np.random.Generator, many: int = ERRORS) -> Floats:
    """Squared distances of persons from themselves in the other file, where every column has its errors."""
    total = np.zeros(many)
    for axis in axes:
        if axis.values is None or axis.usual is None:
            total += rng.standard_normal(many) ** 2
            continue
        values = len(axis.usual)
        if values < 2:
            continue
        wrong = np.flatnonzero(rng.random(many) < axis.error)
        was = rng.choice(values, len(wrong), p=axis.usual)
        now = (was + rng.integers(1, values, len(wrong))) % values
        total[wrong] += ((axis.values[now] - axis.values[was]) ** 2).sum(axis=1)
    return total


def likely(axes: Sequence[Axis], people: float, errors: Floats, how: Constants) -> Likely:
    """The nearest records and (7) for each of them. ``errors`` are distances that errors alone make."""
    points, asked = (np.column_stack([getattr(axis, side) for axis in axes]) for side in ("points", "asked"))
    many = min(CANDIDATES, max(len(points), 1))
    near = nearest_points(points, asked, min(how.neighbours + 1, max(len(points), 1)))
    record, distance = near.record[:, :many], near.distance[:, :many]
    if len(points) < CANDIDATES or not len(asked):
        return Likely(record, distance, np.where(record >= 0, posterior(*_alone(record), 1.0), 0.0))
    starts = np.cumsum([0, *(axis.points.shape[1] for axis in axes)])[:-1]
    grid = _Grid(float(errors.max(initial=0.0)), how)
    own = grid.slopes(np.bincount(grid.bins(errors), minlength=grid.bound)[None, : grid.bound] / max(len(errors), 1))
    group = _groups(_parts(points, asked, near.record, starts, slice(0, None, max(len(asked) // SEEN, 1))), how)
    others = np.zeros((len(asked), grid.bound))

    def some(first: int) -> None:
        part = slice(first, first + SOME)
        # Of the nearest itself it is asked whether it is the right one: the others are those who might be meant, too.
        parts = _parts(points, asked, near.record[:, 1:], starts, part) @ group
        others[part] = grid.slopes(_strangers(parts, grid, how))

    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        list(pool.map(some, range(0, len(asked), SOME)))
    others *= (near.record.shape[1] - 1) / max(len(points) - 1, 1)  # beyond the neighbours nobody is that near
    place = grid.bins(distance)
    inside = place < grid.bound - grid.half
    place = np.minimum(place, grid.bound - 1)
    chance = posterior(own[0][place], np.take_along_axis(others, place, axis=1), max(people, 1.0))
    return Likely(record, distance, np.where(inside & (record >= 0), chance, 0.0))


def _alone(record: Whole) -> tuple[Floats, Floats]:
    return np.ones(record.shape), np.zeros(record.shape)


def _parts(points: Floats, asked: Floats, record: Whole, starts: NDArray[np.int64], some: slice) -> Floats:
    """Squared distances of neighbours, column by column: by asked point, neighbour and column."""
    off = points[record[some]] - asked[some, None, :]
    return np.asarray(np.add.reduceat(off * off, starts, axis=2))


def _groups(parts: Floats, how: Constants) -> Floats:
    """Which columns make up a component: those whose distances go together (fn. 22); columns by components."""
    columns = parts.shape[2]
    if columns <= how.components:
        return np.eye(columns)
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    flat = parts.reshape(-1, columns)
    moving = flat.std(axis=0) > 0
    apart = np.ones((columns, columns))
    apart[np.ix_(moving, moving)] = 1 - np.corrcoef(flat[:, moving].T) if moving.sum() > 1 else 0.0
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(np.maximum((apart + apart.T) / 2, 0), checks=False), "average")
    group = fcluster(tree, how.components, "maxclust") - 1
    return np.asarray(np.eye(int(group.max()) + 1)[group])


class _Grid:
    """Equal steps of the squared distance, up to the farthest that errors go."""

    def __init__(self, reach: float, how: Constants) -> None:
        from scipy.signal import savgol_coeffs

        self.width = max(reach, 1e-9) / how.fine
        self.half = max(how.fine // WINDOW, how.degree)
        self.bound = how.fine + 2 * self.half + 1
        self.length = 4 << int(self.bound - 1).bit_length()
        self.damping = DAMPED ** (np.arange(self.length) / self.length)
        self.coefficients = savgol_coeffs(2 * self.half + 1, how.degree, deriv=1, use="dot")

    def bins(self, distance: Floats) -> Whole:
        """The nearest step of each distance; those far beyond are alike."""
        return np.minimum(np.rint(np.minimum(distance, 1e18) / self.width), self.bound).astype(np.int64)

    def slopes(self, shares: Floats) -> Floats:
        """The density at each step: the slope of a polynomial through the distribution function around it."""
        before = np.zeros((len(shares), self.half))
        total = np.cumsum(np.maximum(shares, 0.0), axis=1)
        after = np.repeat(total[:, -1:], self.half, axis=1)
        along = np.lib.stride_tricks.sliding_window_view(np.hstack([before, total, after]), 2 * self.half + 1, axis=1)
        return np.asarray(np.maximum(along @ self.coefficients, 0.0))


def _strangers(parts: Floats, grid: _Grid, how: Constants) -> Floats:
    """How often other persons are at each step of the distance, by asked point."""
    from schleier.kernels.linkage.densities_of_cells import coarse_cells, sum_over_cells

    targets, _, components = parts.shape
    steps = grid.bins(parts)
    fine = np.zeros((targets, components, how.coarse, grid.length))
    cells = np.zeros((targets, how.coarse**components))
    sizes = np.ones((targets, components), dtype=np.int64)
    coarse_cells(parts, np.sort(parts, axis=1), steps, grid.damping, how.least, grid.bound, fine, cells, sizes)
    waves = np.fft.rfft(fine, axis=3)
    found = np.zeros((targets, waves.shape[3]), dtype=np.complex128)
    sum_over_cells(waves, cells, sizes, found)
    return np.asarray(np.fft.irfft(found, grid.length, axis=1)[:, : grid.bound] / grid.damping[: grid.bound])
