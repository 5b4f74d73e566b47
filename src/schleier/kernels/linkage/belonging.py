"""How much the nearest records speak for a person being among those they were made of; higher is more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.linkage.penalties import Neighbours

Floats = NDArray[np.float64]
DIGITS = 9
"""Scores that agree so far are the same: the rest is rounding."""
SAME = 1e-6
"""Distances below it are none: a distance is a sum of numbers with seven digits."""


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


def neighbourhoods(near: Neighbours) -> Floats:
    """How far the nearest people are from each record, on average: small where records are dense."""
    there = np.isfinite(near.distance)
    many = there.sum(axis=1)
    total = np.where(there, near.distance, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, many, out=np.full(len(total), np.inf), where=many > 0))


def likelihood_ratios(near: Neighbours, around: Floats, columns: int) -> Floats:
    """The logarithm of how much likelier the nearest records are when one of them is the person's.

    A record at a distance d is the person's with a density that falls with d to the power of the number of columns:
    that of errors whose size nobody knows, every order of magnitude being as likely (the integral of h^-c f(d / h)
    dh / h). It is somebody else's with the density of people ``around`` it, who are so far away on average: the same
    power. Summed up over the records; of what is the same the difference is the smallest that counts.

    >>> near = Neighbours(np.array([[0.1, 0.2]]), np.array([[1, 0]]), np.array([1]))
    >>> likelihood_ratios(near, np.array([0.2, 0.2]), 1).round(3).tolist()
    [1.099]
    """
    there = (near.record >= 0) & np.isfinite(near.distance)
    away = np.where(there, near.distance, 1.0)
    else_where = np.append(around, 1.0)[near.record]
    # Where nobody is around at all, everything speaks for the person.
    else_where = np.where(np.isfinite(else_where), else_where, 1.0)
    terms = columns * (np.log(else_where + SAME) - np.log(away + SAME))
    return _log_sum(np.where(there, terms, -np.inf))


def _log_sum(terms: Floats) -> Floats:
    from scipy.special import logsumexp

    if not terms.size:
        return np.full(len(terms), -np.inf)
    return np.asarray(logsumexp(terms, axis=1)).round(DIGITS)
