"""Expected class sizes from a log-linear model of the cross-table of the keys (Skinner and Shlomo 2008).

Records of a sample fall into the cells of the table as Poisson numbers with means mu. The model has an effect of every
value of every key, and of pairs of keys where asked for; its likelihood is highest where the fitted table has the
margins of the observed one, which iterative proportional fitting finds. Empty cells belong to the table: they tell how
well the model fits, and margins of two keys are met by all cells together. So the whole table is held in memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.compiled import compiled

Floats = NDArray[np.float64]
Pair = tuple[int, int]
Interactions = Literal["none", "pairs", "search"]
LARGEST = 5_000_000
"""Cells of the largest table that is fitted."""
TRIED = 4
"""Pairs tried in each round of the search: those whose margins the model of the round before misses most."""
SWEEPS = 200
EXACT, ROUGH = 1e-4, 1e-2
"""By how many records a margin may be missed in the end, and while searching."""


@dataclass(frozen=True)
class Fit:
    """A fitted model and how far off it is likely to be."""

    pairs: tuple[Pair, ...]
    """Keys that interact, by their places."""
    rates: Floats
    """Persons expected in the population, for each class."""
    errors: tuple[float, float]
    """Estimated error of the expected numbers of sample uniques that are population uniques (the first), and of correct
    links among sample uniques (the second): above 0 the model has too few effects, below 0 too many."""
    deviations: tuple[float, float]
    """Standard deviations of the errors if the model is right."""

    @property
    def score(self) -> float:
        """The second error in standard deviations."""
        return self.errors[1] / self.deviations[1] if self.deviations[1] else 0.0


def shape(codes: NDArray[np.int32]) -> tuple[int, ...]:
    """Values of each key that occur, a missing one included.

    >>> shape(np.array([[0, -1], [1, 7], [0, 7]], dtype=np.int32))
    (2, 2)
    """
    return tuple(len(np.unique(column)) for column in codes.T)


def fit_model(
    codes: NDArray[np.int32], sizes: NDArray[np.int64], fraction: float, interactions: Interactions = "search"
) -> Fit:
    """The model without interactions, with all pairs, or with those whose estimated error is smallest.

    The search begins without interactions. In each round it adds the pair that brings the score nearest to 0, and it
    ends when none brings it nearer.

    >>> codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32)
    >>> fit_model(codes, np.array([4, 2, 2, 1]), 0.5, "none").rates.round(3).tolist()
    [8.0, 4.0, 4.0, 2.0]
    """
    size = shape(codes)
    if math.prod(size) > LARGEST:
        raise ValueError("the table has too many cells")
    places = tuple(np.unique(column, return_inverse=True)[1].reshape(-1) for column in codes.T)
    observed = np.zeros(size)
    np.add.at(observed, places, sizes.astype(np.float64))

    def judged(pairs: tuple[Pair, ...], table: Floats) -> Fit:
        found = _errors(observed.reshape(-1), table.reshape(-1), fraction).tolist()
        return Fit(pairs, table[places] / fraction, (found[0], found[1]), (math.sqrt(found[2]), math.sqrt(found[3])))

    table = _fit(observed, (), _even(observed), EXACT)
    best = judged((), table)
    every = tuple(combinations(range(len(size)), 2))
    if interactions == "pairs":
        return judged(every, _fit(observed, every, table, EXACT))
    while interactions == "search" and len(best.pairs) < len(every):
        missed = {pair: _missed(observed, table, pair) for pair in every if pair not in best.pairs}
        tried = sorted(missed, key=lambda pair: -missed[pair])[:TRIED]
        models = (judged(model, _fit(observed, model, table, ROUGH)) for model in ((*best.pairs, p) for p in tried))
        nearest = min(models, key=lambda model: abs(model.score))
        if abs(nearest.score) >= abs(best.score):
            break
        table = _fit(observed, nearest.pairs, table, EXACT)
        best = judged(nearest.pairs, table)
    return best


def _even(observed: Floats) -> Floats:
    return np.full(observed.shape, float(observed.sum()) / observed.size)


def _margin(table: Floats, axes: Sequence[int]) -> Floats:
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    return np.asarray(table.sum(axis=others, keepdims=True))


def _fit(observed: Floats, pairs: tuple[Pair, ...], start: Floats, tolerance: float) -> Floats:
    """The table with the margins of the observed one, by iterative proportional fitting.

    ``start`` is a table without other effects than those of the model.
    """
    paired = {axis for pair in pairs for axis in pair}
    margins = [*pairs, *((axis,) for axis in range(observed.ndim) if axis not in paired)]
    wanted = [_margin(observed, axes) for axes in margins]
    table = start.copy()
    for _ in range(SWEEPS):
        missed = 0.0
        for axes, margin in zip(margins, wanted, strict=True):
            now = _margin(table, axes)
            missed = max(missed, float(np.abs(now - margin).max()))
            table *= np.divide(margin, now, out=np.zeros_like(now), where=now > 0)
        if missed <= tolerance:
            break
    return table


def _missed(observed: Floats, table: Floats, pair: Pair) -> float:
    """How far the margin of two keys is from the observed one: the likelihood ratio per degree of freedom."""
    seen, expected = _margin(observed, pair), _margin(table, pair)
    there = seen > 0
    freedom = int(max((observed.shape[pair[0]] - 1) * (observed.shape[pair[1]] - 1), 1))
    return 2 * float((seen[there] * np.log(seen[there] / expected[there])).sum()) / freedom


@compiled
def _errors(observed: Any, table: Any, fraction: float) -> Any:
    """The minimum error criterion: what h(lambda) of the sample uniques is off in sum, and its variance.

    With h(lambda) = P(F = 1 | f = 1) = exp(-x) or E[1/F | f = 1] = (1 - exp(-x)) / x, x = (1 - fraction) lambda, the
    error is about the sum over all cells of P(f = 1) (h' d + h'' d²/2), d being the error of lambda. Of d and d² the
    numbers (mu - f) / fraction and ((f - mu)² - f) / fraction² are right on average. If the model is right the two are
    uncorrelated, with variances mu and 2 mu² in units of 1 / fraction² and 1 / fraction⁴.
    """
    result = np.zeros(4)
    unseen = 1 - fraction
    for i in range(len(table)):
        mu, f = table[i], observed[i]
        if mu <= 0:
            continue
        x, once = unseen * mu / fraction, mu * math.exp(-mu)
        small = math.exp(-x)
        if x < 0.1:  # the closed forms would lose their digits
            first = -1 / 2 + x / 3 - x**2 / 8 + x**3 / 30 - x**4 / 144 + x**5 / 840 - x**6 / 5760
            second = 1 / 3 - x / 4 + x**2 / 10 - x**3 / 36 + x**4 / 168 - x**5 / 960 + x**6 / 6480
        else:
            first = (small * (x + 1) - 1) / x**2
            second = (2 - small * (x * x + 2 * x + 2)) / x**3
        slopes = (-small * unseen, first * unseen)
        bends = (small * unseen * unseen, second * unseen * unseen)
        for j in range(2):
            by_d, by_square = -once * slopes[j] / fraction, once * bends[j] / (2 * fraction * fraction)
            result[j] += by_d * (f - mu) + by_square * ((f - mu) ** 2 - f)
            result[j + 2] += by_d * by_d * mu + 2 * (by_square * mu) ** 2
    return result
