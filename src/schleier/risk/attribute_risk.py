"""What somebody who knows the class of a person learns about sensitive values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.classes.request import Request
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Section
from schleier.core.schema import Schema
from schleier.core.sensitive import sensitive_problems
from schleier.risk._keys import KeysMeasure
from schleier.risk._original import estimated_before, known_columns
from schleier.risk._weights import cautions, weight_of, weighted_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.classes.histogram import Histogram
    from schleier.core.data import Dataset
    from schleier.core.run import Run

ENDS = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
"""Upper ends of the bins in which the chance of a record's own value is shown."""


class AttributeRisk(KeysMeasure):
    """How much better a sensitive value is guessed from the class than without any knowledge, for the worst column.

    >>> AttributeRisk(sensitive=["disease"]).sensitive
    ('disease',)
    """

    reference: ClassVar[str] = "Machanavajjhala et al. (2007), homogeneity attack; Li, Li, Venkatasubramanian (2007)"
    section: ClassVar[Section] = "classes"
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "schooling"], "sensitive": ["disease", "income"]}

    sensitive: tuple[str, ...] = ()
    """Sensitive columns to look at; all with the role "sensitive" when empty."""
    gaps: Literal["value", "ignore"] = "value"
    """A missing sensitive value is a value of its own (value), or its row is not counted (ignore)."""
    within: float = Field(default=0.05, gt=0, lt=1)
    """An amount is learned approximately when one guess is within this share of every amount of the class."""

    def columns(self, schema: Schema) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(dict.fromkeys(self.sensitive)) or schema.having("sensitive")

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys and the sensitive columns."""
        return tuple(dict.fromkeys((*super().uses(schema), *self.columns(schema))))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be sensitive columns, and none of them may be a key."""
        yield from super().problems(schema)
        yield from sensitive_problems(self.columns(schema), self.keys or schema.quasi)

    def measure(self, case: Case, run: Run) -> Finding:
        """Guess the most frequent value of each class, before and after."""
        schema = case.released.schema
        keys, columns = self.keys or schema.quasi, self.columns(schema)
        after, unweighted = self._looked(case.released, keys, columns)
        before: dict[str, dict[str, Any]] | None = after
        if case.original is not case.released:
            old = case.original.schema
            same = self.model_copy(update={"keys": keys, "sensitive": known_columns(columns, old)})
            before = estimated_before(same, case.original, lambda data: same._looked(data, keys, same.sensitive)[0])
        worst = max(after, key=lambda name: after[name]["gain"])
        told = after[worst]
        surest = max(after, key=lambda name: after[name]["sure"])
        detail: dict[str, Any] = {
            "keys": list(keys),
            "column": worst,
            "hits": told["hits"],
            "blind": told["blind"],
            "sure_column": surest,
            "sure": after[surest]["sure"],
            "before": before,
            "after": after,
            **cautions({"weights": unweighted}),
        }
        text = (
            f"Who knows the class of a record guesses {worst} right for {told['hits']:.2%} of the records, without "
            f"that knowledge for {told['blind']:.2%}; {surest} is known for sure for {detail['sure']:.2%}."
        )
        return Finding(name=self.word(), value=told["gain"], better=self.better, text=text, detail=detail)

    def _looked(
        self, data: Dataset, keys: tuple[str, ...], columns: tuple[str, ...]
    ) -> tuple[dict[str, dict[str, Any]], bool]:
        """What is learned about each column, and whether its weights cannot be used."""
        weight, unweighted = weight_of(data)
        classes = data.classes(Request(keys=keys, sensitive=columns, missing=self.missing, weight=weight))
        return {name: self._learned(classes, name, data.schema) for name in columns}, unweighted

    def _learned(self, classes: Classes, name: str, schema: Schema) -> dict[str, Any]:
        import numpy as np

        from schleier.kernels.inference.guesses import best_guess, gain
        from schleier.kernels.spread.diversity import distinct

        own, seen = classes.histograms[name].recounted(), classes.histogram(name, self.missing, lend=True)
        if self.gaps == "ignore":
            own, seen = own.without_gaps(), seen.without_gaps()
        size = len(classes)
        here, alike = _rows(own, size), _rows(seen, size)
        records = int(here.sum())
        # Under "wildcard" a record could be any of all compatible ones: the guess is right for so many of those.
        shares = _own_chances(own, seen, alike)
        hits = float((here * best_guess(seen.classes, seen.counts, size) / np.maximum(alike, 1)).sum())
        known = _rows(seen.without_gaps(), size) > 0  # that nobody of a class has a value tells no value
        sure = (distinct(seen.classes, size) == 1) & (here > 0) & known
        hit, blind = (hits / records, int(own.totals.max(initial=0)) / records) if records else (0.0, 0.0)
        place = np.minimum(np.searchsorted(np.array(ENDS) + 1e-9, shares), len(ENDS) - 1)
        found: dict[str, Any] = {
            "records": records,
            "hits": hit,
            "blind": blind,
            "gain": max(gain(hit, blind), 0.0),
            "sure": _part(here[sure], records),
            "sure_not_unique": _part(here[sure & (alike > 1)], records),
            "homogeneous": int(sure.sum()),
            "chances": {"up_to": list(ENDS), "records": np.bincount(place, own.counts, len(ENDS)).astype(int).tolist()},
        }
        if classes.weights is not None:
            counted = here / np.maximum(classes.sizes, 1)  # of a class with gaps the part that is looked at
            whole = weighted_share(classes, counted)
            found["weighted_sure"] = (weighted_share(classes, sure * counted) or 0.0) / whole if whole else 0.0
        if schema[name].numeric:
            found["close"] = self._close(seen.without_gaps(), here, size, records)
        return found

    def _close(self, seen: Histogram, here: NDArray[np.int64], size: int, records: int) -> float:
        """Share of records in classes whose amounts are all within reach of one guess."""
        import pyarrow as pa

        from schleier.kernels.inference.guesses import within_reach

        values = seen.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return _part(here[within_reach(seen.classes, values[seen.codes], size, self.within)], records)


def _rows(spread: Histogram, size: int) -> NDArray[np.int64]:
    from schleier.kernels.spread.diversity import rows

    return rows(spread.classes, spread.counts, size)


def _own_chances(own: Histogram, seen: Histogram, alike: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each entry of the classes' own values, its share among all values the class could have."""
    import numpy as np

    if len(own.classes) == len(seen.classes):  # every own entry is among those seen, in the same order
        counts = seen.counts
    else:
        width = int(seen.codes.max()) + 2
        pairs, wanted = (each.classes * width + each.codes + 1 for each in (seen, own))
        counts = seen.counts[np.searchsorted(pairs, wanted)]
    result: NDArray[np.float64] = counts / np.maximum(alike, 1)[own.classes]
    return result


def _part(records: NDArray[np.int64], whole: int) -> float:
    return float(records.sum()) / whole if whole else 0.0
