"""Categories as continuous columns and back (Sullivan 1989; Höhne 2.2.1 f)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def forward(codes: Ints, shares: Floats, draws: Floats) -> Floats:
    """One column per category but the last: uniform on (0, 1), from 1 - share on exactly where it is the record's.

    ``shares`` are the frequencies of these categories, ``draws`` uniform numbers in the shape of the result.

    >>> forward(np.array([0]), np.array([0.5, 0.3]), np.array([[0.4, 0.6]])).round(2)
    array([[0.7 , 0.42]])
    """
    present = codes[:, None] == np.arange(len(shares))
    return np.where(present, 1 - shares * (1 - draws), draws * (1 - shares))


def to_category(columns: Floats, shares: Floats) -> Ints:
    """The category: the one reached, of several the one with the largest number, the last if none is.

    Numbers that noise moved out of (0, 1) are compared as they are.

    >>> to_category(np.array([[0.8, 0.9], [0.1, 0.2]]), np.array([0.5, 0.3]))
    array([1, 2])
    """
    if not len(shares):
        return np.zeros(len(columns), np.int64)
    reached = columns >= 1 - shares
    best = np.where(reached, columns, -np.inf).argmax(axis=1)
    return np.where(reached.any(axis=1), best, len(shares)).astype(np.int64)


def mode(codes: Ints, groups: Ints, draws: Floats) -> Ints:
    """The commonest category of each row's group, which represents it; of equally common ones the draws choose.

    The draw of a category is the smallest among its rows in the group.

    >>> mode(np.array([2, 2, 1, 0, 1]), np.array([0, 0, 0, 1, 1]), np.array([0.5, 0.5, 0.5, 0.1, 0.9]))
    array([2, 2, 2, 0, 0])
    """
    if not len(codes):
        return codes
    width = int(codes.max()) + 1
    cells, place = np.unique(groups * width + codes, return_inverse=True)
    counts, lots = np.bincount(place), np.full(len(cells), np.inf)
    np.minimum.at(lots, place, draws)
    order = np.lexsort((lots, -counts, cells // width))
    _, first, member = np.unique(cells[order] // width, return_index=True, return_inverse=True)
    winner = (cells[order][first] % width)[member]
    of = np.empty(len(cells), np.int64)
    of[order] = winner
    return of[place]
