"""How likely a person is recorded the same way in two files: the arithmetic of incompatible columns.

A rate is the probability that a column differs between two records of the same person (p of the source: Müller, Blien,
Knoche and Wirth 1991, 4.3 and 9.2.2). Only a person who is recorded alike in all keys is found by exact matching.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, log_ndtr, ndtri

Floats = NDArray[np.float64]
REACH = 9
"""The common factor is added up over so many standard deviations to either side."""
POINTS = 20
"""Points of Gauss and Legendre in each piece of that range."""
STEPS = np.arange(-REACH, REACH + 1, 3)
"""Where a column's chance is cut into pieces around the factor at which it falls, in units of how fast it falls."""


def all_compatible(rates: float | Sequence[float] | Floats, keys: int | None = None) -> float:
    """W(K), the probability that nothing differs: the product of 1 - p (L8111), or (1 - p)^I for one rate (L8120).

    >>> round(all_compatible(0.1, 10), 4), round(all_compatible([0.026, 0.0, 0.078]), 4)
    (0.3487, 0.898)
    """
    return float(np.prod(1 - _rates(rates, keys)))


def expected_deviations(rates: float | Sequence[float] | Floats, keys: int | None = None) -> float:
    """How many columns differ on average; also right when errors go together.

    >>> round(expected_deviations(0.1, 10), 6)
    1.0
    """
    return float(_rates(rates, keys).sum())


def deviations(rates: float | Sequence[float] | Floats, keys: int | None = None) -> Floats:
    """Probability that 0, 1, 2, ... columns differ when errors are independent of each other.

    >>> deviations([0.5, 0.5]).tolist()
    [0.25, 0.5, 0.25]
    """
    found = np.ones(1)
    for rate in _rates(rates, keys):
        found = np.append(found * (1 - rate), 0.0) + np.append(0.0, found * rate)
    return found


def beta_binomial(rate: float, keys: int, correlation: float) -> float:
    """W(K) when some persons are recorded worse than others: one rate on average, and any two errors correlated.

    >>> [round(beta_binomial(0.1, 10, each), 4) for each in (0.0, 0.1, 1.0)]
    [0.3487, 0.4835, 0.9]
    """
    _within(rate=rate, correlation=correlation)
    _at_least(keys=(keys, 0))
    if correlation in (0.0, 1.0) or rate in (0.0, 1.0) or not keys:
        return float((1 - rate) ** (keys if correlation < 1 else min(keys, 1)))
    spread = (1 - correlation) / correlation
    good, bad = (1 - rate) * spread, rate * spread
    return float(np.exp(betaln(good + keys, bad) - betaln(good, bad)))


def common_factor(rates: float | Sequence[float] | Floats, correlation: float, keys: int | None = None) -> float:
    """W(K) when one thing about a person makes errors in all columns likelier: normal tendencies, so correlated.

    Between the product (0, independent) and the worst column alone (1, all errors in the same persons).

    >>> [round(common_factor([0.1, 0.2, 0.3], each), 4) for each in (0.0, 0.5, 1.0)]
    [0.504, 0.5929, 0.7]
    """
    each = _rates(rates, keys)
    _within(correlation=correlation)
    if correlation == 0 or not len(each):
        return float(np.prod(1 - each))
    if correlation == 1:
        return float((1 - each).min())
    limits = ndtri(1 - each)  # a column is recorded alike while the tendency to err stays below this
    # Near correlation 1 the chance of a column falls like a step: the pieces become as narrow there.
    falls = (limits[:, None] + math.sqrt(1 - correlation) * STEPS) / math.sqrt(correlation)
    ends = np.unique(np.clip(np.concatenate((np.arange(-REACH, REACH + 1), falls.ravel())), -REACH, REACH))
    nodes, parts = np.polynomial.legendre.leggauss(POINTS)
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    factor = (middle[:, None] + half[:, None] * nodes).ravel()
    weight = np.exp(-factor * factor / 2) * (half[:, None] * parts).ravel()
    alike = np.zeros(len(factor))
    for limit in limits:
        alike += log_ndtr((limit - math.sqrt(correlation) * factor) / math.sqrt(1 - correlation))
    return float((weight * np.exp(alike)).sum() / weight.sum())


def product_bounds(rates: float | Sequence[float] | Floats, keys: int | None = None) -> tuple[float, float]:
    """Smallest and largest W(K) when errors go together or not, but never avoid each other (L8147-8158).

    >>> tuple(round(end, 6) for end in product_bounds([0.1, 0.2, 0.3]))
    (0.504, 0.7)
    """
    each = _rates(rates, keys)
    return float(np.prod(1 - each)), float((1 - each).min(initial=1.0))


def implied_correlation(rates: Sequence[float] | Floats, identical: float) -> float:
    """The correlation of the common factor that gives this share of identical records; 0 when it is not above chance.

    >>> round(implied_correlation([0.1, 0.2, 0.3], 0.5929), 2)
    0.5
    """
    _within(identical=identical)
    least, most = product_bounds(rates)
    if identical <= least:
        return 0.0
    if identical >= most:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if common_factor(rates, middle) < identical else (low, middle)
    return (low + high) / 2


def implied_p(identical: int, total: int, keys: int) -> float:
    """The rate which, the same in all columns, leaves so many of the true pairs identical in all of them.

    >>> round(implied_p(10, 53, 10), 4)
    0.1536
    """
    _at_least(identical=(identical, 0), total=(total, 1), keys=(keys, 1))
    if identical > total:
        raise ValueError("there are more identical pairs than pairs")
    return float(1 - (identical / total) ** (1 / keys))


def combine(a: float, b: float) -> float:
    """The rate of two independent errors, either of which is enough: a + b - ab (L15235-15274).

    >>> round(combine(0.1, 0.2), 6)
    0.28
    """
    _within(a=a, b=b)
    return a + b - a * b


def alternative_rate(a: float, m: float) -> float:
    """The rate when a file may hold a second, equally likely value: G = a + (1 - m) (1 - a) / 2 (Table 9.4, process 2).

    ``a`` is the rate of errors, ``m`` the share of entries without a second value.

    >>> round(alternative_rate(0.2, 0.735), 3)
    0.306
    """
    _within(a=a, m=m)
    return combine(a, 0.5 * (1 - m))


def _rates(rates: float | Sequence[float] | Floats, keys: int | None) -> Floats:
    """One rate per key; everything wrong is said at once."""
    each = np.atleast_1d(np.asarray(rates, dtype=np.float64))
    wrong = int((~((each >= 0) & (each <= 1))).sum())
    found = [f"{wrong} of {len(each)} rates are not between 0 and 1"] if wrong else []
    if keys is not None and keys < 0:
        found.append("the number of keys is negative")
    if keys is not None and len(each) > 1 and len(each) != keys:
        found.append("the number of rates is not the number of keys")
    if found:
        raise ValueError("; ".join(found))
    return np.repeat(each, keys) if keys is not None and len(each) == 1 else each


def _within(**shares: float) -> None:
    wrong = [name for name, share in shares.items() if not 0 <= share <= 1]
    if wrong:
        raise ValueError(f"not between 0 and 1: {', '.join(wrong)}")


def _at_least(**counts: tuple[int, int]) -> None:
    wrong = [f"{name} (at least {least})" for name, (count, least) in counts.items() if not count >= least]
    if wrong:
        raise ValueError(f"too small: {', '.join(wrong)}")
