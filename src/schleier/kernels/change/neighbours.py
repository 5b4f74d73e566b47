"""Records beside each other in an order, in groups: who gives values to whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def codes(column: NDArray[Any]) -> NDArray[Any]:
    """A column as numbers in the order of its values, missing last.

    >>> codes(np.array(["b", None, "a"], dtype=object)).tolist()
    [1, 2, 0]
    """
    if column.dtype.kind == "f":
        return np.where(np.isnan(column), np.inf, column)
    if column.dtype.kind in "iub":
        return column
    if column.dtype.kind in "mM":
        gone = np.isnat(column)
        return np.where(gone, np.iinfo(np.int64).max, column.astype(np.int64))
    gone = lacking(column)
    words = np.array([str(value) for value in column[~gone]])
    found = np.full(len(column), len(words), dtype=np.int64)
    if len(words):
        found[~gone] = np.unique(words, return_inverse=True)[1]
    return found


def lacking(column: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are missing."""
    if column.dtype.kind == "O":
        return np.array([value is None or (isinstance(value, float) and np.isnan(value)) for value in column], bool)
    found: NDArray[np.bool_] = np.zeros(len(column), dtype=bool)
    if column.dtype.kind in "mM":
        found = np.isnat(column)
    elif column.dtype.kind == "f":
        found = np.isnan(column)
    return found


def order(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Places of the records sorted by the columns, the first counting most; ties as they come."""
    return np.lexsort(tuple(codes(column) for column in reversed(columns))).astype(np.int64)


def neighbour_groups(n: int, size: int) -> NDArray[np.int64]:
    """The group of each of ``n`` ordered records: ``size`` each, the last takes the rest.

    >>> neighbour_groups(7, 3).tolist(), neighbour_groups(2, 3).tolist()
    ([0, 0, 0, 1, 1, 1, 1], [0, 0])
    """
    return np.minimum(np.arange(n) // size, max(n // size - 1, 0)).astype(np.int64)


def rotated(group: NDArray[np.int64], draws: NDArray[np.float64], turns: int) -> NDArray[np.int64]:
    """For each ordered record the places of its ``turns`` donors, other records of its group, each another one.

    A group is rotated by a random number of places (from the draw of its first record), then by further ones.
    A group with fewer others than turns begins again with the first.

    >>> rotated(np.array([0, 0, 0]), np.array([0.0, 0.5, 0.9]), 2).T.tolist()
    [[1, 2, 0], [2, 0, 1]]
    """
    if not len(group):
        return np.zeros((0, turns), dtype=np.int64)
    first = np.searchsorted(group, group)
    size = np.searchsorted(group, group, side="right") - first
    others = np.maximum(size - 1, 1)
    start = np.floor(draws[first] * others).astype(np.int64)
    places = np.arange(len(group)) - first
    shift = (start[:, None] + np.arange(turns)[None, :]) % others[:, None] + (size > 1)[:, None]
    donors: NDArray[np.int64] = first[:, None] + (places[:, None] + shift) % size[:, None]
    return donors


def middle(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each ordered record the place of the middle record of its group."""
    first = np.searchsorted(group, group)
    size = np.searchsorted(group, group, side="right") - first
    return first + size // 2


def central(column: NDArray[Any], group: NDArray[np.int64], *, ordered: bool) -> NDArray[np.int64]:
    """For each record the place of one with the lower median (or else the most frequent) value of its group.

    >>> central(np.array([9.0, 1.0, 5.0]), np.zeros(3, np.int64), ordered=True).tolist()
    [2, 2, 2]
    >>> central(np.array(["b", "a", "b"], dtype=object), np.zeros(3, np.int64), ordered=False).tolist()
    [0, 0, 0]
    """
    value = codes(column)
    if not ordered:  # the most frequent value of a group comes first
        _, code = np.unique(value, return_inverse=True)
        _, pair, count = np.unique(np.stack([group, code], axis=1), axis=0, return_inverse=True, return_counts=True)
        by = np.lexsort((np.arange(len(group)), code, -count[pair.reshape(-1)], group))
        return by[np.searchsorted(group[by], group)]
    by = np.lexsort((value, group))
    first = np.searchsorted(group[by], group)
    size = np.searchsorted(group[by], group, side="right") - first
    return by[first + (size - 1) // 2]
