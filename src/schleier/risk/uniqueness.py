"""How many records stand alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from schleier.core.amount import LEAST
from schleier.core.classes.request import Request
from schleier.core.component import counted
from schleier.core.measure import Case, Finding, Section
from schleier.core.schema import Schema
from schleier.risk._keys import KeysMeasure
from schleier.risk._original import known_columns
from schleier.risk._subgroups import unique_by_group, unique_by_unit
from schleier.risk._weights import cautions, weight_of, weighted_share

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.data import Dataset
    from schleier.core.run import Run


BINS = {"1": 1, "2": 2, "3-4": 3, "5-9": 5, "10-19": 10, "20-49": 20, "50+": 50}
"""Class sizes as the report shows them, each with its smallest size."""


class Uniqueness(KeysMeasure):
    """Share of records that are the only one with their combination of key values.

    >>> Uniqueness(keys=["age", "sex"]).keys
    ('age', 'sex')
    """

    section: ClassVar[Section] = "twins"
    reference: ClassVar[str] = "Höhne (2010), 1.1 Risikoaspekte; Müller et al. (1991), 4.2 Einzigartigkeit"
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age"]}
    counts_before: ClassVar[bool] = True
    inspected: ClassVar[int] = 1

    by: tuple[str, ...] = ()
    """Columns whose combinations are subgroups, such as regions: who is alone within each is counted as well."""
    least: int = Field(default=10, ge=1)
    """Subgroups with fewer records are left out of the comparison."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys, and the columns that make subgroups."""
        return tuple(dict.fromkeys((*super().uses(schema), *self.by)))

    def measure(self, case: Case, run: Run) -> Finding:
        """Count unique records before and after."""
        data = case.released
        keys = self.keys or data.schema.quasi
        after, sizes_after, classes, unweighted = self._spread(data, keys)
        before, sizes_before, keys_before = after, sizes_after, keys
        if case.original is not data:
            keys_before = known_columns(keys, case.original.schema)
            before, sizes_before, _, _ = self._spread(case.original, keys_before)
        detail: dict[str, Any] = {
            "keys": list(keys),
            "keys_before": list(keys_before),
            "before": before,
            "after": after,
            "sizes": {"bins": list(BINS), "before": sizes_before, "after": sizes_after},
            "columns": _columns(classes),
            **cautions({"weights": unweighted}),
        }
        if self.by:
            detail["by"] = unique_by_group(data, keys, self.by, self.missing, self.least)
        if data.schema.having("unit") and self.missing != "wildcard":
            detail["units"] = unique_by_unit(data, keys, self.missing)
        text = _sentence(detail)
        return Finding(name=self.word(), value=after["share"], better=self.better, text=text, detail=detail)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Who stands alone in the original is told in tens; how small its smallest class is, only where it is one."""
        told, smallest = super().disclose(case, run, exact), exact.detail["before"]["smallest"]
        if told is None or told is exact:
            return told
        before = told.detail["before"] | {"smallest": None if 1 < smallest < LEAST else smallest}
        return told.model_copy(update={"detail": told.detail | {"before": before}})

    def phrase(self, finding: Finding) -> Finding:
        """The sentence, with the numbers in tens."""
        return finding.model_copy(update={"text": _sentence(finding.detail, at_most="at most ")})

    def _spread(self, data: Dataset, keys: tuple[str, ...]) -> tuple[dict[str, float], list[int], Classes, bool]:
        """Records, classes, uniques and pairs; the records by the size of their class; and the classes."""
        import numpy as np

        from schleier.kernels.classes.uniqueness import entropy

        weight, unweighted = weight_of(data)
        classes = data.classes(Request(keys=keys, missing=self.missing, weight=weight))
        sizes = classes.of(classes.sizes, self.missing, lend=True)
        records = classes.records
        unique = int(classes.sizes[sizes == 1].sum())
        information = entropy(classes.sizes)
        counts = {
            "records": records,
            "classes": len(classes),
            "unique": unique,
            "in_pairs": int(classes.sizes[sizes == 2].sum()),
            "twins": int((sizes == 2).sum()),
            "smallest": int(sizes.min()) if len(classes) else 0,
            "share": unique / records if records else 0.0,
            "average": float((classes.sizes / sizes).sum()) / records if records else 0.0,
            "entropy": information,
            "entropy_share": information / float(np.log(records)) if records > 1 else 0.0,
        }
        if (share := weighted_share(classes, sizes == 1)) is not None:
            counts["weighted_share"] = share
        place = np.searchsorted(list(BINS.values()), sizes, side="right") - 1
        binned = [int(classes.sizes[place == i].sum()) for i in range(len(BINS))]
        return counts, binned, classes, unweighted


def _sentence(detail: Mapping[str, Any], at_most: str = "") -> str:
    after, before, keys, old = (detail[name] for name in ("after", "before", "keys", "keys_before"))
    fewer = "" if keys == old else f", on {len(old)} of them"
    return (
        f"{after['unique']} of {after['records']} records ({after['share']:.2%}) are unique on "
        f"{counted(len(keys), 'known column')}; before it was {at_most}{before['share']:.2%}{fewer}."
    )


def _columns(classes: Classes) -> dict[str, dict[str, float]]:
    """What each key tells by itself, and what it adds to all the others (both as entropy)."""
    told = classes.information
    return {key: {"entropy": told.single[j], "adds": told.adds[j]} for j, key in enumerate(classes.keys)}
