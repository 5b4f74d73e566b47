"""What the records that a person could be say about a value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.classes.coding import MISSING, Codes, add_up, merge
from schleier.kernels.classes.wildcards import over_compatible

Whole = NDArray[np.int64]
Real = NDArray[np.float64]


def candidates(known: Codes, keys: Codes, items: Whole, amounts: Whole) -> tuple[Whole, Whole, Whole]:
    """Which items the records have that each known combination of keys could be; a missing key may be anything.

    ``amounts[i]`` records have the keys ``keys[i]`` and the item ``items[i]``, -1 for none. Entries come back as place
    in ``known``, item and amount, in order of place and item. The known combinations must differ.

    >>> known, keys = np.array([[0], [1], [2]], dtype=np.int32), np.array([[0], [0], [-1]], dtype=np.int32)
    >>> [a.tolist() for a in candidates(known, keys, np.array([7, 8, 7]), np.array([1, 2, 3]))]
    [[0, 0, 1, 2], [7, 8, 7, 7], [4, 2, 3, 3]]
    """
    rows, place = merge(np.concatenate([keys, known]))
    wide, found, sums = over_compatible(rows, place[: len(keys)], items, amounts, gaps="both")
    back = np.full(len(rows), MISSING, dtype=np.int64)
    back[place[len(keys) :]] = np.arange(len(known))
    asked = back[wide] != MISSING
    where, what, many = back[wide[asked]], found[asked], sums[asked]
    order = np.lexsort((what, where))
    return where[order], what[order], many[order]


def likeliest(places: Whole, items: Whole, amounts: Whole, totals: Whole, size: int) -> tuple[NDArray[np.int64], Real]:
    """The most frequent item of each place, -1 for none, and its share of the records there.

    Of equally frequent items the one with the larger total is taken, then the first.

    >>> places, items, amounts = np.array([0, 0, 0, 2]), np.array([-1, 0, 1, 1]), np.array([5, 2, 3, 1])
    >>> item, share = likeliest(places, items, amounts, np.array([9, 4]), 3)
    >>> item.tolist(), share.tolist()
    ([1, -1, 1], [0.3, 0.0, 1.0])
    """
    held = np.flatnonzero(items >= 0)
    order = held[np.lexsort((items[held], -totals[items[held]], -amounts[held], places[held]))]
    first = order[np.unique(places[order], return_index=True)[1]]
    item, most = np.full(size, MISSING, dtype=np.int64), np.zeros(size)
    item[places[first]], most[places[first]] = items[first], amounts[first]
    return item, most / np.maximum(add_up(amounts, places, size), 1)


def typical(places: Whole, values: Real, amounts: Whole, within: float, size: int) -> tuple[Real, Real]:
    """The mean value of each place (nan for none), and the share of the records there that it is near to.

    A missing value is nan: it counts as a record that the mean is not near to.

    >>> mean, share = typical(np.array([0, 0, 0]), np.array([90.0, 110.0, np.nan]), np.array([1, 1, 2]), 0.2, 2)
    >>> mean.tolist(), share.tolist()
    ([100.0, nan], [0.5, 0.0])
    """
    held = ~np.isnan(values)
    many = add_up(amounts[held], places[held], size)
    sums: Any = add_up(values[held] * amounts[held], places[held], size)
    mean = np.where(many > 0, sums / np.maximum(many, 1), np.nan)
    close = held & within_share(mean[places], values, within)
    return mean, add_up(np.where(close, amounts, 0), places, size) / np.maximum(add_up(amounts, places, size), 1)


def within_share(claimed: Real, true: Real, within: float) -> NDArray[np.bool_]:
    """Whether a claim is off by at most a share of the true value."""
    result: NDArray[np.bool_] = np.abs(claimed - true) <= within * np.abs(true)
    return result
