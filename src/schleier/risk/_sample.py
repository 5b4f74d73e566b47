"""What measures have in common that ask how a file relates to the population it was drawn from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schleier.core.classes.request import Missing
from schleier.core.errors import DataError, Problem, Problems
from schleier.core.sampling import sampling_problems
from schleier.core.schema import Schema
from schleier.risk._keys import KeysMeasure
from schleier.risk._weights import Weights, weights_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset


@dataclass(frozen=True)
class SampledFile:
    """A file as a sample: its records, the persons they stand for, and the column of weights if there is one."""

    records: int
    persons: float
    weight: str | None = None
    scale: float = 1.0
    """What weights are multiplied by: parameters may know better how many persons there are in all."""

    @property
    def fraction(self) -> float:
        """Part of the population that the file holds; an empty file tells nothing, so it counts as all of it."""
        return self.records / self.persons if self.persons else 1.0

    def stand_for(self, classes: Classes, missing: Missing) -> NDArray[np.float64] | None:
        """Persons that the weights of each class stand for; nothing without weights, or where all are in the file."""
        if classes.weights is None or self.fraction >= 1:
            return None
        found: NDArray[np.float64] = classes.of(classes.weights, missing, lend=True) * self.scale
        return found


class SampledMeasure(KeysMeasure):
    """A risk in a population of which the file is a sample."""

    fraction: float | None = None
    """Part of the population that the file holds (1 for all of it)."""
    population: int | None = None
    """Persons in the population. Without this and without ``fraction`` the weights tell how many there are."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Something must tell the size of the population, and only one thing."""
        yield from super().problems(schema)
        yield from sampling_problems(self.fraction, self.population)
        if self.fraction is None and self.population is None and not schema.having("weight"):
            hint = 'set fraction (1 for a full enumeration) or population, or give one column the role "weight"'
            yield Problem("no-fraction", "fraction", "nothing says what part of the population the file holds", hint)

    def sample(self, data: Dataset) -> SampledFile:
        """The file as a sample; weights that cannot be and a population smaller than its sample are errors."""
        weights = weights_of(data)
        if weights is not None:
            _refuse(weights)
        records, persons = (weights.records, weights.total) if weights else (data.rows, 0.0)
        if self.population is not None:
            persons = float(self.population)
        elif self.fraction is not None:
            persons = records / self.fraction
        if round(persons, 6) < records:
            if self.population is None and weights is not None:  # what they add up to is not said: it is data
                place, what = weights.column, f"the weights add up to fewer than the {records} records"
            else:
                place = "population"
                what = f"the population has {persons:.10g} persons, fewer than the {records} records of its sample"
            hint = "weights add up to the persons of the population, not to the records; check them, or set population"
            raise DataError(Problem("few-persons", place, what, hint))
        if weights is None:
            return SampledFile(records, persons)
        return SampledFile(records, persons, weights.column, persons / weights.total if weights.total else 1.0)


def _refuse(weights: Weights) -> None:
    """Weights that are missing or not above zero are errors."""
    found = Problems()
    if weights.absent:
        hint = "fill the weights, or leave out the records without one"
        message = f"{weights.absent} records have no weight in column '{weights.column}'"
        found.add("missing-weights", weights.column, message, hint)
    if weights.low:
        message = f"{weights.low} records have a weight of zero or less in column '{weights.column}'"
        hint = "a weight says how many persons a record stands for: above zero"
        found.add("bad-weights", weights.column, message, hint)
    found.raise_as(DataError)
