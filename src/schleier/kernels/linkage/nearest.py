"""Which released records are nearest to what is known of a person (distance- and rank-based record linkage)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

NEAR = 10
"""So many different records are looked at around a target."""
EXACT = 1e-9
"""Distances, in standard deviations, that differ by less are equal: the rest is what rounding left."""


def scaled(released: Floats, known: Floats) -> tuple[Floats, Floats]:
    """Both files in standard deviations of the released columns, with nan for a gap.

    A gap stands at the mean, and one apart from all values in a coordinate of its own: it is 0 from another gap, and
    the squared distance of 2 that two records have on average from a value. What is equal for all is left out.

    >>> points, asked = scaled(np.array([[1.0], [3.0], [np.nan]]), np.array([[5.0]]))
    >>> points.tolist(), asked.tolist()
    ([[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[3.0, 0.0]])
    """
    sides: tuple[list[Floats], list[Floats]] = ([], [])
    for new, old in zip(released.T, known.T, strict=True):
        held = new[~np.isnan(new)]
        if not len(held):
            continue
        centre, spread = float(held.mean()), float(held.std())
        if held.min() < held.max() and spread > 0:
            for side, values in zip(sides, (new, old), strict=True):
                side.append(np.nan_to_num((values - centre) / spread))
        if np.isnan(new).any() or np.isnan(old).any():
            for side, values in zip(sides, (new, old), strict=True):
                side.append(np.isnan(values).astype(np.float64))
    points, asked = (np.stack(side, axis=1) if side else None for side in sides)
    if points is None or asked is None:
        return np.zeros((len(released), 0)), np.zeros((len(known), 0))
    return points, asked


def rank_values(values: Floats) -> Floats:
    """Every value by its rank in its column, from 0 to 1, equal values by their mean rank; gaps stay gaps.

    >>> rank_values(np.array([[7.0], [5.0], [7.0], [np.nan], [9.0]])).T.tolist()
    [[0.5, 0.125, 0.5, nan, 0.875]]
    """
    found = np.full(values.shape, np.nan)
    for j, column in enumerate(values.T):
        held = ~np.isnan(column)
        _, place, many = np.unique(column[held], return_inverse=True, return_counts=True)
        found[held, j] = ((np.cumsum(many) - many / 2) / max(int(held.sum()), 1))[place]
    return found


@dataclass(frozen=True)
class Nearest:
    """For each target the released records nearest to it; several when they are equally near."""

    target: Whole
    """Entries in order of their targets: a point that is nearest to a target."""
    point: Whole
    tied: Whole
    """Records nearest to each target; 0 when no record agrees in the block."""
    own: NDArray[np.bool_]
    """Whether the target's own record is among them."""
    closer: Whole
    """Records nearer than the target's own, as far as they were looked at; ``NEAR`` or more when it is none of the
    nearest."""
    alike: Whole
    """Records as near as the target's own, itself included."""
    members: Whole
    """Records in order of their points."""
    sizes: Whole
    """Records of each point."""

    def credit(self) -> Floats:
        """The probability that one of the nearest, taken blindly, is the target's own."""
        return np.where(self.own, 1 / np.maximum(self.tied, 1), 0.0)

    def among(self, number: int) -> Floats:
        """The probability that the target's own record is among the nearest ``number``, at most ``NEAR``."""
        first = np.where(self.own, self.tied, self.alike)
        return np.clip((number - self.closer) / np.maximum(first, 1), 0.0, 1.0)

    def certain(self) -> NDArray[np.bool_]:
        """Targets whose single nearest record is their own."""
        return np.asarray(self.own & (self.tied == 1))

    def pick(self, draws: Floats) -> Whole:
        """One of the nearest records of each target, by a draw in [0, 1); -1 where there is none."""
        found = np.full(len(self.tied), -1, dtype=np.int64)
        some = np.flatnonzero(self.tied)
        if not len(some):
            return found
        ends = np.cumsum(self.sizes[self.point])
        before = np.cumsum(self.tied) - self.tied
        spot = before[some] + np.minimum((draws[some] * self.tied[some]).astype(np.int64), self.tied[some] - 1)
        entry = np.searchsorted(ends, spot, side="right")
        first = np.cumsum(self.sizes) - self.sizes
        point = self.point[entry]
        found[some] = self.members[first[point] + spot - (ends[entry] - self.sizes[point])]
        return found


def nearest(
    points: Floats, asked: Floats, own: Whole, block: Whole | None = None, within: Whole | None = None
) -> Nearest:
    """The released ``points`` nearest to each target in ``asked``; ``own`` is a target's own record, -1 for none.

    Where ``block`` numbers the blocks of the records and ``within`` those of the targets, only records of the same
    block count.

    >>> found = nearest(np.array([[0.0], [1.0], [1.0]]), np.array([[0.1], [0.9]]), np.array([0, 1]))
    >>> found.credit().tolist(), found.pick(np.array([0.0, 0.9])).tolist()
    ([1.0, 0.5], [0, 2])
    """
    from scipy.spatial import cKDTree

    points, asked, gap = _apart(points, asked, block, within)
    none = np.zeros(len(asked), dtype=np.int64)
    if not len(points) or not len(asked):
        empty = np.zeros(0, dtype=np.int64)
        return Nearest(empty, empty, none, none > 0, none + NEAR, none, empty, empty)
    members = np.lexsort(points.T[::-1])  # equal records are one point: a tree of them would be deep and slow
    ordered = points[members]
    starts = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1)))
    distinct, sizes = ordered[starts], np.diff(np.append(starts, len(points)))
    tree = cKDTree(distinct)
    many = min(NEAR, len(distinct))
    far, who = tree.query(asked, k=np.arange(1, many + 1), workers=-1)
    reach = far[:, 0] < gap / 2
    limit = np.where(reach, far[:, 0] + EXACT, -1.0)
    target, column = np.nonzero(far <= limit[:, None])
    point = who[target, column].astype(np.int64)
    crowded = np.flatnonzero((far[:, -1] <= limit) & (many < len(distinct)))
    if len(crowded):  # more are equally near than were looked at
        lists = tree.query_ball_point(asked[crowded], limit[crowded], workers=-1)
        kept = ~np.isin(target, crowded)
        target = np.concatenate([target[kept], np.repeat(crowded, [len(each) for each in lists])])
        point = np.concatenate([point[kept], *(np.sort(np.asarray(each, dtype=np.int64)) for each in lists)])
    order = np.lexsort((point, target))
    target, point = target[order], point[order]
    tied = np.bincount(target, weights=sizes[point], minlength=len(asked)).astype(np.int64)
    there = own >= 0
    off = np.where(there, np.sqrt(((points[own] - asked) ** 2).sum(axis=1)), np.inf)
    there &= off < gap / 2
    counts = np.where(far < gap / 2, sizes[who], 0)
    closer = (counts * (far < off[:, None] - EXACT)).sum(axis=1)
    alike = (counts * (np.abs(far - off[:, None]) <= EXACT)).sum(axis=1)
    return Nearest(
        target,
        point,
        tied,
        there & (off <= limit),
        np.where(there, closer, NEAR).astype(np.int64),
        np.where(there, alike, 0).astype(np.int64),
        members.astype(np.int64),
        sizes.astype(np.int64),
    )


def _apart(points: Floats, asked: Floats, block: Whole | None, within: Whole | None) -> tuple[Floats, Floats, float]:
    """Blocks as a further coordinate in which they are farther apart than records of one block ever are."""
    both = np.concatenate([points, asked])
    widest = np.ptp(both, axis=0) if len(both) else np.zeros(0)
    gap = 2 * float(np.sqrt((widest**2).sum())) + 1
    if block is None or within is None:
        block, within = np.zeros(len(points), dtype=np.int64), np.zeros(len(asked), dtype=np.int64)
    return np.column_stack([points, block * gap]), np.column_stack([asked, within * gap]), gap


def near_by_spread(old: Floats, new: Floats, released: Floats, share: float) -> NDArray[np.bool_]:
    """Whether each original value is within ``share`` standard deviations of the released one; a gap is not.

    ``released`` holds the whole released columns, ``old`` and ``new`` the values of some records in both files.

    >>> near_by_spread(np.array([[1.0], [4.0]]), np.array([[1.1], [3.0]]), np.array([[1.0], [3.0]]), 0.2).T.tolist()
    [[True, False]]
    """
    spread = np.array([np.nanstd(column) if (~np.isnan(column)).any() else 0.0 for column in released.T])
    return np.asarray(np.abs(old - new) <= share * spread)


def near_by_rank(old: Floats, new: Floats, released: Floats, share: float) -> NDArray[np.bool_]:
    """Whether each original value lies between the released values that are ``share`` of all ranks away.

    >>> column = np.arange(10.0)[:, None]
    >>> near_by_rank(np.array([[5.0], [5.0]]), np.array([[4.0], [3.0]]), column, 0.1).T.tolist()
    [[True, False]]
    """
    found = np.zeros(old.shape, dtype=bool)
    for j in range(old.shape[1]):
        order = np.sort(released[~np.isnan(released[:, j]), j])
        held = ~np.isnan(old[:, j]) & ~np.isnan(new[:, j])
        if not len(order):
            continue
        steps = int(share * len(order))
        low = np.searchsorted(order, new[held, j], side="left") - steps
        high = np.searchsorted(order, new[held, j], side="right") - 1 + steps
        lower, upper = order[np.maximum(low, 0)], order[np.minimum(high, len(order) - 1)]
        found[held, j] = (lower <= old[held, j]) & (old[held, j] <= upper)
    return found
