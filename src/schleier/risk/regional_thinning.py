"""What a fine region would do: combinations that are common in the file become single in a place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.risk._sample import SampledMeasure
from schleier.risk._weights import weighted_share

if TYPE_CHECKING:
    from schleier.core.classes import Classes
    from schleier.core.run import Run


class RegionalThinning(SampledMeasure):
    """Share of records whose combination is expected less than once in a place of some size.

    >>> RegionalThinning(inhabitants=100_000, population=16_000_000, keys=["age", "sex"]).inhabitants
    100000
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche, Wirth et al. (1991), 9.3 (L16217-16235), Table 9.14"
    example: ClassVar[dict[str, object]] = {"keys": ["sex"], "inhabitants": 200, "fraction": 0.01}

    inhabitants: int
    """Persons who live in the smallest place that can be told from the release."""
    region: str | None = None
    """The column of places, if the file has it: what is expected is compared with what is found."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys and the column of places."""
        return (*self._keys(schema), *((self.region,) if self.region else ()))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """A place has inhabitants, and there is a key besides it."""
        yield from super().problems(schema)
        if self.inhabitants < 1:
            hint = "say how many persons live in the smallest place that can be told"
            yield Problem("bad-inhabitants", "inhabitants", "a place has at least one inhabitant", hint)
        if self.population is not None and self.inhabitants > self.population:
            message = "a place has more inhabitants than the whole population"
            yield Problem("bad-inhabitants", "inhabitants", message, "check inhabitants and population")
        if not self._keys(schema) and (self.keys or schema.quasi):
            yield Problem("no-keys", "keys", "there is no key besides the region", "name further keys")

    def _keys(self, schema: Schema) -> tuple[str, ...]:
        return tuple(key for key in self.keys or schema.quasi if key != self.region)

    def measure(self, case: Case, run: Run) -> Finding:
        """Spread each combination evenly over all places, as if its persons lived anywhere."""
        from schleier.kernels.classes.thinning import alone_by_place, expected_per_place

        data, sample = case.released, self.sample(case.released)
        whole = self.model_copy(update={"keys": self.uses(data.schema)})
        found = data.classes(whole.request(data.schema, weight=sample.weight))
        classes = found.onto(self._keys(data.schema))[0]
        persons = max(sample.persons, float(self.inhabitants))
        sizes = classes.of(classes.sizes, self.missing, lend=True)
        single = expected_per_place(sizes, self.inhabitants, persons) < 1
        alone = alone_by_place(sizes, self.inhabitants, persons)
        records = classes.records
        value = float(classes.sizes[single].sum()) / records if records else 0.0
        places = persons / self.inhabitants
        detail: dict[str, Any] = {
            "keys": list(classes.keys),
            "records": records,
            "inhabitants": self.inhabitants,
            "places": places,
            "single": int(classes.sizes[single].sum()),
            "weighted_share": weighted_share(classes, single),
            "expected_alone": float((alone * classes.sizes).sum()) / records if records else 0.0,
            "unique_before": _share(classes, sizes == 1),
            "twins": sample.persons / sample.records if sample.records else 0.0,
            "cautions": ["spread"],
        }
        if self.region:
            detail["found_alone"] = _share(found, found.of(found.sizes, self.missing, lend=True) == 1)
        text = (
            f"{value:.2%} of {records} records have a combination of {len(classes.keys)} keys that is expected less "
            f"than once in each of {places:.4g} places of {self.inhabitants} inhabitants; each record stands for about "
            f"{detail['twins']:.4g} persons of the population."
        )
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)


def _share(classes: Classes, which: Any) -> float:
    return float(classes.sizes[which].sum()) / classes.records if classes.records else 0.0
