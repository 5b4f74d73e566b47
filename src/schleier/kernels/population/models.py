"""All models of population uniques side by side, each with an interval that knows how wrong the model has been.

Where an interval lies wholly above that of the model asked for, one of the two models is wrong: the higher is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from schleier.kernels.population import uniques as by_size
from schleier.kernels.population.margins import Begun, Fitted, begin, chances, unique_chances
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
    counts = UniqueCounts(codes, sizes, fraction, cells)
    return {model: counts.by(model) for model in models}


@dataclass
class UniqueCounts:
    """What models say of one sample, each asked once."""

    codes: NDArray[np.int32]
    sizes: NDArray[np.int64]
    fraction: float
    cells: float | None = None
    _found: dict[Model, UniqueCount] = field(init=False, default_factory=dict)

    @cached_property
    def uniques(self) -> float:
        """Records that are unique in the sample."""
        return float((self.sizes == 1).sum())

    @property
    def is_counted(self) -> bool:
        """Whether nothing has to be estimated: who is unique in the population is so in the sample."""
        return not self.uniques or self.fraction >= 1

    def by(self, model: Model) -> UniqueCount:
        """What a model says."""
        if model not in self._found:
            self._found[model] = self._counted(model)
        return self._found[model]

    def looks(self, model: Model) -> Iterator[UniqueCount]:
        """Quick looks first: what a model says in the end, which comes last, is no lower than any of them."""
        if model == "margins" and not self.is_counted and model not in self._found:
            yield from self._quick(model)
        yield self.by(model)

    def _quick(self, model: Model) -> Iterator[UniqueCount]:
        for total in self._begun.totals(self.sizes, self.fraction):
            yield self._told(model, total, model) if np.isfinite(total) else UniqueCount(model, 0.0, 0.0, 0.0)

    @cached_property
    def _begun(self) -> Begun:
        return begin(self.codes, self.sizes)

    @cached_property
    def _simple(self) -> by_size.Estimates:
        return by_size.Estimates(*by_size.frequencies(self.sizes), self.fraction, self.cells)

    def _counted(self, model: Model) -> UniqueCount:
        if self.is_counted:
            return UniqueCount(model, self.uniques, self.uniques, self.uniques)
        if model != "margins":
            one = self._simple.by(model)
            return self._told(model, min(one.share * float(self.sizes.sum()), self.uniques), one.model)
        fitted = chances(self.codes, self.sizes, self.fraction, self._begun)
        found = self._told(model, float(fitted.chances.sum()), model, fitted)
        if "not_fitted" in found.doubts:
            return found
        # Should a rough fit tell more, it counts: a quick look never says too much.
        every = [found, *self._quick(model)]
        low, high = max(one.low for one in every), max(one.high for one in every)
        return replace(found, expected=max(one.expected for one in every), low=low, high=high)

    def _told(self, model: Model, expected: float, used: str, fitted: Fitted | None = None) -> UniqueCount:
        if not np.isfinite(expected):
            return UniqueCount(model, float("nan"), 0.0, self.uniques, ("not_fitted",))
        why = _doubts(model, self.codes.shape[1], self.uniques, self.fraction)
        doubts = tuple(doubt for doubt, true in why.items() if true)
        ends = learned(model).interval(expected, self.uniques, self.fraction)
        return UniqueCount(model, expected, *ends, doubts, fitted, used)


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
    top = max(above, key=lambda other: other.expected)
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
