"""How many records of a sample are unique in the population it was drawn from, told from its class sizes alone.

A sample is given by its frequencies of frequencies: ``counts[j]`` classes have ``sizes[j]`` records each. What is
estimated is the expected share of records whose class has one member in the population; it is the same for the records
of the sample and for the population, because every record is drawn with the same probability.

Estimators take many rows of counts at once, each a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from schleier.kernels.population.pitman_peak import pitman_peak

Floats = NDArray[np.float64]
Model = Literal["dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma"]
SMALL = 0.1
"""Sampling fraction up to which Dankar et al. (2012) take the Pitman model."""


@dataclass(frozen=True)
class Estimate:
    """What a model says."""

    share: float
    """Share of records that are unique in the population; not a number where the model cannot be fitted."""
    model: str
    """The model that was used in the end."""

    @property
    def success(self) -> bool:
        """Whether the model can be fitted."""
        return bool(np.isfinite(self.share))


def frequencies(members: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Class sizes that occur, and how many classes have each.

    >>> [part.tolist() for part in frequencies(np.array([1, 4, 1, 2]))]
    [[1.0, 2.0, 4.0], [2.0, 1.0, 1.0]]
    """
    sizes, counts = np.unique(members[members > 0], return_counts=True)
    return sizes.astype(np.float64), counts.astype(np.float64)


def estimate(
    sizes: Floats,
    counts: Floats,
    fraction: float,
    model: Model = "dankar",
    cells: float | None = None,
) -> Estimate:
    """The share of records that are unique in the population, by one of the models.

    ``cells`` is the number of possible classes, if known, for the Poisson-gamma model.

    >>> found = estimate(np.array([1.0, 2.0, 5.0]), np.array([60.0, 20.0, 10.0]), 0.05, "poisson_gamma")
    >>> round(found.share, 4), found.success
    (0.0323, True)
    """
    return estimates(sizes, counts, fraction, (model,), cells)[model]


def estimates(
    sizes: Floats, counts: Floats, fraction: float, models: Sequence[Model], cells: float | None = None
) -> dict[Model, Estimate]:
    """The same by several models; what two of them need is fitted once.

    >>> found = estimates(np.array([1.0, 2.0, 5.0]), np.array([60.0, 20.0, 10.0]), 0.05, ("dankar", "pitman"))
    >>> found["dankar"] == found["pitman"]
    True
    """
    records, uniques = float((sizes * counts).sum()), float(counts[sizes == 1].sum())
    if fraction >= 1 or not uniques:  # who is unique in the population is unique in the sample
        return {model: Estimate(uniques / records if records else 0.0, "counted") for model in models}
    methods: dict[str, Callable[..., Floats]] = {
        "pitman": pitman,
        "zayatz": zayatz,
        "slide_negative_binomial": slide_negative_binomial,
        "poisson_gamma": partial(poisson_gamma, cells=cells),
    }

    @cache
    def fitted(name: str) -> float:
        return min(float(methods[name](sizes, counts[None], fraction)[0]), 1.0)  # rounding may go beyond

    def chosen(model: Model) -> Estimate:
        if model != "dankar":
            return Estimate(fitted(model), model)
        name = "pitman" if fraction <= SMALL else "slide_negative_binomial"
        share = fitted(name)
        if name == "pitman" and np.isfinite(share):
            return Estimate(share, name)
        other = fitted("zayatz")  # where the better model cannot be fitted, one that says more
        worse = not np.isfinite(share) or other < share
        return Estimate(other, "zayatz") if worse else Estimate(share, name)

    return {model: chosen(model) for model in models}


def zayatz(sizes: Floats, counts: Floats, fraction: float) -> Floats:
    """Zayatz (1991): classes of the population are taken to be as large as those of the sample.

    P(unique in the population | in the sample) = c1 P(1 of 1 drawn) / sum over j of cj P(1 of j drawn).
    """
    n = (counts * sizes).sum(axis=1, keepdims=True)
    population = n / fraction
    rest = population - sizes - n + 1
    with np.errstate(all="ignore"):
        one_drawn = np.log(sizes) + gammaln(population - sizes + 1) - gammaln(n) - gammaln(np.maximum(rest, 0) + 1)
        one_drawn -= gammaln(population + 1) - gammaln(n + 1) - gammaln(population - n + 1)
        chance = np.where(rest >= 0, np.exp(one_drawn), 0.0)
        ones = _ones(sizes, counts)
        result: Floats = ones * ones * fraction / (chance * counts).sum(axis=1) / n[:, 0]
    return result


def poisson_gamma(sizes: Floats, counts: Floats, fraction: float, cells: float | None = None) -> Floats:
    """Bethlehem, Keller and Pannekoek (1990); (4) and (5) of Müller et al. (1991), or (1) and (2) for given ``cells``.

    (5) takes the number of possible cells for infinite. With C cells alpha = 1 / (C beta), and beta solves (2).
    """
    n = (counts * sizes).sum(axis=1)
    with np.errstate(all="ignore"):
        unique = _ones(sizes, counts) / n
        if cells is None:
            return np.asarray(1 / (1 + (1 / unique - 1) / fraction))
        low, high = np.full(len(n), -60.0), np.full(len(n), 20.0)  # logarithm of beta

        def probability(size: Floats, beta: Floats) -> Floats:
            return np.asarray(np.exp(-(1 + 1 / (cells * beta)) * np.log1p(size * beta)))

        for _ in range(100):
            middle = (low + high) / 2
            above = probability(n, np.exp(middle)) > unique
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        beta = np.exp((low + high) / 2)
        fits = np.abs(probability(n, beta) / unique - 1) < 1e-6
        return np.where(fits, probability(n / fraction, beta), np.nan)


def slide_negative_binomial(sizes: Floats, counts: Floats, fraction: float) -> Floats:
    """Chen and Keller-McNulty (1998): the size of a class in the population is 1 + a negative binomial number.

    The number of classes K is estimated by the third estimator of Shlosser's kind (Haas and Stokes 1998); r and p are
    such that the expected numbers of sample classes with one and with two records are those observed. Thinned by the
    sampling, a negative binomial number stays one, with p' = p / (p + (1 - p) f).
    """
    f, ones = fraction, _ones(sizes, counts)
    twos = counts[:, sizes == 2].sum(axis=1)
    with np.errstate(all="ignore"):
        gone = (counts * (1 - f) ** sizes).sum(axis=1)
        once = (counts * sizes * f * (1 - f) ** (sizes - 1)).sum(axis=1)
        again = (counts * sizes * f * f * (1 - f * f) ** (sizes - 1)).sum(axis=1)
        again /= (counts * ((1 - f * f) ** sizes - (1 - f) ** sizes)).sum(axis=1)
        classes = counts.sum(axis=1) + ones * again * (gone / once) ** 2
        ratio, level = twos / ones, np.log(ones / classes)

        def miss(log_r: Floats) -> tuple[Floats, Floats]:
            """By how much the ones are missed, and 1 - p', when the ratio of twos to ones is met."""
            r = np.exp(log_r)
            a, b = (1 - f) / 2 * (1 + 1 / r), f - ratio * (1 - f)
            mean = (np.sqrt(b * b + 4 * a * ratio * f) - b) / (2 * a)  # r (1 - p') solves a quadratic equation
            rest = mean / r
            return np.where(rest < 1, r * np.log1p(-rest) + np.log((1 - f) * mean + f) - level, -np.inf), rest

        grid = np.linspace(-12.0, 12.0, 121)
        missed = miss(grid[:, None])[0].T
        crossing = missed[:, :-1] * missed[:, 1:] < 0
        last = crossing.shape[1] - 1 - crossing[:, ::-1].argmax(axis=1)
        low, high = grid[last], grid[last + 1]
        side = np.sign(miss(low)[0])
        for _ in range(40):
            middle = (low + high) / 2
            same = np.sign(miss(middle)[0]) == side
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        root = np.where(side < 0, high, low)
        rest = miss(root)[1]
        p = f * (1 - rest) / (rest + f * (1 - rest))
        share = classes * np.exp(np.exp(root) * np.log(p)) / ((counts * sizes).sum(axis=1) / f)
    return np.where(crossing.any(axis=1) & (twos > 0) & (share <= 1), share, np.nan)


def pitman(sizes: Floats, counts: Floats, fraction: float) -> Floats:
    """Hoshino (2001): the Pitman sampling formula, fitted by maximum likelihood; alpha = 0 is that of Ewens.

    Each row is fitted on a grid, then between the best and its neighbours.
    """
    n, u = (counts * sizes).sum(axis=1), counts.sum(axis=1)
    found = np.full(len(n), np.nan)
    for row in np.flatnonzero((n > _ones(sizes, counts)) & (u > 1)):  # else alpha and theta have no finite maximum
        alpha, tau = pitman_peak(sizes, counts[row], float(n[row]), float(u[row]))
        theta, population = np.exp(tau) - alpha, n[row] / fraction
        # Exact expectation: the probability that the record drawn first stays alone.
        alone = gammaln(theta + alpha + population - 1) - gammaln(theta + alpha) + gammaln(theta + 1)
        found[row] = np.exp(alone - gammaln(theta + population))
    return found


def _ones(sizes: Floats, counts: Floats) -> Floats:
    result: Floats = counts[:, sizes == 1].sum(axis=1)
    return result
