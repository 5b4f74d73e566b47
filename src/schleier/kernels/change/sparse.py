"""Values in thinly filled fields, and the well-filled neighbours that stand in for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.change.neighbours import codes, lacking


def fields(column: NDArray[Any], width: float | None) -> NDArray[np.int64]:
    """The field of each value: itself, or the interval of this width it lies in; -1 is missing.

    >>> fields(np.array([1.0, 4.0, 12.0, np.nan]), 10).tolist()
    [0, 0, 1, -1]
    """
    gone = lacking(column)
    value = codes(column) if width is None else np.floor(column / width)
    found = np.full(len(column), -1, dtype=np.int64)
    if not gone.all():
        found[~gone] = np.unique(value[~gone], return_inverse=True)[1]
    return found


def thin(field: NDArray[np.int64], least: int) -> NDArray[np.bool_]:
    """Which records lie in a field with fewer records than ``least``; missing is no field."""
    held = field >= 0
    count = np.bincount(field[held], minlength=1)
    result: NDArray[np.bool_] = held & (count[np.where(held, field, 0)] < least)
    return result


def donors(
    column: NDArray[Any], gaps: NDArray[np.bool_], full: NDArray[np.bool_], most: int | None
) -> NDArray[np.int64]:
    """For each record of ``gaps`` the places of its donors among ``full``: all, or those nearest in value.

    >>> donors(np.array([1.0, 2.0, 3.0, 90.0]), np.arange(4) > 2, np.arange(4) < 3, 2).tolist()
    [[1, 2]]
    """
    given = np.flatnonzero(full)
    if most is None or most >= len(given):
        return np.broadcast_to(given, (int(gaps.sum()), len(given)))
    value = codes(column).astype(np.float64)
    given = given[np.argsort(value[given], kind="stable")]
    held, wanted = value[given], value[gaps]
    low = np.clip(np.searchsorted(held, wanted) - most, 0, max(len(given) - 2 * most, 0))
    window = low[:, None] + np.arange(min(2 * most, len(given)))[None, :]
    near = np.argsort(np.abs(held[window] - wanted[:, None]), axis=1, kind="stable")[:, :most]
    return given[np.sort(np.take_along_axis(window, near, axis=1), axis=1)]
