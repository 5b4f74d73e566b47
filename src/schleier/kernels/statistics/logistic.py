"""Multinomial logistic regression on coded columns, with counts as weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import logsumexp, softmax


class Model(NamedTuple):
    """Coefficients: a row for each code of each column and one for the constant, a column for each class."""

    coefficients: NDArray[np.float64]
    widths: tuple[int, ...]


def fit(
    codes: NDArray[np.int64],
    widths: tuple[int, ...],
    classes: NDArray[np.int64],
    number: int,
    counts: NDArray[np.float64],
    ridge: float = 1.0,
) -> Model:
    """Maximise the likelihood less ``ridge``/2 times the squared coefficients (the constants are free).

    >>> codes, classes = np.array([[0], [1], [0], [1]]), np.array([0, 1, 0, 1])
    >>> predict(fit(codes, (2,), classes, 2, np.array([9.0, 9.0, 1.0, 1.0])), codes).tolist()
    [0, 1, 0, 1]
    """
    x = _indicators(codes, widths)
    total = max(float(counts.sum()), 1.0)
    own = np.zeros((len(classes), number))
    own[np.arange(len(classes)), classes] = 1.0

    def cost(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        b = flat.reshape(-1, number)
        z = x @ b
        likelihood = float(counts @ (logsumexp(z, axis=1) - z[np.arange(len(classes)), classes]))
        slope = x.T @ ((softmax(z, axis=1) - own) * counts[:, None])
        slope[:-1] += ridge * b[:-1]
        return (likelihood + ridge / 2 * float((b[:-1] ** 2).sum())) / total, (slope / total).ravel()

    start = np.zeros(x.shape[1] * number)
    found = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 200, "ftol": 1e-9})
    return Model(found.x.reshape(-1, number), widths)


def predict(model: Model, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The most probable class of each row."""
    classes: NDArray[np.int64] = np.argmax(_indicators(codes, model.widths) @ model.coefficients, axis=1)
    return classes


def _indicators(codes: NDArray[np.int64], widths: tuple[int, ...]) -> csr_matrix:
    """One column for each code of each column, and a constant."""
    rows, columns = codes.shape
    offsets = np.concatenate([[0], np.cumsum(widths, dtype=np.int64)]).astype(np.int64)
    spots = np.hstack([codes + offsets[:-1], np.full((rows, 1), offsets[-1])])
    starts = np.arange(rows + 1) * (columns + 1)
    return csr_matrix((np.ones(spots.size), spots.ravel(), starts), shape=(rows, int(offsets[-1]) + 1))
