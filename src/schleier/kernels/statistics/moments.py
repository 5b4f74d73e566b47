"""Mean, spread, shape and quantiles of a weighted column, the same whatever the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Moments(NamedTuple):
    """What a column looks like; the share of missing values counts weights too."""

    mean: float
    sd: float
    quantiles: tuple[float, ...]
    missing: float
    skewness: float = np.nan
    excess: float = np.nan
    range: float = np.nan


def moments(values: Floats, weights: Floats, shares: Sequence[float]) -> Moments:
    """Moments of the values that are there (NaN is missing); all NaN when there is none.

    A quantile is the smallest value that so large a share of the weight does not exceed.

    >>> moments(np.array([4.0, 2.0, np.nan, 6.0]), np.ones(4), (0.5,))[:4]
    (4.0, 1.632993161855452, (4.0,), 0.25)
    """
    held = ~np.isnan(values) & (weights > 0)
    everything = float(np.sort(weights).sum())
    order = np.lexsort((weights[held], values[held]))
    x, w = values[held][order], weights[held][order]
    if not len(x):
        return Moments(np.nan, np.nan, (np.nan,) * len(shares), 1.0 if everything else 0.0)
    total = float(w.sum())
    with np.errstate(invalid="ignore", over="ignore"):  # infinite numbers have no mean
        mean = float(x[0] if x[0] == x[-1] else (w * x).sum() / total)  # no last digit makes a constant spread
        sd = float(np.sqrt((w * (x - mean) ** 2).sum() / total))
        unit = (x - mean) / sd if sd > 0 else np.full(len(x), np.nan)  # shape is not defined without spread
        skewness, excess = float((w * unit**3).sum() / total), float((w * unit**4).sum() / total - 3)
        width = float(x[-1] - x[0])
    running = np.cumsum(w)
    limits = np.array(shares) * running[-1] * (1 - 1e-12)  # a share met exactly is met, whatever the last digit
    places = np.minimum(np.searchsorted(running, limits), len(x) - 1)
    gone = float(np.sort(weights[np.isnan(values)]).sum())
    return Moments(mean, sd, tuple(x[places].tolist()), gone / everything, skewness, excess, width)
