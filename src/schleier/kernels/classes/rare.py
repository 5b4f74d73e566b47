"""Which combinations of values must go so that none is rare."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import MISSING, Codes, add_up, number_rows, sum_pairs


def common(
    codes: Codes,
    sizes: NDArray[np.int64],
    blanked: Sequence[int],
    least: int,
    members: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Combinations to keep when the columns ``blanked`` of all others are made empty, and those that cannot be helped.

    The rows made empty form groups of their own, one for each combination of the remaining columns. Where such a
    group is smaller than ``least``, the next smallest combination joins it: never a lonely gap. With ``members``, pairs
    of a combination and a unit that has rows there, different units are counted instead of rows.

    >>> keep, helpless = common(np.array([[0], [1], [2], [3]], dtype=np.int32), np.array([9, 1, 5, 7]), [0], 3)
    >>> keep.tolist(), helpless.any()
    ([True, False, False, True], np.False_)
    """
    keep, helpless, _ = parted(codes, sizes, blanked, least, members)
    return keep, helpless


def parted(
    codes: Codes,
    sizes: NDArray[np.int64],
    blanked: Sequence[int],
    least: int,
    members: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]]:
    """``common``, and how many rows (or units) to make empty of combinations that stay.

    With a generator, a group that is too small is filled up by single rows, drawn from combinations that stay common
    without them. Where these are too few a whole combination joins, as without a generator.

    >>> rng, codes = np.random.default_rng(1), np.array([[0], [1], [2]], dtype=np.int32)
    >>> keep, _, take = parted(codes, np.array([1, 40, 59]), [0], 3, rng=rng)
    >>> keep.tolist(), int(take.sum())
    ([False, True, True], 2)
    """
    rest = [j for j in range(codes.shape[1]) if j not in blanked]
    group = number_rows(codes[:, rest]) if rest else np.zeros(len(codes), dtype=np.int64)
    groups = int(group.max(initial=-1)) + 1
    empty = (codes[:, list(blanked)] == MISSING).all(axis=1)
    counted = sizes if members is None else np.bincount(members[0], minlength=len(sizes))
    gone = (counted < least) | empty
    rows = add_up(np.where(gone, sizes, 0), group, groups)
    pooled = rows
    if members is not None:
        inside = gone[members[0]]
        found = sum_pairs(group[members[0][inside]], members[1][inside], np.ones(int(inside.sum()), dtype=np.int64))
        pooled = np.bincount(found[0], minlength=groups)
    short = (rows > 0) & (pooled < least)
    take = np.zeros(len(sizes), dtype=np.int64)
    if rng is not None and short.any():
        # Units of several combinations, or of the group, may be the same: one combination gives all that are needed.
        need = least - pooled if members is None else np.full(groups, least)
        take = _drawn(np.where(gone, 0, counted - least), group, np.where(short, need, 0), rng, one=members is not None)
        short &= add_up(take, group, groups) == 0
    helpers = np.flatnonzero(~gone & short[group])
    helpers = helpers[np.argsort(sizes[helpers], kind="stable")]  # smallest first, then in lexical order
    helped, first = np.unique(group[helpers], return_index=True)
    gone[helpers[first]] = True  # it has at least ``least`` rows (or units) itself, so one is enough
    short[helped] = False
    return ~gone, short[group], take


def _drawn(
    spare: NDArray[np.int64],
    group: NDArray[np.int64],
    need: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    one: bool,
) -> NDArray[np.int64]:
    """How many of each combination make up what groups need, every spare row alike; nothing where they are too few."""
    take = np.zeros(len(spare), dtype=np.int64)
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(len(need) + 1))
    for number in np.flatnonzero(need):
        of = order[ends[number] : ends[number + 1]]
        left = np.where(spare[of] >= need[number], spare[of], 0) if one else spare[of]
        if left.sum() < need[number] or not left.any():
            continue
        if one:
            take[of[rng.choice(len(of), p=left / left.sum())]] = need[number]
        else:
            take[of] = rng.multivariate_hypergeometric(left, need[number])
    return take
