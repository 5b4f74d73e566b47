"""The chance that the person who looks like a record is the right one: E[1/F | f], class by class.

A class has f records in the sample and F persons in the population. F is unknown; a model says how it may be
distributed given f and the estimate of F that weights or a sampling fraction give. Who picks one of the F persons at
random is right with chance 1/F.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import spence

from schleier.kernels.compiled import compiled
from schleier.kernels.population.poisson_inverse_gaussian import class_risk as fitted_risk
from schleier.kernels.population.poisson_inverse_gaussian import fit

Floats = NDArray[np.float64]
Model = Literal["margins", "negative_binomial", "poisson", "poisson_inverse_gaussian", "log_linear"]
FORWARD = 20
"""Up to this class size the recursion is used; the series above it needs fewer than about 60 terms."""
LARGE = 2000
"""From this class size on the Poisson risk is expanded in moments; the error is below 1e-11 of the risk."""
MANY = 200
"""Persons not drawn from whom on squares of the Poisson risk are expanded in moments."""


def class_risk(model: Model, sizes: NDArray[np.int64], persons: Floats) -> Floats:
    """The risk of each class from its records and the persons they are estimated to stand for.

    Without weights ``persons`` is ``sizes / fraction``. Fewer persons than records count as just as many. The
    other models need more: see ``schleier.kernels.population.links`` and ``schleier.kernels.population.log_linear``.

    >>> class_risk("negative_binomial", np.array([1, 2, 5]), np.array([100.0, 200.0, 500.0])).round(5).tolist()
    [0.04652, 0.00963, 0.00249]
    """
    f, people = np.asarray(sizes, dtype=np.float64), np.maximum(np.asarray(persons, dtype=np.float64), sizes)
    if model == "negative_binomial":
        return np.asarray(_negative_binomial(f, people))
    if model == "poisson":
        return np.asarray(_poisson(f, people - f))
    if model == "poisson_inverse_gaussian":
        return fitted_risk(fit(sizes), sizes, float(f.sum() / people.sum()) if len(f) else 1.0)
    raise ValueError(f"the model {model} needs more than class sizes")


def unique_chance(model: Model, persons: Floats) -> Floats:
    """P(F = 1 | f = 1): the chance that a record that is unique in the sample is unique in the population.

    >>> unique_chance("negative_binomial", np.array([4.0])).tolist()
    [0.25]
    """
    people = np.maximum(persons, 1.0)
    return np.asarray(1 / people if model == "negative_binomial" else np.exp(1 - people))


def given_rate(sizes: NDArray[np.int64], unseen: Floats) -> Floats:
    """The risk when the persons of a class who were not drawn are a Poisson number with a given mean.

    Skinner and Holmes (1998): F = f + Poisson((1 - fraction) lambda).

    >>> given_rate(np.array([1, 1]), np.array([0.0, 1.0])).round(4).tolist()
    [1.0, 0.6321]
    """
    return np.asarray(_poisson(np.asarray(sizes, dtype=np.float64), np.asarray(unseen, dtype=np.float64)))


def squared_given_rate(sizes: NDArray[np.int64], unseen: Floats) -> Floats:
    """The mean of 1/F² when the persons of a class who were not drawn are a Poisson number with a given mean.

    >>> squared_given_rate(np.array([1, 2]), np.array([0.0, 1.0])).round(4).tolist()
    [1.0, 0.1473]
    """
    return np.asarray(_poisson_squares(np.asarray(sizes, dtype=np.float64), np.asarray(unseen, dtype=np.float64)))


def variance(model: Model, sizes: NDArray[np.int64], persons: Floats) -> Floats:
    """The variance of 1/F given f: for the Poisson model an upper limit.

    >>> variance("negative_binomial", np.array([1, 3]), np.array([1.0, 3.0])).tolist()
    [0.0, 0.0]
    """
    f, people = np.asarray(sizes, dtype=np.float64), np.maximum(np.asarray(persons, dtype=np.float64), sizes)
    mean, unseen = class_risk(model, sizes, people), people - f
    if model == "negative_binomial":
        squares = np.asarray(_squares(f, people, spence(1 / (1 + unseen / f))))
    else:
        # 1/F² is at most (f+1)/f / (F (F+1)) and 1 / (F (F-1)), whose means are differences of risks.
        squares = (f + 1) / f * (mean - _poisson(f + 1, unseen))
        more = f > 1
        squares[more] = np.minimum(squares[more], _poisson(f[more] - 1, unseen[more]) - mean[more])
    return np.where(unseen > 0, np.maximum(squares - mean**2, 0.0), 0.0)


def slope(model: Model, sizes: NDArray[np.int64], persons: Floats) -> Floats:
    """How much the risk of a class falls for one more estimated person, by a central difference."""
    step = 1e-4 * persons
    return np.asarray(
        (class_risk(model, sizes, persons + step) - class_risk(model, sizes, persons - step)) / (2 * step)
    )


@compiled
def _negative_binomial(f: Any, persons: Any) -> Any:
    """Benedetti and Franconi (1998): F - f is negative binomial with f successes of chance p = f / persons.

    E[1/F] is the integral over u from 0 to 1 of u^(f-1) / (1 + z u) with z = (1 - p) / p, which equals
    p^f / f 2F1(f, f; f + 1; 1 - p), the form of Polettini (2003). From the integral: I(f + 1) = (1/f - I(f)) / z, whose
    errors shrink for z > 1, and I(f) = p/f (1 + q/(f+1) (1 + 2q/(f+2) (1 + ...))), whose terms are all positive.
    """
    result = np.empty(len(f))
    for i in range(len(f)):
        size = f[i]
        p, q = size / persons[i], (persons[i] - size) / persons[i]
        if q <= 0:
            result[i] = 1 / size
        elif p <= 0.5 and size <= FORWARD:
            z = q / p
            value = math.log1p(z) / z
            for k in range(1, int(size)):
                value = (1 / k - value) / z
            result[i] = value
        else:
            term, total, place = 1.0, 1.0, 0
            while term > 1e-17 * total:
                place += 1
                term *= place * q / (size + place)
                total += term
            result[i] = p / size * total
    return result


@compiled
def _squares(f: Any, persons: Any, dilogarithms: Any) -> Any:
    """E[1/F²] of the negative binomial model, M(f), beside E[1/F] = I(f): M(f + 1) = (I(f) / f - M(f)) / z.

    By parts from M(f), the integral over t of t (p e^-t / (1 - q e^-t))^f; M(1) is Li2(q) / z. Upwards errors shrink
    for z > 1 and grow little over a few steps above 1/2; downwards they halve below it. The variance of a large class
    is that of F divided by the fourth power of its mean.
    """
    result = np.empty(len(f))
    for i in range(len(f)):
        size = int(f[i])
        p, z = f[i] / persons[i], (persons[i] - f[i]) / f[i]
        if z <= 0:
            result[i] = 1 / f[i] ** 2
        elif size > FORWARD:
            mean, term, place = 1.0, 1.0, 0
            while term > 1e-17 * mean:
                place += 1
                term *= place * (1 - p) / (size + place)
                mean += term
            result[i] = (p / size * mean) ** 2 + (1 - p) * p * p / f[i] ** 3
        elif z > 0.5:
            value, square = math.log1p(z) / z, dilogarithms[i] / z
            for k in range(1, size):
                value, square = (1 / k - value) / z, (value / k - square) / z
            result[i] = square
        else:
            last = size + 60
            value, square = p / last, (p / last) ** 2
            for k in range(last - 1, size - 1, -1):
                value = 1 / k - z * value
                square = value / k - z * square
            result[i] = square
    return result


@compiled
def _poisson(f: Any, unseen: Any) -> Any:
    """E[1 / (f + X)] of a Poisson number X: the integral over u from 0 to 1 of u^(f-1) exp(-m (1 - u)).

    By parts J(f + 1) = (1 - f J(f)) / m. Upwards the errors shrink while f < m, downwards while f > m.
    """
    result = np.empty(len(f))
    for i in range(len(f)):
        size, m = f[i], unseen[i]
        if m <= 0:
            result[i] = 1 / size
        elif size >= LARGE:
            c = size + m  # central moments of a Poisson number: m, m, m + 3m², m + 10m², m + 25m² + 15m³
            low = m / c**2 - m / c**3 + (m + 3 * m * m) / c**4
            result[i] = (1 + low - (m + 10 * m * m) / c**5 + (m + 25 * m * m + 15 * m**3) / c**6) / c
        elif size <= m + 1:
            value = -math.expm1(-m) / m
            for k in range(1, int(size)):
                value = (1 - k * value) / m
            result[i] = value
        else:
            last, left = size, 1.0  # far enough above that nothing is left of the error of the start
            while left > 1e-18:
                left *= m / last
                last += 1
            value = 1 / (last + m)
            while last > size:
                last -= 1
                value = (1 - m * value) / last
            result[i] = value
    return result


@compiled
def _poisson_squares(f: Any, unseen: Any) -> Any:
    """E[1 / (f + X)²] of a Poisson number X: term by term, or in moments where the mean is large."""
    result = np.empty(len(f))
    for i in range(len(f)):
        size, m = f[i], unseen[i]
        if m > MANY or size >= LARGE:
            c = size + m
            low = 3 * m / c**2 - 4 * m / c**3 + 5 * (m + 3 * m * m) / c**4
            result[i] = (1 + low - 6 * (m + 10 * m * m) / c**5 + 7 * (m + 25 * m * m + 15 * m**3) / c**6) / c**2
        else:
            term, total, place = math.exp(-m), 0.0, 0
            while term > 0 and (place <= m or term > 1e-12):
                total += term / (size + place) ** 2
                place += 1
                term *= m / place
            result[i] = total
    return result
