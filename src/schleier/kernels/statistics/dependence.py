"""How columns depend on each other: weighted, with missing values (NaN) left out pair by pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

FLAT = 1e-14
"""Share of the mean square below which a variance is only what rounding left over."""


def centred(x: Floats, w: Floats) -> Floats:
    """Columns less their weighted mean, NaN where nothing is known; a constant column is exactly zero."""
    known = np.isfinite(x) & (w > 0)[:, None]
    filled = np.where(known, x, 0.0)
    total = (known * w[:, None]).sum(axis=0)
    means = (filled * w[:, None]).sum(axis=0) / np.where(total > 0, total, 1.0)
    lowest = np.where(known, x, np.inf).min(axis=0, initial=np.inf)
    highest = np.where(known, x, -np.inf).max(axis=0, initial=-np.inf)
    means = np.where(lowest == highest, lowest, means)
    result: Floats = np.where(known, x - means, np.nan)
    return result


def covariances(x: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Covariances (divisor: the weight) over the records that know both columns; and the variance of each row's column
    over the same records.

    >>> covariances(np.array([[1.0, 2.0], [3.0, 6.0], [np.nan, 9.0]]), np.ones(3))[0].round(6).tolist()
    [[1.0, 2.0], [2.0, 8.222222]]
    """
    about = centred(x, w)
    known = np.isfinite(about)
    filled = np.where(known, about, 0.0)
    held = known.astype(np.float64)
    heavy = filled * w[:, None]
    weight = held.T @ (held * w[:, None])
    weight = np.where(weight > 0, weight, np.nan)
    means = heavy.T @ held / weight  # of the column of the row, over the records that know the column of the column
    squares = (heavy * filled).T @ held / weight
    together = heavy.T @ filled / weight - means * means.T
    spread = squares - means**2
    spread = np.where(spread <= FLAT * squares, 0.0, spread)
    return together, spread


def correlations(x: Floats, w: Floats) -> Floats:
    """Pearson's correlations, each over the records that know both columns; NaN where a column does not spread.

    >>> correlations(np.array([[1.0, 2.0], [3.0, 6.0], [np.nan, 9.0]]), np.ones(3)).round(12).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    together, spread = covariances(x, w)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = together / np.sqrt(spread * spread.T)
    found = np.where((spread > 0) & (spread.T > 0), np.clip(found, -1.0, 1.0), np.nan)
    result: Floats = (found + found.T) / 2
    return result


def ranks(values: Floats, w: Floats) -> Floats:
    """The weight below a value and half of its own: middle ranks where all weights are one. NaN stays.

    >>> ranks(np.array([10.0, 30.0, 10.0, np.nan]), np.ones(4)).tolist()
    [1.5, 3.0, 1.5, nan]
    """
    result = np.full(len(values), np.nan)
    known = np.isfinite(values)
    different, place = np.unique(values[known], return_inverse=True)
    own = np.bincount(place, weights=w[known], minlength=len(different))
    result[known] = (np.cumsum(own) - own / 2 + 0.5)[place]
    return result


def rank_correlations(x: Floats, w: Floats) -> Floats:
    """Spearman's correlations; where values are missing, each pair of columns is ranked anew."""
    columns = x.shape[1]
    known = np.isfinite(x) & (w > 0)[:, None]
    if columns and known.all(axis=1).sum() == known.any(axis=1).sum():
        return correlations(np.column_stack([ranks(x[:, j], w) for j in range(columns)]), w)
    found = np.full((columns, columns), np.nan)
    for j in range(columns):
        for k in range(j + 1):
            both = known[:, j] & known[:, k]
            pair = np.column_stack([ranks(x[both, j], w[both]), ranks(x[both, k], w[both])])
            found[j, k] = found[k, j] = correlations(pair, w[both])[0, 1]
    return found


def crossed(a: Whole, b: Whole, w: Floats) -> Floats:
    """The weight of every combination of two coded columns; rows with a code below 0 are left out."""
    held = (a >= 0) & (b >= 0)
    rows, columns = int(a.max(initial=-1)) + 1, int(b.max(initial=-1)) + 1
    flat = np.bincount(a[held] * columns + b[held], weights=w[held], minlength=rows * columns)
    return flat.reshape(rows, columns).astype(np.float64)


def cramers_v(table: Floats) -> float:
    """Cramér's V of a table of counts or weights; NaN when one of the two columns has a single value.

    >>> cramers_v(np.array([[5.0, 0.0], [0.0, 5.0]]))
    1.0
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    if min(table.shape) < 2:
        return float("nan")
    total = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    phi = float(((table - expected) ** 2 / expected).sum() / total)
    return float(np.sqrt(min(phi / (min(table.shape) - 1), 1.0)))


def mutual_information(table: Floats) -> float:
    """Mutual information in nats of a table of counts or weights; NaN when it is empty."""
    total = table.sum()
    if not total:
        return float("nan")
    shares = table / total
    apart = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    there = shares > 0
    return max(float((shares[there] * np.log(shares[there] / apart[there])).sum()), 0.0)


def correlation_ratio(codes: Whole, values: Floats, w: Floats) -> float:
    """Share of the variance of numbers that lies between the categories of a coded column (eta squared).

    >>> correlation_ratio(np.array([0, 0, 1, 1]), np.array([1.0, 3.0, 7.0, 9.0]), np.ones(4))
    0.9
    """
    held = (codes >= 0) & np.isfinite(values) & (w > 0)
    if not held.any():
        return float("nan")
    v, c, u = centred(values[held][:, None], w[held])[:, 0], codes[held], w[held]
    whole = float(u @ v**2)
    if whole <= 0:
        return float("nan")
    weight = np.bincount(c, weights=u)
    sums = np.bincount(c, weights=u * v)
    between = float((sums[weight > 0] ** 2 / weight[weight > 0]).sum()) - float((u @ v) ** 2 / u.sum())
    return min(max(between / whole, 0.0), 1.0)
