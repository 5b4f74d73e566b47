"""How many records stand alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.request import Missing, Request
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


BINS = {"1": 1, "2": 2, "3-4": 3, "5-9": 5, "10-19": 10, "20-49": 20, "50+": 50}
"""Class sizes as the report shows them, each with its smallest size."""


class Uniqueness(Measure):
    """Share of records that are the only one with their combination of key values.

    >>> Uniqueness(keys=["age", "sex"]).keys
    ('age', 'sex')
    """

    reference: ClassVar[str] = "Höhne (2010), 1.1 Risikoaspekte; Kneuper, k-anonymity"
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age"]}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"
    inspected: ClassVar[int] = 1

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; all quasi-identifiers when empty."""
    missing: Missing = "category"
    """A missing key is a value of its own (category), may be anything (wildcard), or leaves its row out (exclude)."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys."""
        return self.keys or schema.quasi

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be keys."""
        yield from super().problems(schema)
        if not self.uses(schema):
            hint = 'give columns the role "quasi", or name keys'
            yield Problem("no-keys", "keys", "there is no quasi-identifier to look at", hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Count unique records before and after."""
        keys = self.uses(case.released.schema)
        before, sizes_before = self._spread(case.original, keys)
        after, sizes_after = self._spread(case.released, keys)
        text = (
            f"{after['unique']} of {after['records']} records ({after['share']:.2%}) are unique "
            f"on {len(keys)} known columns; before it was {before['share']:.2%}."
        )
        return Finding(
            name=self.word(),
            value=after["share"],
            better=self.better,
            text=text,
            detail={
                "keys": list(keys),
                "before": before,
                "after": after,
                "sizes": {"bins": list(BINS), "before": sizes_before, "after": sizes_after},
            },
        )

    def _spread(self, data: Dataset, keys: tuple[str, ...]) -> tuple[dict[str, float], list[int]]:
        """Records, classes, uniques and pairs; and the records by the size of their class."""
        import numpy as np

        classes = data.classes(Request(keys=keys, missing=self.missing))
        sizes = classes.of(classes.sizes, self.missing)
        records = classes.records
        unique = int(classes.sizes[sizes == 1].sum())
        counts = {
            "records": records,
            "classes": len(classes),
            "unique": unique,
            "in_pairs": int(classes.sizes[sizes == 2].sum()),
            "smallest": int(sizes.min()) if len(classes) else 0,
            "share": unique / records if records else 0.0,
            "average": float((classes.sizes / sizes).sum()) / records if records else 0.0,
        }
        place = np.searchsorted(list(BINS.values()), sizes, side="right") - 1
        binned = [int(classes.sizes[place == i].sum()) for i in range(len(BINS))]
        return counts, binned
