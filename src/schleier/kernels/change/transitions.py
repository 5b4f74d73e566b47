"""Transition matrices of categories (PRAM), and tables that draw from them with a single number (Höhne 4.P)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
TOLERANCE = 1e-9


def invariant(counts: Floats, alpha: float) -> Floats:
    """Ronning: (1 - alpha) I + alpha 1 h' (P01, ERR-2): with probability alpha anybody's category is drawn.

    >>> invariant(np.array([50.0, 30, 20]), 0.2).round(2).tolist()
    [[0.9, 0.06, 0.04], [0.1, 0.86, 0.04], [0.1, 0.06, 0.84]]
    """
    shares = counts / counts.sum()
    matrix: Floats = (1 - alpha) * np.eye(len(counts)) + alpha * np.tile(shares, (len(counts), 1))
    return matrix


def direct(counts: Floats, alpha: float) -> Floats:
    """De Wolf: as many leave every category on average as fit the smallest (P02).

    >>> direct(np.array([50.0, 30, 20]), 0.5).round(4).tolist()
    [[0.8, 0.1, 0.1], [0.1667, 0.6667, 0.1667], [0.25, 0.25, 0.5]]
    """
    size = len(counts)
    if size == 1:
        return np.ones((1, 1))
    leaving = alpha * counts.min() / counts
    matrix = np.tile((leaving / (size - 1))[:, None], (1, size))
    np.fill_diagonal(matrix, 1 - leaving)
    return matrix


def even(size: int, alpha: float) -> Floats:
    """With probability alpha one of the other categories, all alike."""
    if size == 1:
        return np.ones((1, 1))
    matrix = np.full((size, size), alpha / (size - 1))
    np.fill_diagonal(matrix, 1 - alpha)
    return matrix


def origin_chances(matrix: Floats, counts: Floats) -> Floats:
    """Where those who are in a category now probably came from (P03, ERR-4): p_kl T_k / sum over j of p_jl T_j.

    >>> first = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.25, 0.25, 0.5]])
    >>> origin_chances(first, np.array([50.0, 30, 20])).round(6)[0].tolist()
    [0.784314, 0.117647, 0.098039]
    """
    flow = (matrix * counts[:, None]).T
    total = flow.sum(axis=1, keepdims=True)
    # A category nobody can be in now leads to itself.
    found: Floats = np.divide(flow, total, out=np.eye(len(counts)), where=total > 0)
    return found


def two_stage(matrix: Floats, counts: Floats) -> Floats:
    """A matrix followed by its way back: together they keep the expected frequencies."""
    both: Floats = matrix @ origin_chances(matrix, counts)
    return both


def stochastic(matrix: Floats) -> bool:
    """Whether every row is a distribution."""
    return bool((matrix >= 0).all() and np.allclose(matrix.sum(axis=1), 1, rtol=0, atol=TOLERANCE))


def original_frequencies(matrix: Floats, counts: Floats) -> Floats:
    """The original frequencies as estimated from those after the change: the inverse of P' times T_a.

    >>> first = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.25, 0.25, 0.5]])
    >>> original_frequencies(first, np.array([46.0, 31, 23])).round(3).tolist()
    [40.625, 26.875, 32.5]
    """
    found: Floats = np.linalg.solve(matrix.T, counts).astype(np.float64)
    return found


class Slots(NamedTuple):
    """Walker's aliases: an origin has equally likely slots, and each slot one target below its limit, one above."""

    origin: Ints
    slot: Ints
    limit: Floats
    below: Ints
    above: Ints


def slots(origin: Ints, target: Ints, chance: Floats, size: int) -> Slots:
    """Tables for all origins from (origin, target, probability), ``size`` slots each (at least the most targets).

    Rows of the same origin stand together.

    >>> slots(np.array([0, 0]), np.array([3, 5]), np.array([0.75, 0.25]), 2).limit.tolist()
    [1.0, 0.5]
    """
    starts = np.flatnonzero(np.diff(origin, prepend=-1))
    parts: list[Slots] = []
    for start, end in zip(starts, [*starts[1:], len(origin)][: len(starts)], strict=True):
        limit, below, above = _aliases(target[start:end], chance[start:end], size)
        here = np.full(size, origin[start])
        parts.append(Slots(here, np.arange(size), limit, below, above))
    if not parts:
        none = np.zeros(0, np.int64)
        return Slots(none, none, np.zeros(0), none, none)
    return Slots(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _aliases(target: Ints, chance: Floats, size: int) -> tuple[Floats, Ints, Ints]:
    """What is left of the rich fills the slots of the poor, in the order given: always the same table."""
    rest = np.zeros(size)
    rest[: len(chance)] = chance / chance.sum() * size
    limit, below = np.ones(size), np.zeros(size, np.int64)
    below[: len(target)] = target
    below[len(target) :] = target[0]
    above = below.copy()
    poor, rich = [i for i in range(size) if rest[i] < 1], [i for i in range(size) if rest[i] >= 1]
    while poor and rich:
        small, large = poor.pop(), rich[-1]
        limit[small], above[small] = rest[small], below[large]
        rest[large] -= 1 - rest[small]
        if rest[large] < 1:
            poor.append(rich.pop())
    return limit, below, above
