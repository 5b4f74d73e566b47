"""Give changed values their old mean and variance back (Kim 1986; Höhne 3.3.1, M12)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LAST_DIGITS = 1e-12


def restored(original: Floats, changed: Floats) -> Floats:
    """The changed values stretched to the standard deviation of the original and moved to its mean.

    Where the changed values are all the same there is nothing to stretch: they are only moved.

    >>> restored(np.array([10.0, 20, 30]), np.array([16.0, 20, 24])).round(9).tolist()
    [10.0, 20.0, 30.0]
    """
    mean, sd = changed.mean(), changed.std()
    apart = changed - mean
    factor = original.std() / sd if sd > LAST_DIGITS * np.abs(changed).max(initial=0.0) else 1.0
    return np.asarray(factor * apart + original.mean())


def blocks_of(changed: Floats, block: int) -> tuple[NDArray[np.int64], list[int]]:
    """An order by descending changed values (Höhne L1359: never by the original ones), and where its blocks start.

    A block has at least ``block`` records and ends where the value changes: equal values stay equal. What is left at
    the end is part of the last block.
    """
    order = np.argsort(-changed, kind="stable")
    ordered = changed[order]
    new = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    starts = [0]
    while (at := int(np.searchsorted(new, starts[-1] + block))) < len(new):
        if len(ordered) - new[at] < block:
            break
        starts.append(int(new[at]))
    return order, starts


def restored_in_blocks(original: Floats, changed: Floats, block: int) -> Floats:
    """Each block of neighbouring changed values gets the mean and the variance of its own records back."""
    order, starts = blocks_of(changed, block)
    result = np.empty(len(changed))
    for start, end in zip(starts, [*starts[1:], len(changed)], strict=True):
        who = order[start:end]
        if len(who):
            result[who] = restored(original[who], changed[who])
    return result
