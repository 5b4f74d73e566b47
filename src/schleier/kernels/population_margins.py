"""How likely a class of the sample has no further member in the population, told from the values it is made of.

The other models look at the sizes of classes only. This one asks first how many records a class should have if its
values, and the pairs of values that hang together most (a tree of them: Chow and Liu 1968), were combined at random;
the class itself is left out of these counts. Its rate in the sample is then log-normal around

    log rate = shift + slope * log(expected from single values) + lean * log(factor of the pairs),  spread sigma,

and the four parameters are those of the largest posterior density, given that the class was found at all: empty
combinations, possible or not, play no part. With the rate known, other members are Poisson numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import gammaln

Floats = NDArray[np.float64]
ADDED = 0.5
"""Records added to every value: nobody else in the file has it, yet somebody in the population may."""
DOUBT = 1.0
"""Records added to both sides of a pair of values: few records say little about what hangs together."""
LARGEST = np.log(30.0)
"""Classes expected to be larger say nothing about uniques."""
WIDTH = 0.25
"""Classes are put together whose logarithms agree to so much."""
NODES = np.linspace(-8.0, 8.0, 49)
MASS = np.exp(-NODES * NODES / 2)
MASS /= MASS.sum()
USUAL, LOOSE = np.array([0.0, 1.0, 0.5, -0.5]), np.array([1.0, 0.25, 0.5, 0.7])
"""Where shift, slope, lean and log sigma are expected, and how far they may be away: it matters in small files."""
LOOKED_AT = 200_000
"""So many classes are enough to see which pairs of columns hang together, and how sure the estimate is."""
TABLE = 1 << 24
"""Pairs of values that are counted in one array."""


@dataclass(frozen=True)
class Peak:
    """The highest point of the posterior density, and some classes to see what moves with it."""

    best: Floats
    """Shift, slope, lean and log sigma."""
    bend: Floats
    """How fast the density falls around it: second derivatives of its logarithm, with the sign turned."""
    looked: NDArray[np.int64]
    """Places of some classes."""
    stand_for: Floats
    """How many classes each of them stands for."""
    design: Floats
    """What their levels are made of."""

    def spread(self, total: Callable[[Floats, float], float]) -> float:
        """Standard error of log(total), a function of the levels of the classes looked at and of sigma."""

        def log_total(p: Floats) -> float:
            return float(np.log(total(self.design @ p[:3], float(np.exp(p[3]))) + 1e-300))

        moves = [np.eye(4)[i] * 1e-3 * LOOSE[i] for i in range(4)]
        along = np.array([(log_total(self.best + d) - log_total(self.best - d)) / (2 * d.sum()) for d in moves])
        values, vectors = np.linalg.eigh((self.bend + self.bend.T) / 2)
        return float(np.sqrt(((vectors.T @ along) ** 2 / np.maximum(values, 1e-6)).sum()))


@dataclass(frozen=True)
class Fitted:
    """What the model says of each class, and how sure it is of their sum."""

    chances: Floats
    """Probability that the class has one member in the population; zero where it has more in the sample."""
    spread: float
    """Standard error of the logarithm of their sum, from the parameters."""
    parameters: tuple[float, float, float, float]
    """Shift, slope, lean and sigma."""
    levels: Floats
    """Middle of the logarithm of the rate of each class."""
    peak: Peak | None = None
    """How sure the parameters are."""


def chances(codes: NDArray[np.int32], sizes: NDArray[np.int64], fraction: float) -> Fitted:
    """Fit the model to the classes of a sample.

    >>> codes = np.array([(i % 7, i % 11, i % 13) for i in range(200)], dtype=np.int32)
    >>> found = chances(codes, np.ones(200, dtype=np.int64), 0.1)
    >>> bool((0 < found.chances).all() and (found.chances < 1).all())
    True
    """
    single, pairs = expected(codes, sizes)
    if not len(sizes):
        return Fitted(np.zeros(0), 0.0, (0.0, 1.0, 0.5, 1.0), single)
    ones = sizes == 1
    centre = float(single[ones].mean() if ones.any() else single.mean())
    single = single - centre
    at, drawn, counts = _together(single, pairs, sizes, LARGEST - centre)
    usual = USUAL + np.array([centre, 0, 0, 0])

    def both(p: Floats) -> tuple[float, Floats]:
        high, slope = _log_likelihood(p, at, drawn, counts)
        far = (p - usual) / LOOSE
        return float(far @ far / 2 - high), far / LOOSE - slope

    best = minimize(
        both, usual, jac=True, method="BFGS", options={"maxiter": 100, "gtol": 1e-4 * counts.sum() ** 0.5}
    ).x
    levels = np.stack([np.ones(len(single)), single, pairs], axis=1) @ best[:3]
    looked, stand_for = _some(ones)
    design = np.stack([np.ones(len(looked)), single[looked], pairs[looked]], axis=1)
    peak = Peak(best, _bend(lambda p: both(p)[1], best), looked, stand_for, design)
    told = (float(best[0] - centre), float(best[1]), float(best[2]), float(np.exp(best[3])))
    found, some = Fitted(np.zeros(len(sizes)), 0.0, told, levels, peak), ones[looked]
    if not ones.any():
        return found

    def uniques(levels: Floats, sigma: float) -> float:
        return float(_alone(levels[some], sigma, np.full(int(some.sum()), fraction)).sum())

    return replace(found, chances=alone(found, sizes, fraction), spread=peak.spread(uniques))


def alone(fitted: Fitted, sizes: NDArray[np.int64], fraction: float | Floats) -> Floats:
    """The chance of each class to have one member in the population; the fraction may differ from class to class."""
    found, ones = np.zeros(len(sizes)), sizes == 1
    if ones.any():
        part = np.broadcast_to(np.asarray(fraction, dtype=np.float64), len(sizes))[ones]
        found[ones] = _alone(fitted.levels[ones], fitted.parameters[3], part)
    return found


def expected(codes: NDArray[np.int32], sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Logarithms of the records a class should have by its single values, and of the factor of pairs of values.

    >>> single, pairs = expected(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32), np.array([6, 2, 2, 6]))
    >>> np.round(np.exp(single), 2).tolist()  # a class looks at the records that are not its own
    [0.83, 3.0, 3.0, 0.83]
    """
    counts = _counted(codes, sizes)
    single = np.full(len(sizes), np.log(max(float(sizes.sum()), 1.0)))
    for alike, values in zip(counts.alike, counts.values, strict=True):
        single += np.log((alike + ADDED) / (counts.others + ADDED * values))
    step = max(len(sizes) // LOOKED_AT, 1)
    pairs = np.zeros(len(sizes))
    for i, j in _tree(counts if step == 1 else _counted(codes[::step], sizes[::step])):
        pairs += counts.factor(i, j)
    return single, pairs


@dataclass(frozen=True)
class _Counts:
    """Records that share values with a class and are not in it."""

    columns: list[NDArray[np.int64]]
    records: Floats
    others: Floats
    alike: list[Floats]
    """By column: others with the same value."""
    values: list[int]
    """By column: values that occur."""

    def factor(self, i: int, j: int) -> Floats:
        """Logarithm of how much more often two values come together than by chance."""
        width = int(self.columns[j].max()) + 1
        packed = self.columns[i] * width + self.columns[j]
        if int(packed.max()) > TABLE:
            packed = np.unique(packed, return_inverse=True)[1]
        both = np.bincount(packed, self.records)[packed] - self.records
        return np.asarray(np.log((both + DOUBT) / (self.alike[i] * self.alike[j] / self.others + DOUBT)))


def _counted(codes: NDArray[np.int32], sizes: NDArray[np.int64]) -> _Counts:
    records = sizes.astype(np.float64)
    columns = [np.asarray(column, dtype=np.int64) + 1 for column in codes.T]  # missing is a value of its own
    totals = [np.bincount(column, records) for column in columns]
    alike = [total[column] - records for column, total in zip(columns, totals, strict=True)]
    others = np.maximum(records.sum() - records, 1.0)
    return _Counts(columns, records, others, alike, [int(np.count_nonzero(total)) for total in totals])


def _tree(counts: _Counts) -> list[tuple[int, int]]:
    """The pairs of columns that tell most of records that were left out of their counts, without a circle."""
    group = list(range(len(counts.columns)))
    pairs = [(i, j) for i in group for j in range(i)] if len(counts.records) else []
    gains = {pair: float(counts.records @ counts.factor(*pair)) for pair in pairs}
    tree = []
    for (i, j), gain in sorted(gains.items(), key=lambda item: (-item[1], item[0])):
        if gain > 0 and group[i] != group[j]:
            tree.append((i, j))
            group = [group[i] if one == group[j] else one for one in group]
    return tree


def _together(single: Floats, pairs: Floats, sizes: NDArray[np.int64], largest: float) -> tuple[Floats, Floats, Floats]:
    """Covariates, sizes and counts of classes that are nearly the same."""
    small = single + pairs < largest
    if not small.any():
        small[:] = True
    places = [np.rint(column[small] / WIDTH).astype(np.int64) for column in (single, pairs)]
    lows = [int(place.min()) for place in places]
    wide, most = int(places[1].max()) - lows[1] + 1, int(sizes[small].max()) + 1
    packed, counts = np.unique(
        ((places[0] - lows[0]) * wide + places[1] - lows[1]) * most + sizes[small], return_counts=True
    )
    rest, drawn = np.divmod(packed, most)
    first, second = np.divmod(rest, wide)
    at = np.stack([np.ones(len(packed)), (first + lows[0]) * WIDTH, (second + lows[1]) * WIDTH], axis=1)
    return at, drawn.astype(np.float64), counts.astype(np.float64)


def _log_likelihood(p: Floats, at: Floats, drawn: Floats, counts: Floats) -> tuple[float, Floats]:
    """Log likelihood of sizes that are Poisson with log-normal rates, none of them zero, and its slopes."""
    sigma = np.exp(p[3])
    rate = np.exp(np.clip((at @ p[:3])[:, None] + sigma * NODES, -30.0, 12.0))
    size = drawn[:, None]
    seen = MASS * np.exp(size * np.log(rate) - rate - gammaln(size + 1))
    one = MASS * rate * np.exp(-rate)
    any_, some = seen.sum(axis=1) + 1e-300, (MASS * -np.expm1(-rate)).sum(axis=1) + 1e-300
    moved = seen * (size - rate)
    by_rate = counts * (moved.sum(axis=1) / any_ - one.sum(axis=1) / some)
    by_sigma = counts * sigma * (moved @ NODES / any_ - one @ NODES / some)
    return float(counts @ (np.log(any_) - np.log(some))), np.append(at.T @ by_rate, by_sigma.sum())


def _alone(level: Floats, sigma: float, fraction: Floats) -> Floats:
    """P(one in the population | one in the sample) = f h(level - log f) / h(level), h(x) = E[rate exp(-rate)]."""
    further = level - np.log(fraction)
    grid = np.linspace(min(float(level.min()), -30.0), max(float(further.max()), 0.0) + 1e-9, 4_000)
    rate = np.clip(grid[:, None] + sigma * NODES, -700.0, 12.0)  # exp(-exp(12)) is zero
    height = np.log((MASS * np.exp(rate - np.exp(rate))).sum(axis=1) + 1e-300)
    found = np.log(fraction) + np.interp(further, grid, height) - np.interp(level, grid, height)
    return np.asarray(np.exp(np.minimum(found, 0.0)))


def _some(ones: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Floats]:
    """Enough of the classes with one record and of the others, and how many each stands for."""
    parts = [np.flatnonzero(ones), np.flatnonzero(~ones)]
    steps = [max(len(part) // LOOKED_AT, 1) for part in parts]
    looked = [part[::step] for part, step in zip(parts, steps, strict=True)]
    return np.concatenate(looked), np.repeat(np.array(steps, dtype=np.float64), [len(part) for part in looked])


def _bend(slopes: Callable[[Floats], Floats], best: Floats) -> Floats:
    """Second derivatives, by central differences of the slopes."""
    moves = [np.eye(4)[i] * 1e-3 * LOOSE[i] for i in range(4)]
    return np.stack([(slopes(best + d) - slopes(best - d)) / (2 * d.sum()) for d in moves])
