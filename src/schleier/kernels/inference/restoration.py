"""What can be worked back from a release: the arithmetic of attacks on values.

Numbers are missing where they are nan, codes of texts where they are negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]
Whole = NDArray[np.int64]


def likeliest_number(values: Real, within: float) -> float:
    """The number that is near to most values: what one claims of everybody; nan when there is no value.

    Near to x are the numbers from x - within * |x| to x + within * |x|: the point that most of these ranges cover.

    >>> likeliest_number(np.array([90.0, 95.0, 100.0, 500.0]), 0.06)
    94.7
    """
    held = np.sort(values[~np.isnan(values)])
    if not len(held):
        return float("nan")
    reach = within * np.abs(held)
    starts, ends = np.sort(held - reach), np.sort(held + reach)
    # At the start of a range most ranges may be open; those that ended strictly before it are closed.
    covering = np.arange(1, len(held) + 1) - np.searchsorted(ends, starts, side="left")
    first = int(np.argmax(covering))
    last = int(np.searchsorted(ends, starts[first], side="left"))
    return float((starts[first] + ends[last]) / 2)


def likeliest_code(codes: Whole) -> tuple[float, list[int]]:
    """The most frequent code (-1 when there is none), and the least frequent ones when there are several.

    >>> likeliest_code(np.array([2, 0, 2, -1, 1, 1, 2]))
    (2, [0])
    """
    found, many = np.unique(codes[codes >= 0], return_counts=True)
    if not len(found):
        return -1, []
    common = int(found[np.argmax(many)])
    return common, [int(code) for code in found[many == many.min()] if code != common]


def predicted_signs(amounts: Real, f: float = 0.0) -> Whole:
    """Signs that controlled noise gives to amounts in descending order, as far as they follow from the amounts.

    The largest unit gets -1 and the next ones +1 until they make up for it (N13b). Where the balance turns is not
    certain any more: 0 from there on. Without f it turns a little earlier, wherever f lies; and for a first sign of +1
    all signs are turned around.

    >>> predicted_signs(np.array([90.0, 66.0, 33.0, 22.0, 9.0]), 0.1).tolist()
    [-1, 1, 1, 1, 0]
    >>> predicted_signs(np.array([90.0, 66.0, 33.0, 22.0, 9.0])).tolist()
    [-1, 1, 1, 0, 0]
    """
    signs = np.zeros(len(amounts), dtype=np.int64)
    balance = 0.0
    for i, amount in enumerate(amounts):
        if i and balance > -1e-9 * amounts[0]:  # an even balance turns by the last digit
            break
        signs[i] = 1 if i else -1
        balance += signs[i] * amount / (1 + f * signs[i])  # the change of the sum, as a multiple of f
    return signs


def majority(votes: NDArray[np.int64]) -> Whole:
    """The code most columns agree on, row by row; of equally frequent ones the first in order of columns.

    >>> majority(np.array([[1, 0, 0], [2, 1, -1], [-1, -1, -1]])).tolist()
    [0, 2, -1]
    """
    agree = (votes[:, :, None] == votes[:, None, :]).sum(axis=2)
    agree[votes < 0] = 0
    best = np.argmax(agree, axis=1)
    result: Whole = votes[np.arange(len(votes)), best]
    return result


def dominating(groups: Whole, codes: Whole, smallest: int, sure: float) -> Whole:
    """The code that dominates each row's group; -1 in a group that is too small or too mixed.

    >>> dominating(np.array([0, 0, 0, 1, 1]), np.array([7, 7, 5, 5, 7]), 2, 0.6).tolist()
    [7, 7, 7, -1, -1]
    """
    if not len(groups):
        return np.zeros(0, dtype=np.int64)
    sizes = np.bincount(groups)
    kinds, many = np.unique(np.stack([groups, codes], axis=1)[codes >= 0], axis=0, return_counts=True)
    order = np.lexsort((kinds[:, 1], -many, kinds[:, 0]))
    firsts = order[np.unique(kinds[order, 0], return_index=True)[1]]
    best, most = np.full(len(sizes), -1, dtype=np.int64), np.zeros(len(sizes), dtype=np.int64)
    best[kinds[firsts, 0]], most[kinds[firsts, 0]] = kinds[firsts, 1], many[firsts]
    best[(sizes < smallest) | (most < sure * sizes - 1e-9)] = -1
    result: Whole = best[groups]
    return result


def remaining(groups: Whole, owners: Whole, true: Real, seen: Real) -> Real:
    """What an owner who holds all records of a group but one works out for that one; nan elsewhere.

    The sum of a group is what its released values add up to (a mean stands for each of its members): subtract what
    is one's own. ``owners`` below 0 own nothing but this record.

    >>> groups, owners = np.array([0, 0, 0, 1, 1]), np.array([4, 4, 5, 6, 6])
    >>> remaining(groups, owners, np.array([1.0, 2.0, 6.0, 1.0, 3.0]), np.array([3.0, 3.0, 3.0, 2.0, 2.0])).tolist()
    [nan, nan, 6.0, nan, nan]
    """
    result = np.full(len(groups), np.nan)
    if not len(groups):
        return result
    owners = np.where(owners < 0, owners.max(initial=0) + 1 + np.arange(len(owners)), owners)
    sizes, sums = np.bincount(groups), np.bincount(groups, weights=seen)
    numbers = np.bincount(groups, weights=np.arange(len(groups)))
    pair = group_of(groups, owners)
    mine, own = np.bincount(pair), np.bincount(pair, weights=true)
    group = groups[np.unique(pair, return_index=True)[1]]
    hit = np.flatnonzero(mine == sizes[group] - 1)
    hit = hit[mine[hit] > 0]
    # The one who is left is found by the row numbers that are missing from the sum.
    left = numbers[group[hit]] - np.bincount(pair, weights=np.arange(len(groups)))[hit]
    result[left.astype(np.int64)] = sums[group[hit]] - own[hit]
    return result


def group_of(*columns: NDArray[np.generic]) -> Whole:
    """A number for each combination of values; missing is a value of its own.

    >>> group_of(np.array([1, 0, 1]), np.array([5.0, np.nan, 5.0])).tolist()
    [1, 0, 1]
    """
    coded = [np.unique(column, return_inverse=True)[1] for column in columns]
    if not coded:
        raise ValueError("no columns")
    result: Whole = np.unique(np.stack(coded, axis=1), axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    return result
