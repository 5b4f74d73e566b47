"""Unique records far from all others: a little error or coarsening does not hide them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from schleier.core.classes.request import Request
from schleier.core.measure import Case, Finding
from schleier.risk._keys import KeysMeasure
from schleier.risk._original import known_columns
from schleier.risk._weights import cautions, weight_of, weighted_share

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

BINS = {"0": 0, "1": 1, "2-4": 2, "5-9": 5, "10-19": 10, "20-49": 20, "50+": 50}
"""Neighbours of unique records as the report shows them, each with its smallest number."""


class LocalDensity(KeysMeasure):
    """Share of records that are unique and have few neighbours: records that differ from them in a single key.

    >>> LocalDensity(few=3).few
    3
    """

    reference: ClassVar[str] = (
        "Müller, Blien, Knoche, Wirth et al. (1991), 4.2.1 (L6945-6953: outliers among the unique)"
    )
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age", "region"]}
    counts_before: ClassVar[bool] = True

    few: int = Field(default=1, ge=1)
    """Fewer neighbours than this make a unique record isolated; 1 means that it has none."""
    missing: Literal["category", "exclude"] = "category"
    """A missing key is a value of its own (category), or leaves its row out (exclude)."""

    def measure(self, case: Case, run: Run) -> Finding:
        """Count the records around each unique one, from the classes alone."""
        import numpy as np

        from schleier.core.classes.records import by_class
        from schleier.kernels.classes.isolation import count_neighbours

        data = case.released
        weight, unweighted = weight_of(data)
        classes = data.classes(self.request(data.schema, weight=weight))
        around, alone = count_neighbours(classes.codes, classes.sizes), classes.sizes == 1
        isolated, records = alone & (around < self.few), classes.records
        value = float(isolated.sum()) / records if records else 0.0
        place = np.searchsorted(list(BINS.values()), around[alone], side="right") - 1
        binned = np.bincount(place, minlength=len(BINS))
        detail = {
            "keys": list(classes.keys),
            "records": records,
            "unique": int(alone.sum()),
            "unique_share": float(alone.sum()) / records if records else 0.0,
            "isolated": int(isolated.sum()),
            "weighted_share": weighted_share(classes, isolated),
            "few": self.few,
            "before": self._before(case.original, classes.keys),
            "neighbours": {"bins": list(BINS), "unique": [int(n) for n in binned]},
            **cautions({"weights": unweighted}),
        }
        each = {"neighbours": around.astype(np.float64), "isolated": isolated.astype(np.float64)}
        run.keep_by_record(lambda: by_class(data, classes, each))
        text = (
            f"{detail['isolated']} of {records} records ({value:.2%}) are unique and have fewer than {self.few} "
            f"neighbours that differ in one key only; {detail['unique']} are unique."
        )
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)

    def _before(self, data: Dataset, keys: tuple[str, ...]) -> float | None:
        """The same share in the original, where it has the keys."""
        from schleier.kernels.classes.isolation import count_neighbours

        if known_columns(keys, data.schema) != keys:
            return None
        classes = data.classes(Request(keys=keys, missing=self.missing))
        few = (classes.sizes == 1) & (count_neighbours(classes.codes, classes.sizes) < self.few)
        return float(few.sum()) / classes.records if classes.records else 0.0
