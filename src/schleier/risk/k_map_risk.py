"""How many persons of a population table look like each record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from schleier.core.classes.request import Request
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.risk._attacker_models import ENDS, Chances
from schleier.risk._keys import KeysMeasure
from schleier.risk._weights import cautions, weight_of, weighted_share

if TYPE_CHECKING:
    from schleier.core.run import Run


class KMapRisk(KeysMeasure):
    """Share of records that fewer than k persons of the population look like.

    >>> KMapRisk(k=5).k
    5
    """

    reference: ClassVar[str] = "Sweeney (2002); El Emam and Dankar (2008), Protecting privacy using k-anonymity"
    example: ClassVar[dict[str, object]] = {"k": 3, "keys": ["sex", "age"]}

    k: int = Field(ge=2)
    """Records that fewer persons look like are at risk."""

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """The class table with the population."""
        return (self.request(schema, populations=("population",)),)

    def measure(self, case: Case, run: Run) -> Finding:
        """Compare the classes of the release with the population."""
        import numpy as np

        data = case.released
        weight, unweighted = weight_of(data)
        classes = data.classes(self.request(data.schema, weight=weight, populations=("population",)))
        persons = classes.persons("population", self.missing, lend=True)
        few, absent = persons < self.k, persons == 0
        lacking = ~absent & (persons < classes.of(classes.sizes, self.missing, lend=True))
        records = classes.records

        def counted(mask: Any) -> int:
            return int(classes.sizes[mask].sum())

        value = counted(few) / records if records else 0.0
        # Nobody in the table looks like it: the table is wrong, and the strict reading is that there is one person.
        chances = Chances(classes, 1 / np.maximum(persons, 1.0))
        chances.keep(data, run)
        detail: dict[str, Any] = {
            "keys": list(classes.keys),
            "k": self.k,
            "records": records,
            "few": counted(few),
            "unique": counted((persons > 0) & (persons <= 1)),
            "not_found": counted(absent),
            "more_records_than_persons": counted(lacking),
            "smallest": float(persons.min()) if len(persons) else None,
            "average": chances.average,
            "chances": {"up_to": list(ENDS), "after": chances.binned()},
            **cautions({"weights": unweighted, "not_found": bool(absent.any()), "few_persons": bool(lacking.any())}),
        }
        if classes.weights is not None:
            detail["weighted_share"] = weighted_share(classes, few)
        text = f"{detail['few']} of {records} records ({value:.2%}) look like fewer than {self.k} persons"
        if absent.any():
            text += f"; {detail['not_found']} look like nobody, so the population table lacks persons"
        return Finding(name=self.word(), value=value, better=self.better, text=f"{text}.", detail=detail)
