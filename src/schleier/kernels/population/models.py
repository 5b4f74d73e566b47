"""All models of population uniques side by side, each with an interval that knows how wrong the model has been."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.population import uniques as by_size
from schleier.kernels.population.margins import Fitted, chances, unique_chances
from schleier.kernels.statistics.trials import Z95

Floats = NDArray[np.float64]
Model = Literal["margins", "dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma"]
MODELS: tuple[Model, ...] = get_args(Model)
FRACTIONS = (0.002, 0.01, 0.05, 0.2, 1.0)
OFF: dict[Model, tuple[float, ...]] = {
    "margins": (0.65, 0.4, 0.17, 0.09, 0.0),
    "dankar": (1.56, 1.28, 1.23, 0.53, 0.0),
    "pitman": (1.56, 1.28, 1.23, 0.98, 0.0),
    "zayatz": (5.46, 3.76, 2.08, 0.9, 0.0),
    "slide_negative_binomial": (5.32, 3.46, 1.62, 0.55, 0.0),
    "poisson_gamma": (2.69, 2.26, 1.58, 1.05, 0.0),
}
"""How far each model was off for samples of such fractions (standard deviation of log odds), beyond what a sample can
tell: measured on populations that are known, by ``python -m bench.population_models``."""
TOO_FAR = float(np.log(2.0))
FEWEST = 20
"""A model that is off by a factor of two on known populations is not trusted, nor one that saw fewer uniques."""


@dataclass(frozen=True)
class UniqueCount:
    """What a model says of the records that are unique in a sample."""

    model: Model
    expected: float
    """How many of them are unique in the population; not a number where the model fails."""
    low: float
    high: float
    """95 % interval of that number, from the drawing of the sample and from what the model was off elsewhere."""
    doubts: tuple[str, ...] = ()
    """Why it is not to be trusted: not_fitted, off, few, one_key, small_fraction."""
    fitted: Fitted | None = None
    """The model itself, if it tells classes apart."""
    used: str = ""
    """The model that was used in the end, where a rule chooses."""


def count_population_uniques(
    codes: NDArray[np.int32], sizes: NDArray[np.int64], fraction: float, model: Model, cells: float | None = None
) -> UniqueCount:
    """How many classes with one record have one member in the population.

    >>> sizes = np.array([1] * 60 + [2] * 20 + [5] * 10)
    >>> codes = np.arange(90, dtype=np.int32)[:, None]
    >>> found = count_population_uniques(codes, sizes, 0.05, "poisson_gamma")
    >>> round(found.expected, 2), found.doubts
    (4.84, ('off',))
    """
    uniques, records = float((sizes == 1).sum()), float(sizes.sum())
    if not uniques or fraction >= 1:
        return UniqueCount(
            model, uniques, uniques, uniques
        )  # counted: who is unique in the population is so in the sample
    fitted: Fitted | None = None
    used: str = model
    if model == "margins":
        fitted = chances(codes, sizes, fraction)
        expected = float(fitted.chances.sum())
        spread = 0.0
    else:
        expected, spread, used = _by_size(sizes, fraction, model, cells)
        expected = min(expected * records, uniques)
    if not np.isfinite(expected):
        return UniqueCount(model, float("nan"), 0.0, uniques, ("not_fitted",))
    off = float(np.interp(np.log(fraction), np.log(FRACTIONS), OFF[model]))
    low, high = interval(expected, uniques, np.hypot(spread, off))
    doubts = {
        "off": off > TOO_FAR,
        "few": uniques < FEWEST,
        "one_key": model == "margins" and codes.shape[1] < 2,
        "small_fraction": fraction < FRACTIONS[0],
    }
    return UniqueCount(model, expected, low, high, tuple(why for why, true in doubts.items() if true), fitted, used)


def chances_by_class(found: UniqueCount, sizes: NDArray[np.int64], weights: Floats | None = None) -> Floats:
    """The chance of each class to have one member in the population; ``weights`` tell how many a record stands for.

    >>> chances_by_class(UniqueCount("pitman", 0.5, 0.0, 2.0), np.array([1, 3, 1])).tolist()
    [0.25, 0.0, 0.25]
    """
    ones = sizes == 1
    if found.fitted is None:
        each = found.expected / max(float(ones.sum()), 1.0)
        return np.where(ones, each if np.isfinite(each) else 1.0, 0.0)
    if weights is None:
        return found.fitted.chances
    return unique_chances(found.fitted, sizes, np.minimum(1 / np.maximum(weights, 1e-300), 1.0))


def interval(expected: float, of: float, spread: float) -> tuple[float, float]:
    """95 % interval of a number of successes among ``of``, widened to whole numbers.

    0.5 is added to both sides of the odds, so that none and all have an interval too.

    >>> interval(20, 100, 0.0)  # chance alone
    (13.0, 30.0)
    """
    hits, rest = expected + 0.5, of - expected + 0.5
    reach = Z95 * float(np.sqrt(spread**2 + 1 / hits + 1 / rest))
    ends = [hits / rest * float(np.exp(np.clip(sign * reach, -300, 300))) for sign in (-1, 1)]
    low, high = ((odds * (of + 0.5) - 0.5) / (1 + odds) for odds in ends)
    return float(max(np.floor(min(low, expected)), 0.0)), float(min(np.ceil(max(high, expected)), of))


def _by_size(sizes: NDArray[np.int64], fraction: float, model: Model, cells: float | None) -> tuple[float, float, str]:
    """Share, standard error of its log odds among the uniques, and the model that was used."""
    if model == "margins":
        raise ValueError("this model needs more than sizes")
    found = by_size.estimate(*by_size.frequencies(sizes), fraction, model, cells=cells)
    if not found.success or found.low is None or found.high is None:
        return float("nan"), 0.0, found.model
    unique = float((sizes == 1).sum() / sizes.sum())
    ends = np.clip(np.array([found.low, found.high]) / unique, 1e-9, 1 - 1e-9)
    odds = np.log(ends) - np.log1p(-ends)
    return found.share, float(odds[1] - odds[0]) / (2 * Z95), found.model
