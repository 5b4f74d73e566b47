"""What a class holds when a missing key may be anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import MISSING, Codes, Gaps, could_meet, number_rows, sum_pairs

Whole = NDArray[np.int64]


def over_compatible(
    keys: Codes, classes: Whole, items: NDArray[Any], amounts: NDArray[Any], *, gaps: Gaps = "own"
) -> tuple[Whole, Whole, NDArray[Any]]:
    """Sparse amounts of items per class, added up over all classes each class could be.

    ``compatible`` does this for one amount per class. Entries come back in order of class and item.

    >>> keys = np.array([[0], [1], [-1]], dtype=np.int32)
    >>> [a.tolist() for a in over_compatible(keys, np.array([0, 1, 2]), np.array([7, 8, 7]), np.array([1, 2, 3]))]
    [[0, 1, 2, 2], [7, 8, 7, 8], [1, 2, 4, 2]]
    """
    missing = keys == MISSING
    if not missing.any():
        return sum_pairs(classes, items, amounts)
    patterns, which = np.unique(missing, axis=0, return_inverse=True)
    which = which.reshape(-1)
    found: list[tuple[Whole, Whole]] = []
    for i, mine in enumerate(patterns):
        here = np.flatnonzero(which == i)
        for j, theirs in enumerate(patterns):
            if not could_meet(mine, theirs, gaps):
                continue
            there = np.flatnonzero(which == j)
            shared = ~(mine | theirs)
            joint = number_rows(np.concatenate([keys[here][:, shared], keys[there][:, shared]]))
            group = np.full(len(keys), -1, dtype=np.int64)
            group[there] = joint[len(here) :]
            entries = np.flatnonzero(which[classes] == j)
            found.append(_met(here, joint[: len(here)], entries, group[classes[entries]]))
    wide, entry = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return sum_pairs(wide, items[entry], amounts[entry])


def _met(here: Whole, wanted: Whole, entries: Whole, group: Whole) -> tuple[Whole, Whole]:
    """Every class with every entry of its group."""
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], wanted, side="left")
    many = np.searchsorted(group[order], wanted, side="right") - first
    within = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    return np.repeat(here, many), entries[order[np.repeat(first, many) + within]]
