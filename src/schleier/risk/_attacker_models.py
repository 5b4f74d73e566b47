"""What the attacker models of El Emam share: a chance for each class, and what it comes to over the records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from schleier.core.classes import Classes
from schleier.core.classes.records import by_class
from schleier.core.classes.request import Request
from schleier.core.component import listed
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.kernels.spread.diversity import TINY
from schleier.risk._individual_models import estimated
from schleier.risk._original import estimated_before
from schleier.risk._sample import SampledMeasure
from schleier.risk._weights import cautions, weight_of, weighted_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run

ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Upper ends of the bins in which chances are shown."""


@dataclass(frozen=True)
class Chances:
    """For each class of a file the chance that a record of it is found."""

    classes: Classes
    each: NDArray[np.float64]
    unweighted: bool = False
    """Whether there is a weight column that cannot be used, because some records have no weight above zero."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Further numbers for the finding."""
    interval: tuple[float | None, float | None] = (None, None)
    """95 % interval of the average, where it was estimated."""

    @property
    def average(self) -> float:
        """Over the records."""
        records = self.classes.records
        return float((self.classes.sizes * self.each).sum()) / records if records else 0.0

    def details(self, threshold: float) -> dict[str, Any]:
        """Highest, average, and the records above a threshold; with weights, for the persons they stand for too."""
        sizes, risky = self.classes.sizes, self.each > threshold + TINY
        records = self.classes.records
        found: dict[str, Any] = {
            "records": records,
            "highest": float(self.each.max()) if len(self.each) else 0.0,
            "average": self.average,
            "at_risk": int(sizes[risky].sum()),
            "share": float(sizes[risky].sum()) / records if records else 0.0,
        }
        if self.classes.weights is not None:
            found["weighted_average"] = weighted_share(self.classes, self.each)
            found["weighted_share"] = weighted_share(self.classes, risky)
        return found

    def cautions(self) -> dict[str, list[str]]:
        """What must be minded, where persons of a population were counted or estimated."""
        facts = self.facts
        codes = {"weights": self.unweighted, "few_persons": bool(facts.get("records_lacking"))}
        return cautions(codes | {"estimate": bool(facts.get("estimate"))})

    def binned(self) -> list[int]:
        """Records by their chance, in the bins that end at ``ENDS``."""
        import numpy as np

        place = np.minimum(np.searchsorted(np.array(ENDS) + TINY, self.each, side="left"), len(ENDS) - 1)
        return [int(self.classes.sizes[place == i].sum()) for i in range(len(ENDS))]

    def keep(self, data: Dataset, run: Run) -> None:
        """The chance of each record, for the audit only."""
        run.keep_by_record(lambda: by_class(data, self.classes, {"risk": self.each}))


class PopulationMeasure(SampledMeasure):
    """A risk that depends on how many persons of the population look like a record."""

    estimates: ClassVar[Mapping[str, Any]] = {"against": "estimate"}

    against: Literal["table", "estimate"] = "table"
    """Count the persons in the population table of the recipe (table), or estimate them from fraction, population or
    weights (estimate)."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """An estimate needs the size of the population; a table tells it by itself."""
        if self.against == "estimate":
            yield from super().problems(schema)
            return
        yield from super(SampledMeasure, self).problems(schema)
        given = [name for name in ("fraction", "population") if getattr(self, name) is not None]
        if given:
            message = f"{listed(given)} would not be looked at: the population table tells how many persons there are"
            yield Problem("table-tells", "against", message, 'set against = "estimate", or leave it out')

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """The class table, with the population where it is counted."""
        people = ("population",) if self.against == "table" else ()
        return (self.request(schema, populations=people),) if people else ()

    def chances(self, data: Dataset) -> Chances:
        """One divided by the persons who look like a record, for each class."""
        return self._counted(data) if self.against == "table" else self._estimated(data)

    def before(self, case: Case, found: Chances) -> Chances | None:
        """The same of the original; nothing where it, or its population table, does not have the keys."""
        if case.original is case.released:
            return found
        keys = found.classes.keys
        people = case.original.populations.get("population")
        if self.against == "table" and (people is None or any(key not in people.schema for key in keys)):
            return None
        same = self.model_copy(update={"keys": keys})
        return estimated_before(same, case.original, same.chances)

    def _counted(self, data: Dataset) -> Chances:
        import numpy as np

        weight, unweighted = weight_of(data)
        classes = data.classes(self.request(data.schema, weight=weight, populations=("population",)))
        persons = classes.persons("population", self.missing, lend=True)
        own = classes.of(classes.sizes, self.missing, lend=True)
        # Whoever is in the file is a person of the population: a table with fewer of them lacks some.
        lacking = persons < own - TINY
        people = np.maximum(persons, own)
        facts = {
            "persons": self._together(people),
            "records_lacking": int(classes.sizes[lacking].sum()),
            "estimate": False,
        }
        return Chances(classes, 1 / people, unweighted, facts)

    def _estimated(self, data: Dataset) -> Chances:
        """E(1/F) given f as in individual risk, with weights class by class, else with one fraction for all.

        The best model needs classes that do not overlap; under wildcards it is that of Benedetti and Franconi.
        """
        import numpy as np

        sample = self.sample(data)
        classes = data.classes(self.request(data.schema, weight=sample.weight))
        own = classes.of(classes.sizes, self.missing, lend=True)
        evenly, weighed = own / sample.fraction, sample.stand_for(classes, self.missing)
        people = evenly if weighed is None else np.maximum(weighed, own)
        overlap = self.missing == "wildcard"
        model: Literal["negative_binomial", "margins"] = "negative_binomial" if overlap else "margins"
        facts: dict[str, Any] = {"persons": self._together(people), "estimate": True, "model": model}
        found = estimated(model, classes, own, evenly)
        if weighed is not None:
            facts["unweighted_average"] = Chances(classes, found.risks).average
            found = estimated(model, classes, own, people, fitted=found.fitted)
        interval = found.mean_interval(model, classes, own, sample.fraction)
        return Chances(classes, found.risks, facts=facts, interval=interval)

    def _together(self, people: NDArray[np.float64]) -> float | None:
        """Persons who look like some record; unknown where the same person may look like several classes."""
        return float(people.sum()) if self.missing != "wildcard" else None
