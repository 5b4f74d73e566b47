"""What goes wrong between a person and a record: arrays of codes and numbers with errors in them.

Müller, Blien, Knoche, Wirth et al. (1991), 9.2.2.3. Every function takes uniform draws, one per row; -1 and nan are
gaps, which stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def other_categories(size: int, weights: Floats | None = None) -> Floats:
    """Where a category goes when it is wrong: to any other alike, or as some weights say; a row of zeros stays.

    >>> other_categories(3).tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
    """
    chances = np.ones((size, size)) if weights is None else weights.astype(np.float64)
    np.fill_diagonal(chances, 0.0)
    total = chances.sum(axis=1, keepdims=True)
    found: Floats = np.divide(chances, total, out=np.zeros_like(chances), where=total > 0)
    return found


def near_categories(size: int, spread: float) -> Floats:
    """Categories in an order in which neighbours are alike: the error is normal, so many places to either side.

    >>> near_categories(3, 1.0).round(3).tolist()
    [[0.0, 0.818, 0.182], [0.5, 0.0, 0.5], [0.182, 0.818, 0.0]]
    """
    place = np.arange(size, dtype=np.float64)
    off = (place[:, None] - place[None, :]) / spread
    # The next one first: with a narrow spread the others would all be too small to be told from 0.
    exponent = -0.5 * (off**2 - 1 / spread**2)
    return other_categories(size, np.exp(np.minimum(exponent, 0.0)))


def changed_codes(codes: Codes, rates: Floats, chances: Floats, hit: Floats, where: Floats) -> Codes:
    """Codes with errors: each is wrong at its own rate, and then one of the others by its row of chances.

    >>> draws = np.array([0.1, 0.9]), np.array([0.2, 0.2])
    >>> changed_codes(np.array([0, 0]), np.array([0.5, 0.5, 0.5]), other_categories(3), *draws).tolist()
    [1, 0]
    """
    found = codes.copy()
    wrong = np.flatnonzero((codes >= 0) & (hit < np.append(rates, 0.0)[codes]))
    for code in np.unique(codes[wrong]):  # few categories, many rows
        steps = np.cumsum(chances[code])
        if steps[-1] > 0:
            rows = wrong[codes[wrong] == code]
            # The draw is below 1, the last step may be by rounding: the last one that can be reached is the end.
            last = int(np.flatnonzero(chances[code])[-1])
            found[rows] = np.minimum(np.searchsorted(steps, where[rows], side="right"), last)
    return found


def errors(where: Floats, deviation: float, *, whole: bool) -> Floats:
    """Normal errors; whole ones are rounded, and none of them is 0.

    >>> errors(np.array([0.01, 0.5, 0.99]), 1.0, whole=True).tolist()
    [-3.0, 1.0, 3.0]
    """
    from scipy.special import ndtr, ndtri

    if not whole:
        return np.asarray(ndtri(where) * deviation)
    half = 0.5 / deviation
    below, inside = ndtr(-half), ndtr(half) - ndtr(-half)
    if inside >= 1:  # so narrow that a whole step is never reached: one up or down
        return np.where(where < 0.5, -1.0, 1.0)
    draws = where * (1 - inside)
    draws = np.where(draws < below, draws, draws + inside)
    found = np.rint(ndtri(draws) * deviation)
    sign = np.where(where < 0.5, -1.0, 1.0)
    return np.asarray(np.where(found == 0, sign, found))
