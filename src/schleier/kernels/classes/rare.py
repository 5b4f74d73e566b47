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
    helpers = np.flatnonzero(~gone & short[group])
    helpers = helpers[np.argsort(sizes[helpers], kind="stable")]  # smallest first, then in lexical order
    helped, first = np.unique(group[helpers], return_index=True)
    gone[helpers[first]] = True  # it has at least ``least`` rows (or units) itself, so one is enough
    short[helped] = False
    return ~gone, short[group]
