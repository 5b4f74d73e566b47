"""Values drawn from a linear model, or from the donors a linear model finds similar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.change.neighbours import codes

Floats = NDArray[np.float64]
SMALL = 1e-9
"""Added to the diagonal, as a share of it: collinear and constant columns get a solution instead of an error."""
TINIEST = 2.0**-53
SAME = 1e-12
"""Predictions closer than this share of the largest are equal but for the order of their sums."""


def design(columns: Sequence[NDArray[Any]], words: Sequence[bool]) -> Floats:
    """The columns as numbers for a linear model: amounts standardised, words as 0 and 1, and what is missing marked.

    >>> design([np.array([1.0, 3.0]), np.array(["a", "b"], dtype=object)], [False, True]).tolist()
    [[1.0, -1.0, 0.0], [1.0, 1.0, 1.0]]
    """
    n = len(columns[0]) if columns else 0
    parts: list[Floats] = [np.ones(n)]
    for column, coded in zip(columns, words, strict=True):
        if coded:
            place = np.unique(codes(column), return_inverse=True)[1]
            parts += [(place == code).astype(np.float64) for code in range(1, int(place.max(initial=0)) + 1)]
            continue
        value = column.astype(np.float64)
        gone = np.isnan(value)
        held = value[~gone]
        centre, far = (float(held.mean()), float(held.std())) if len(held) else (0.0, 0.0)
        parts.append(np.where(gone, 0.0, (value - centre) / (far or 1.0)))
        if gone.any():
            parts.append(gone.astype(np.float64))
    return np.stack(parts, axis=1)


def solved(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Weighted least squares; sums in a fixed order, so that every engine finds the same."""
    wide = np.einsum("ni,n,nj->ij", x, weights, x, optimize=False)
    right = np.einsum("ni,n,nk->ik", x, weights, y, optimize=False)
    wide[np.diag_indices(len(wide))] += SMALL * max(float(np.trace(wide)) / len(wide), SMALL)
    found: Floats = np.linalg.solve(wide, right)
    return found


def predicted(x: Floats, beta: Floats) -> Floats:
    """What a model says."""
    found: Floats = np.einsum("ni,ik->nk", x, beta, optimize=False)
    return found


def bootstrap(draws: Floats) -> Floats:
    """Weights of a Bayesian bootstrap (Rubin 1981): exponential, from the draws of the records."""
    return -np.log(np.maximum(1.0 - draws, TINIEST))


def regressed(x: Floats, new: Floats, y: Floats, donors: NDArray[np.bool_], weights: Floats, draws: Floats) -> Floats:
    """Predictions for ``new`` by a model of ``x``, each with a normal error as large as the residuals (Y03)."""
    from scipy.special import ndtri

    beta = solved(x[donors], y[donors, None], weights[donors])
    rest = (y - predicted(x, beta)[:, 0])[donors]
    freedom = max(int(donors.sum()) - x.shape[1], 1)
    far = np.sqrt(float((rest * rest).sum()) / freedom)
    noisy: Floats = predicted(new, beta)[:, 0] + far * ndtri(np.clip(draws, TINIEST, 1 - TINIEST))
    return noisy


def nearest_donors(
    x: Floats, new: Floats, y: Floats, donors: NDArray[np.bool_], weights: Floats, draws: Floats, most: int
) -> NDArray[np.int64]:
    """For each record of ``new`` a donor drawn from those ``most`` with the nearest predictions, never itself.

    Who is as near as the last of them is drawn from as well: where words explain, many predictions are equal.
    """
    beta = solved(x[donors], y[donors, None], weights[donors])
    held, wanted = predicted(x, beta)[:, 0], predicted(new, beta)[:, 0]
    given = np.flatnonzero(donors)
    given = given[np.argsort(held[given], kind="stable")]
    held, reach, every = held[given], min(most + 1, len(given)), np.arange(len(wanted))
    low = np.clip(np.searchsorted(held, wanted) - reach, 0, max(len(given) - 2 * reach, 0))
    window = low[:, None] + np.arange(min(2 * reach, len(given)))[None, :]
    far = np.abs(held[window] - wanted[:, None])
    far[given[window] == every[:, None]] = np.inf
    usable = np.clip(np.isfinite(far).sum(axis=1), 1, most)
    last = np.sort(far, axis=1)[every, usable - 1]
    cut = np.where(np.isfinite(last), last, 0.0) + SAME * float(np.abs(held).max(initial=0.0))
    first, end = np.searchsorted(held, wanted - cut), np.searchsorted(held, wanted + cut, side="right")
    own = np.full(len(x), -1)
    own[given] = np.arange(len(given))
    inside = (own >= first) & (own < end)
    pick = first + np.floor(draws * np.maximum(end - first - inside, 1)).astype(np.int64)
    pick = np.minimum(pick + (inside & (pick >= own)), len(given) - 1)
    found: NDArray[np.int64] = given[pick]
    return found


def classified(
    x: Floats, new: Floats, column: NDArray[Any], donors: NDArray[np.bool_], weights: Floats, draws: Floats
) -> NDArray[np.int64]:
    """For each record of ``new`` the place of a donor with a category drawn from the predicted chances."""
    names, first = np.unique(codes(column)[donors], return_index=True)
    y = (codes(column)[:, None] == names[None, :]).astype(np.float64)
    beta = solved(x[donors], y[donors], weights[donors])
    chance = np.maximum(predicted(new, beta), 0.0)
    total = np.cumsum(chance, axis=1)
    pick = (draws[:, None] * total[:, -1:] >= total).sum(axis=1)
    found: NDArray[np.int64] = np.flatnonzero(donors)[first[np.minimum(pick, len(names) - 1)]]
    return found
