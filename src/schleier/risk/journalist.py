"""How surely a person of the population is recognised by somebody who does not know who is in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from schleier.core.measure import Case, Finding
from schleier.risk._attacker_models import ENDS, Chances, PopulationMeasure

if TYPE_CHECKING:
    from schleier.core.run import Run


class Journalist(PopulationMeasure):
    """Share of records whose person in the population is found with more than a given chance.

    >>> Journalist(threshold=0.2).against
    'table'
    """

    reference: ClassVar[str] = "El Emam (2013), Guide to the de-identification of personal health information, ch. 16"
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age"], "against": "estimate"}

    threshold: float = Field(default=0.09, gt=0, lt=1)
    """Records with a larger chance count as at risk; 0.09 is eleven persons who look alike."""

    def measure(self, case: Case, run: Run) -> Finding:
        """One divided by the persons of the population who look like it, for every record, before and after."""
        data, keys = case.released, self.keys or case.released.schema.quasi
        found = self.chances(data)
        old = self.before(case, found)
        found.keep(data, run)
        after = self._told(found)
        detail: dict[str, Any] = {
            "keys": list(keys),
            "threshold": self.threshold,
            **found.facts,
            **after,
            "average_low": found.interval[0],
            "average_high": found.interval[1] and max(found.interval[1], after["average"]),
            "before": None if old is None else self._told(old),
            "after": after,
            "chances": {"up_to": list(ENDS), "before": old and old.binned(), "after": found.binned()},
            **found.cautions(),
        }
        text = (
            f"Who looks for the person behind a record in the population is right with a chance of "
            f"{after['average']:.2%} on average and {after['highest']:.2%} at most; for {after['at_risk']} of "
            f"{after['records']} records ({after['share']:.2%}) it is above {self.threshold:.10g}."
        )
        return Finding(name=self.word(), value=after["share"], better=self.better, text=text, detail=detail)

    def _told(self, found: Chances) -> dict[str, Any]:
        """As for a prosecutor; but the attacker may also start from the persons and look for their records.

        Of the persons who look like some record one per class is right: the number of classes divided by the persons.
        The larger of both averages counts.
        """
        told = found.details(self.threshold)
        persons = found.facts["persons"]
        told["from_persons"] = len(found.classes) / persons if persons else 0.0
        told["average"] = max(told["average"], told["from_persons"])
        return told
