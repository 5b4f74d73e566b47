"""How many records somebody gets right who links the whole file with the population."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.measure import Case, Finding
from schleier.risk._attacker_models import PopulationMeasure
from schleier.risk._weights import weighted_share

if TYPE_CHECKING:
    from schleier.core.run import Run


class Marketer(PopulationMeasure):
    """Share of records expected to be linked with the right person when all of them are linked with the population.

    >>> Marketer(against="estimate", fraction=0.01).fraction
    0.01
    """

    reference: ClassVar[str] = "Dankar and El Emam (2010), A method for evaluating marketer re-identification risk"
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age"], "against": "estimate"}

    def measure(self, case: Case, run: Run) -> Finding:
        """The sum of f / F over the classes, divided by the records, before and after."""
        data, keys = case.released, self.keys or case.released.schema.quasi
        found = self.chances(data)
        old = self.before(case, found)
        records = found.classes.records
        detail: dict[str, Any] = {
            "keys": list(keys),
            "records": records,
            "expected": found.average * records,
            "before": old and old.average,
            "after": found.average,
            **found.facts,
            **found.cautions(),
        }
        if (share := weighted_share(found.classes, found.each)) is not None:
            detail["weighted_share"] = share
        text = (
            f"Who links all {records} records with the population is expected to get {detail['expected']:.1f} of them "
            f"right ({found.average:.2%})."
        )
        low, high = found.interval
        return Finding(
            name=self.word(), value=found.average, low=low, high=high, better=self.better, text=text, detail=detail
        )
