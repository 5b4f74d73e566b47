"""How much the nearest records speak for a person being among those they were made of; higher is more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.linkage.penalties import Neighbours

Floats = NDArray[np.float64]
DIGITS = 9
"""Scores that agree so far are the same: the rest is rounding."""


def closeness(near: Neighbours) -> Floats:
    """How near the nearest record is.

    >>> near = Neighbours(np.array([[0.0, 2.0], [1.0, 2.0]]), np.array([[3, 1], [3, 2]]), np.array([1, 1]))
    >>> closeness(near).tolist()
    [-0.0, -1.0]
    """
    return -near.distance[:, 0]


def lonely_closeness(near: Neighbours) -> Floats:
    """By what share the release is nearer than it would be with the nearest record left out; nothing where two tie.

    >>> near = Neighbours(np.array([[0.0, 2.0], [1.0, 2.0]]), np.array([[3, 1], [3, 2]]), np.array([1, 1]))
    >>> lonely_closeness(near).tolist()
    [1.0, 0.5]
    """
    if near.distance.shape[1] < 2:
        return closeness(near)
    first, second = near.distance[:, 0], near.distance[:, 1]
    known = np.isfinite(second) & (second > 0)
    share = np.divide(first, second, out=np.ones_like(first), where=known)
    return np.asarray(1 - np.where(np.isinf(second) & np.isfinite(first), 0.0, share))


def log_density(near: Neighbours, people: int) -> Floats:
    """The logarithm of how likely a record is of one of some people, by the costs of the nearest of them."""
    return np.asarray(_log_sum(-near.distance) - np.log(max(people, 1)))


def likelihood_ratios(near: Neighbours, elsewhere: Floats) -> Floats:
    """The logarithm of how much likelier the records are when one of them is the person's.

    Each record is as likely to be the person's as its cost says, and when it is not, as likely as ``elsewhere`` says
    by record.

    >>> near = Neighbours(np.array([[0.0, 2.0]]), np.array([[1, 0]]), np.array([1]))
    >>> likelihood_ratios(near, np.log(np.array([0.5, 0.01]))).round(2).tolist()
    [3.91]
    """
    there = near.record >= 0
    terms = np.where(there, -near.distance - np.append(elsewhere, 0.0)[near.record], -np.inf)
    return np.asarray(_log_sum(terms) - np.log(max(len(elsewhere), 1)))


def _log_sum(terms: Floats) -> Floats:
    from scipy.special import logsumexp

    if not terms.size:
        return np.full(len(terms), -np.inf)
    return np.asarray(logsumexp(terms, axis=1)).round(DIGITS)
