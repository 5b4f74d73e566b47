"""Linear and logistic regression with weights: coefficients, their errors, and how well they fit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DEPENDENT = 1e-10
"""Share of its squares that a column may have left after the ones before it: less, and it is made of them."""
STEPS, NEAR, STEEP = 60, 1e-10, 30.0
"""Most steps of the logistic fit, the change at which it ends, and the score beyond which values are told apart."""


class Fit(NamedTuple):
    """A fitted model."""

    coefficients: Floats
    errors: Floats
    fit: float
    """R squared; for a logistic model McFadden's."""
    free: int
    """Degrees of freedom of the errors."""
    fitted: Floats


def independent_columns(x: Floats) -> NDArray[np.bool_]:
    """Which columns are no linear combination of those before them.

    >>> independent_columns(np.array([[1.0, 2.0, 2.0], [1.0, 5.0, 5.0], [1.0, 9.0, 9.0]])).tolist()
    [True, True, False]
    """
    norms = np.sqrt((x**2).sum(axis=0))
    unit = x / np.where(norms > 0, norms, 1.0)
    kept = np.zeros(x.shape[1], dtype=bool)
    basis = np.zeros((x.shape[0], 0))
    for j in range(x.shape[1]):
        left = unit[:, j] - basis @ (basis.T @ unit[:, j])
        left -= basis @ (basis.T @ left)  # once more: rounding of the first time
        size = float(left @ left)
        if norms[j] > 0 and size > DEPENDENT:
            kept[j] = True
            basis = np.column_stack([basis, left / np.sqrt(size)])
    return kept


def least_squares(x: Floats, y: Floats, w: Floats, *, robust: bool = False) -> Fit | None:
    """Least squares; ``robust`` takes the weights for sampling weights (sandwich HC0). None with too few rows.

    >>> x = np.column_stack([np.ones(4), [0.0, 1.0, 2.0, 3.0]])
    >>> least_squares(x, np.array([1.0, 3.0, 5.0, 7.0]), np.ones(4)).coefficients.round(9).tolist()
    [1.0, 2.0]
    """
    rows, columns = x.shape
    if rows <= columns:
        return None
    root = np.sqrt(w)
    scale = np.sqrt((x**2).sum(axis=0))
    q, r = np.linalg.qr(x / scale * root[:, None])
    back = np.linalg.inv(r)
    b = back @ (q.T @ (y * root))
    fitted = x / scale @ b
    residual = y - fitted
    mean = float(w @ y / w.sum())
    whole, left = float(w @ (y - mean) ** 2), float(w @ residual**2)
    if robust:
        meat = (x / scale).T @ ((x / scale) * ((w * residual) ** 2)[:, None])
        spread = back @ back.T @ meat @ back @ back.T
    else:
        spread = back @ back.T * (left / (rows - columns))
    errors = np.sqrt(np.maximum(np.diag(spread), 0.0)) / scale
    return Fit(b / scale, errors, 1 - left / whole if whole > 0 else float("nan"), rows - columns, fitted)


def logistic(x: Floats, y: Floats, w: Floats, *, robust: bool = False, ridge: float = 0.0) -> Fit | None:
    """Maximum likelihood by Newton's steps, the errors as in ``least_squares``; None when no maximum was found.

    There is none when the columns tell the two values apart without error; ``ridge`` then keeps the coefficients small.
    """
    rows, columns = x.shape
    share = float(w @ y / w.sum()) if w.sum() else 0.0
    if rows <= columns or not 0 < share < 1:
        return None
    scale = np.sqrt((x**2).mean(axis=0))
    z, b = x / scale, np.zeros(columns)
    for _ in range(STEPS):
        p = _probability(z @ b)
        curve = z.T @ (z * (w * p * (1 - p))[:, None]) + ridge * np.eye(columns)
        slope = z.T @ (w * (y - p)) - ridge * b
        try:
            step = np.linalg.solve(curve, slope)
        except np.linalg.LinAlgError:
            return None
        b = b + step
        if not ridge and np.abs(z @ b).max(initial=0.0) > STEEP:
            return None
        if np.abs(step).max(initial=0.0) < NEAR * (1 + np.abs(b).max(initial=0.0)):
            break
    else:
        if not ridge:
            return None
    p = _probability(z @ b)
    inverse = np.linalg.inv(z.T @ (z * (w * p * (1 - p))[:, None]) + ridge * np.eye(columns))
    if robust:
        inverse = inverse @ (z.T @ (z * ((w * (y - p)) ** 2)[:, None])) @ inverse
    likelihood = float(w @ np.log(np.where(y > 0, np.maximum(p, 1e-300), np.maximum(1 - p, 1e-300))))
    alone = float(w.sum()) * (share * np.log(share) + (1 - share) * np.log(1 - share))
    errors = np.sqrt(np.maximum(np.diag(inverse), 0.0)) / scale
    return Fit(b / scale, errors, 1 - likelihood / alone, rows - columns, p)


def _probability(score: Floats) -> Floats:
    result: Floats = 0.5 * (1.0 + np.tanh(0.5 * np.clip(score, -700, 700)))
    return result
