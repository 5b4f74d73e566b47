"""All models of population uniques side by side, each with an interval that knows how wrong the model has been.

Where an interval lies wholly above that of the model asked for, one of the two models is wrong: the higher is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.population import uniques as by_size
from schleier.kernels.population.margins import Fitted, chances, unique_chances
from schleier.kernels.population.unique_intervals import learned

Floats = NDArray[np.float64]
Model = Literal["margins", "dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma"]
MODELS: tuple[Model, ...] = get_args(Model)
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
    """95 % interval of that number, from what the model was off on populations that are known."""
    doubts: tuple[str, ...] = ()
    """Why it is not to be trusted: not_fitted, off, few, one_key, small_fraction, large_fraction, disagree."""
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
    return count_by_models(codes, sizes, fraction, (model,), cells)[model]


def count_by_models(
    codes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    fraction: float,
    models: Sequence[Model] = MODELS,
    cells: float | None = None,
) -> dict[Model, UniqueCount]:
    """The same by several models."""
    uniques, records = float((sizes == 1).sum()), float(sizes.sum())
    if not uniques or fraction >= 1:  # counted: who is unique in the population is so in the sample
        return {model: UniqueCount(model, uniques, uniques, uniques) for model in models}
    simple = by_size.estimates(*by_size.frequencies(sizes), fraction, [m for m in models if m != "margins"], cells)
    found: dict[Model, UniqueCount] = {}
    for model in models:
        if model == "margins":
            fitted = chances(codes, sizes, fraction)
            expected, used = float(fitted.chances.sum()), "margins"
        else:
            fitted, expected, used = None, min(simple[model].share * records, uniques), simple[model].model
        if not np.isfinite(expected):
            found[model] = UniqueCount(model, float("nan"), 0.0, uniques, ("not_fitted",))
            continue
        doubts = tuple(why for why, true in _doubts(model, codes.shape[1], uniques, fraction).items() if true)
        ends = learned(model).interval(expected, uniques, fraction)
        found[model] = UniqueCount(model, expected, *ends, doubts, fitted, used)
    return found


def _doubts(model: Model, keys: int, uniques: float, fraction: float) -> dict[str, bool]:
    tried = learned(model).fractions
    return {
        "off": learned(model).off_by(fraction) > TOO_FAR,
        "few": uniques < FEWEST,
        "one_key": model == "margins" and keys < 2,
        "small_fraction": fraction < tried[0],
        "large_fraction": fraction > tried[-1],
    }


def highest(found: Mapping[Model, UniqueCount], model: Model) -> UniqueCount:
    """What a model says, or the highest of those that contradict it: their whole intervals lie above its own.

    >>> low, far = UniqueCount("margins", 5.0, 2.0, 9.0), UniqueCount("pitman", 30.0, 12.0, 60.0)
    >>> taken = highest({"margins": low, "pitman": far}, "margins")
    >>> taken.expected, taken.high, taken.used, taken.doubts
    (30.0, 60.0, 'pitman', ('disagree',))
    """
    one = found[model]
    above = [other for other in found.values() if other.low > one.high]
    if not above:
        return one
    top = max(above, key=lambda other: (other.expected, other.high))  # in whatever order they were asked
    return replace(top, model=model, used=top.model, doubts=(*one.doubts, "disagree"))


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
