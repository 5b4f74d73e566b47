"""Mean, spread, shape and quantiles of a weighted column, the same whatever the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Ordered:
    """The values of a column that are there in order, with their weights: sorted once, asked several times."""

    values: Floats
    weights: Floats
    whole: Floats
    """The weights of all records, in order."""
    gaps: Floats
    """The weights of the records without a value, in order."""

    @staticmethod
    def of(values: Floats, weights: Floats) -> Ordered:
        """A column as it stands; NaN is missing."""
        gone = np.isnan(values)
        if len(weights) and (weights[0] == weights).all():  # nothing to tell equal values apart by
            x = np.sort(values[~gone & (weights > 0)])
            return Ordered(x, weights[: len(x)], weights, weights[: int(gone.sum())])
        held = ~gone & (weights > 0)
        order = np.lexsort((weights[held], values[held]))
        return Ordered(values[held][order], weights[held][order], np.sort(weights), np.sort(weights[gone]))

    def without(self, values: Floats, weights: Floats) -> Ordered:
        """The column without some records.

        >>> column = Ordered.of(np.array([4.0, 2.0, np.nan, 6.0]), np.ones(4))
        >>> column.without(np.array([2.0, np.nan]), np.ones(2)).values.tolist()
        [4.0, 6.0]
        """
        gone = np.isnan(values)
        held = ~gone & (weights > 0)
        places = _spots(self.values, self.weights, values[held], weights[held])
        return Ordered(
            np.delete(self.values, places),
            np.delete(self.weights, places),
            np.delete(self.whole, _spots(self.whole, self.whole, weights, weights)),
            np.delete(self.gaps, _spots(self.gaps, self.gaps, weights[gone], weights[gone])),
        )


def _spots(values: Floats, weights: Floats, some: Floats, theirs: Floats) -> list[int]:
    """Where some values stand, with these weights; each place once."""
    found: set[int] = set()
    for value, weight in zip(some.tolist(), theirs.tolist(), strict=True):
        low, high = (int(np.searchsorted(values, value, side=side)) for side in ("left", "right"))
        place = low + int(np.searchsorted(weights[low:high], weight))
        while place in found:
            place += 1
        found.add(place)
    return sorted(found)


def moments(values: Floats, weights: Floats, shares: Sequence[float]) -> Moments:
    """Moments of the values that are there (NaN is missing); all NaN when there is none.

    A quantile is the smallest value that so large a share of the weight does not exceed.

    >>> moments(np.array([4.0, 2.0, np.nan, 6.0]), np.ones(4), (0.5,))[:4]
    (4.0, 1.632993161855452, (4.0,), 0.25)
    """
    return of_ordered(Ordered.of(values, weights), shares)


def of_ordered(column: Ordered, shares: Sequence[float], *, shape: bool = True) -> Moments:
    """The same of a column that was put in order; without its shape where nobody asks for it."""
    x, w = column.values, column.weights
    everything = float(column.whole.sum())
    if not len(x):
        return Moments(np.nan, np.nan, (np.nan,) * len(shares), 1.0 if everything else 0.0)
    total = float(w.sum())
    with np.errstate(invalid="ignore", over="ignore"):  # infinite numbers have no mean
        mean = float(x[0] if x[0] == x[-1] else (w * x).sum() / total)  # no last digit makes a constant spread
        sd = float(np.sqrt((w * (x - mean) ** 2).sum() / total))
        skewness = excess = np.nan
        if shape and sd > 0:  # shape is not defined without spread
            unit = (x - mean) / sd
            skewness, excess = float((w * unit**3).sum() / total), float((w * unit**4).sum() / total - 3)
        width = float(x[-1] - x[0])
    running = np.cumsum(w)
    limits = np.array(shares) * running[-1] * (1 - 1e-12)  # a share met exactly is met, whatever the last digit
    places = np.minimum(np.searchsorted(running, limits), len(x) - 1)
    gone = float(column.gaps.sum())
    return Moments(mean, sd, tuple(x[places].tolist()), gone / everything, skewness, excess, width)
