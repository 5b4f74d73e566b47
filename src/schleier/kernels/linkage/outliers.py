"""Records far from the bulk of the others, judged by a centre and spread that they cannot pull towards themselves.

Minimum covariance determinant (Rousseeuw 1985) from deterministic starts (Hubert, Rousseeuw and Verdonck 2012): no
random numbers, so the same records give the same outliers in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CUT = 0.975
"""Of records from a normal distribution so many are no outliers."""
FITTED = 20_000
"""At most so many records, evenly spread over the file, tell centre and spread."""
LEAST = 5
"""Records there must be for each column."""
STEPS = 30
FLAT = 1e-9
"""A direction whose variance is this small a part of the largest is none."""


@dataclass(frozen=True)
class Bulk:
    """Centre of the bulk, and the directions in which it has a variance of 1."""

    centre: Floats
    directions: Floats

    def distances(self, values: Floats) -> Floats:
        """Squared robust Mahalanobis distances."""
        found: Floats = (((values - self.centre) @ self.directions) ** 2).sum(axis=1)
        return found


def steady(values: Floats) -> NDArray[np.bool_]:
    """Columns with a spread that half of the records cannot hide: no value is held by more than half of them."""
    return np.array([_deviation(column[~np.isnan(column)]) > 0 for column in values.T], dtype=bool)


def outliers(values: Floats) -> NDArray[np.bool_] | None:
    """Which records (without gaps, in steady columns) are outliers; nothing when there are too few to tell.

    >>> crowd = np.stack([np.sin(np.arange(50.0)), np.cos(np.arange(50.0) * 1.7)], axis=1)
    >>> found = outliers(np.vstack([crowd, [[9.0, 9.0]]]))
    >>> found is not None and int(found.sum()), found is not None and bool(found[-1])
    (1, True)
    """
    if values.shape[1] == 0 or len(values) <= LEAST * values.shape[1]:
        return None
    bulk = fit_bulk(values)
    if bulk is None:
        return None
    return np.asarray(bulk.distances(values) > _quantile(CUT, bulk.directions.shape[1]))


def fit_bulk(values: Floats) -> Bulk | None:
    """Centre and spread of the bulk; nothing when it has no spread."""
    centre = np.median(values, axis=0)
    scale = np.array([_deviation(column) for column in values.T])
    z = ((values - centre) / np.where(scale > 0, scale, 1.0))[:: -(-len(values) // FITTED)]
    half = (len(z) + z.shape[1] + 1) // 2
    found = [_concentrated(z, start, half) for start in _starts(z, half)]
    good = [each for each in found if each[0].directions.shape[1]]
    if not good:
        return None
    # fewest flat directions first: a lower rank would win by its determinant alone
    best = min(good, key=lambda each: (-each[0].directions.shape[1], each[1]))[0]
    rank = best.directions.shape[1]
    raw = best.distances(z) * _consistency(half / len(z), rank)
    kept = raw <= _quantile(CUT, rank)
    final = _bulk(z[kept], _consistency(CUT, rank))[0] if kept.any() else best
    # back to the scale of the values
    widths = np.where(scale > 0, scale, 1.0)
    return Bulk(centre + final.centre * widths, final.directions / widths[:, None])


def _starts(z: Floats, half: int) -> list[NDArray[np.int64]]:
    """Sets of records that look central, in three ways."""
    norms = np.sqrt((z**2).sum(axis=1))
    signs = z / np.where(norms > 0, norms, 1.0)[:, None]
    central = np.argsort(norms, kind="stable")[:half]
    found = [central]
    for shape in (signs.T @ signs, np.cov(np.tanh(z), rowvar=False, bias=True).reshape(z.shape[1], -1)):
        _, axes = np.linalg.eigh(shape)
        turned = z @ axes
        turned -= np.median(turned, axis=0)
        widths = np.array([_deviation(column) for column in turned.T])
        far = ((turned[:, widths > 0] / widths[widths > 0]) ** 2).sum(axis=1)
        found.append(np.argsort(far, kind="stable")[:half])
    return found


def _concentrated(z: Floats, chosen: NDArray[np.int64], half: int) -> tuple[Bulk, float]:
    """Concentration steps: the records nearest to the bulk of the chosen ones, until they stay the same."""
    bulk, size = _bulk(z[chosen])
    for _ in range(STEPS):
        again = np.argsort(bulk.distances(z), kind="stable")[:half]
        if len(again) == len(chosen) and np.array_equal(np.sort(again), np.sort(chosen)):
            break
        chosen = again
        bulk, size = _bulk(z[chosen])
    return bulk, size


def _bulk(z: Floats, factor: float = 1.0) -> tuple[Bulk, float]:
    """Mean and covariance of some records, and the logarithm of its determinant."""
    centre = z.mean(axis=0)
    values, axes = np.linalg.eigh(np.cov(z, rowvar=False, bias=True).reshape(z.shape[1], -1) / factor)
    wide = values > max(float(values.max(initial=0.0)), 0.0) * FLAT
    wide &= values > 0
    return Bulk(centre, axes[:, wide] / np.sqrt(values[wide])), float(np.log(values[wide]).sum())


def _consistency(part: float, rank: int) -> float:
    """What the nearest ``part`` of a normal distribution shows of its variance.

    >>> round(_consistency(0.5, 1), 4)
    0.1427
    """
    from scipy.special import gammainc

    return float(gammainc(rank / 2 + 1, _quantile(part, rank) / 2)) / part if part < 1 else 1.0


def _quantile(part: float, rank: int) -> float:
    """Of the chi-squared distribution; scipy.stats knows it too, but takes seconds to import.

    >>> round(_quantile(0.975, 2), 4)
    7.3778
    """
    from scipy.special import gammaincinv

    return 2 * float(gammaincinv(rank / 2, part))


def _deviation(column: Floats) -> float:
    """Median absolute deviation, as a standard deviation of a normal distribution; 0 for no values."""
    return 1.482602218505602 * float(np.median(np.abs(column - np.median(column)))) if len(column) else 0.0
