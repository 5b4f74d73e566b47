"""Whether an amount can be computed from others: as their sum, product or ratio."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LARGEST = 1e150


def hits(wanted: Floats, found: Floats, within: float) -> float:
    """The share of values that are found to within a share of themselves (of a typical one, where they are zero).

    >>> hits(np.array([100.0, 50.0, 0.0]), np.array([100.5, 60.0, 0.0]), 0.01)
    0.6666666666666666
    """
    size = np.abs(wanted)
    typical = float(np.median(size[size > 0])) if (size > 0).any() else 0.0
    near = np.abs(found - wanted) <= within * np.where(size > 0, size, typical)
    return float(near.mean()) if len(wanted) else 0.0


def best_linear(wanted: Floats, given: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The best linear combination with a constant, and the columns that matter in it.

    Columns are taken one by one, the one that explains most of the rest first, until nothing is left to explain.
    """
    centred, y = given - given.mean(axis=0), wanted - wanted.mean()
    scale = centred.std(axis=0)
    usable = np.flatnonzero(scale > 1e-12 * np.maximum(np.abs(given).max(axis=0, initial=0.0), 1e-300))
    chosen: list[int] = []
    fitted, whole = np.full(len(wanted), wanted.mean()), float((y * y).sum())
    for _ in range(len(usable)):
        rest = wanted - fitted
        if not whole or float((rest * rest).sum()) <= 1e-18 * whole:
            break
        z = centred[:, usable] / scale[usable]
        gain = np.abs(z.T @ rest)
        gain[[i for i, column in enumerate(usable) if column in chosen]] = -1.0
        if gain.max() <= 0:
            break
        chosen.append(int(usable[gain.argmax()]))
        x = centred[:, chosen] / scale[chosen]
        fitted = wanted.mean() + x @ np.linalg.lstsq(x, y, rcond=None)[0]
    return fitted, np.array(chosen, dtype=np.int64)


def best_product(wanted: Floats, given: Floats, within: float) -> tuple[float, str, tuple[int, int]]:
    """The best product or ratio of two columns (times a constant): share of hits, which of both, and the columns."""
    best = (0.0, "", (-1, -1))
    count = given.shape[1]
    for how, places in (("product", combinations(range(count), 2)), ("ratio", permutations(range(count), 2))):
        for i, j in places:
            a, b = given[:, i], given[:, j]
            with np.errstate(all="ignore"):
                made = a * b if how == "product" else a / b
                times = wanted / made
            sure = np.isfinite(times) & (np.abs(times) < LARGEST)
            if sure.sum() < 2:
                continue
            made = np.where(np.isfinite(made), made, np.inf) * float(np.median(times[sure]))
            with np.errstate(all="ignore"):
                share = hits(wanted, made, within)
            if share > best[0]:
                best = (share, how, (i, j))
    return best
