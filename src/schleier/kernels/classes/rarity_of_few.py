"""Rows with the same number, their sizes and units: by sorting, for few rows."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbered(rows: Any) -> Any:
    """Numbers from zero for different rows, and how many there are.

    >>> numbered(np.array([7, 3, 7]))
    (array([1, 0, 1]), 2)
    """
    different_rows, place = np.unique(rows, return_inverse=True)
    return place, len(different_rows)


def added(place: Any, amounts: Any, size: Any) -> Any:
    """The sum of the amounts at each place."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, place, amounts)
    return sums


def different(place: Any, held: Any, units: Any, sizes: Any, enough: Any) -> Any:
    """How many different units are at each place."""
    width = int(units.max(initial=0)) + 1
    pairs = np.unique(place[held].astype(np.int64) * width + units)
    return np.bincount(pairs // width, minlength=len(sizes))


def held_by(places: Any, starts: Any, units: Any) -> Any:
    """The units of some rows, which are counted anew.

    >>> [a.tolist() for a in held_by(np.array([0, 2]), np.array([0, 2, 3, 5]), np.array([7, 8, 7, 9, 6]))]
    [[0, 0, 1, 1], [7, 8, 9, 6]]
    """
    many = starts[places + 1] - starts[places]
    held = np.repeat(np.arange(len(places)), many)
    return held, units[np.arange(len(held)) + np.repeat(starts[places] - np.cumsum(many) + many, many)]


def in_order(held: Any, units: Any, classes: Any) -> Any:
    """Units in order of the classes that hold them."""
    order = np.argsort(held, kind="stable")
    return held[order].astype(np.int64), units[order]
