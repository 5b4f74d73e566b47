"""How surely a record is found by somebody who knows that the person is in the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.amount import LEAST
from schleier.core.classes.request import Request
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.risk._attacker_models import ENDS, Chances
from schleier.risk._keys import KeysMeasure
from schleier.risk._original import estimated_before
from schleier.risk._weights import cautions, weight_of

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class Prosecutor(KeysMeasure):
    """Share of records that somebody who knows that a person is in the file finds with more than a given chance.

    >>> Prosecutor(threshold=0.2).threshold
    0.2
    """

    reference: ClassVar[str] = "El Emam (2013), Guide to the de-identification of personal health information, ch. 16"
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age"]}
    counts_before: ClassVar[bool] = True

    threshold: float = Field(default=0.09, gt=0, lt=1)
    """Records with a larger chance of being found count as at risk; 0.09 is a class of eleven."""
    count: Literal["records", "units"] = "records"
    """Who looks alike: records, or different units (households, patients) where several records are about one."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be units when they are counted."""
        yield from super().problems(schema)
        if self.count == "units" and not schema.having("unit"):
            hint = 'give one column the role "unit", or count records'
            yield Problem("no-unit", "count", "there is no unit column", hint)
        if self.count == "units" and self.missing == "wildcard":
            message = "units of several classes cannot be added up, as the same one may be in all of them"
            yield Problem("units-and-wildcard", "missing", message, 'use missing = "category", or count records')

    def measure(self, case: Case, run: Run) -> Finding:
        """One divided by the size of its class, for every record, before and after."""
        data, keys = case.released, self.keys or case.released.schema.quasi
        found = self._chances(data, keys)
        old: Chances | None = found
        if case.original is not data:
            same = self.model_copy(update={"keys": keys})
            old = estimated_before(same, case.original, lambda original: self._chances(original, keys))
        found.keep(data, run)
        after = found.details(self.threshold)
        detail: dict[str, Any] = {
            "keys": list(keys),
            "threshold": self.threshold,
            **after,
            "before": old and old.details(self.threshold),
            "after": after,
            "chances": {"up_to": list(ENDS), "before": old and old.binned(), "after": found.binned()},
            **cautions({"weights": found.unweighted}),
        }
        text = (
            f"Who knows that a person is in the file finds the record with a chance of {after['average']:.2%} on "
            f"average and {after['highest']:.2%} at most; for {after['at_risk']} of {after['records']} records "
            f"({after['share']:.2%}) it is above {self.threshold:.10g}."
        )
        return Finding(name=self.word(), value=after["share"], better=self.better, text=text, detail=detail)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """In tens; the highest chance in the original says how small its smallest class is, and is told where that is
        one, or ten at least."""
        told, before = super().disclose(case, run, exact), exact.detail["before"]
        if told is None or told is exact or before is None:
            return told
        kept = before["highest"] if not 1 / LEAST < before["highest"] < 1 else None
        old = told.detail["before"] | {"highest": kept}
        return told.model_copy(update={"detail": told.detail | {"before": old}})

    def _chances(self, data: Dataset, keys: tuple[str, ...]) -> Chances:
        import numpy as np

        unit = next(iter(data.schema.having("unit")), None) if self.count == "units" else None
        weight, unweighted = weight_of(data)
        classes = data.classes(Request(keys=keys, missing=self.missing, weight=weight, units=unit))
        alike = classes.of(classes.sizes, self.missing, lend=True)
        if classes.units is not None:  # rows that nobody is said to stand behind are taken for one person
            alike = np.maximum(classes.units, 1)
        return Chances(classes, 1 / alike, unweighted)
