"""Rounding that leaves a total alone (Höhne 2.2.1 a; controlled rounding)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def nearest_multiple(values: Floats, decimals: int = 0) -> Floats:
    """The nearest multiple of 10^-decimals; halves go up.

    >>> nearest_multiple(np.array([1.5, -1.5, 2.4]))
    array([ 2., -1.,  2.])
    """
    scale = 10.0**decimals
    return np.floor(values * scale + 0.5) / scale


def controlled(values: Floats, decimals: int = 0) -> Floats:
    """Each value up or down to its neighbour, so that the total is off by at most half a unit.

    Rounded up are those with the largest remainders, as many as the total wants; earlier rows first among equals.
    Missing values stay missing.

    >>> controlled(np.array([1.4, 1.4, 1.2]))
    array([2., 1., 1.])
    """
    scale = 10.0**decimals
    scaled = values * scale
    low = np.floor(scaled)
    rest = scaled - low
    held = ~np.isnan(rest)
    # Exactly rounded to far more digits than matter, or the last digit of a sum decides whether to go up.
    wanted = int(np.floor(np.round(float(rest[held].sum()), 6) + 0.5))
    places = np.flatnonzero(held)
    if 0 < wanted < len(places):
        # Only the largest remainders are looked for: no need to sort all of them.
        border = -np.partition(-rest[places], wanted - 1)[wanted - 1]
        above = places[rest[places] > border]
        at = places[rest[places] == border][: wanted - len(above)]
        places = np.concatenate((above, at))
    if wanted:
        low[places] += 1
    return low / scale
