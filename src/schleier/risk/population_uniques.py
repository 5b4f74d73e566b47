"""How many records are the only ones of their kind in the whole population, by every model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.classes.records import by_class as to_records
from schleier.core.measure import Case, Finding
from schleier.risk._original import estimated_before
from schleier.risk._sample import SampledFile, SampledMeasure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.classes import Classes
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.population.models import Model, UniqueCount

CLUSTERED = 5.0
"""Records of a unit, on average, up to which whole units may have been drawn: households have fewer."""
LIMITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9, 1.0)
"""Upper ends of the chances that are counted together."""


@dataclass(frozen=True)
class ModelAnswers:
    """A file, and what the models say of it."""

    classes: Classes
    sample: SampledFile
    models: dict[Model, UniqueCount]
    taken: UniqueCount
    """What the chosen model says, or a higher one that contradicts it."""
    chances: NDArray[np.float64]
    """Chance of each class to have one member in the population, by the model that was taken."""
    clustered: bool = False
    """Whether units have more records than those the intervals were learned from."""

    @property
    def unique(self) -> int:
        """Records that are unique in the file."""
        return int((self.classes.sizes == 1).sum())


class PopulationUniques(SampledMeasure):
    """Share of records that are unique in the population, estimated from a sample by several models.

    >>> PopulationUniques(fraction=0.01).model
    'margins'
    """

    reference: ClassVar[str] = (
        "Bethlehem, Keller and Pannekoek (1990); Müller et al. (1991), 4.2.3; Zayatz (1991); Chen and Keller-McNulty "
        "(1998); Hoshino (2001); Dankar et al. (2012); Chow and Liu (1968)"
    )
    example: ClassVar[dict[str, object]] = {"keys": ["sex", "age", "region"]}

    missing: Literal["category", "exclude"] = "category"
    """A missing key is a value of its own (category), or leaves its row out (exclude)."""
    model: Literal["margins", "dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma"] = "margins"
    """Whose estimate is the finding, unless another contradicts it and is higher; the others stand beside it."""
    cells: int | None = Field(default=None, ge=1)
    """Number of possible combinations of the keys, if known, for the Poisson-gamma model: equations (1) to (3)."""
    published: bool = False
    """Whether the Poisson-gamma model tells W(Up|Us) as the book of 1991 prints it: a product, which is too low."""

    def measure(self, case: Case, run: Run) -> Finding:
        """Ask every model before and after."""
        after = self._found(case.released)
        same = case.released is case.original
        before = after if same else self._before(case.original, after.classes.keys)
        run.keep_by_record(lambda: to_records(case.released, after.classes, {"population_unique": after.chances}))
        models = {name: self._told(after, one) for name, one in after.models.items()}
        main, records = self._told(after, after.taken), after.sample.records
        detail: dict[str, Any] = {
            "keys": list(after.classes.keys),
            "model": self.model,
            "records": records,
            "persons": after.sample.persons,
            "fraction": after.sample.fraction,
            "unique": after.unique,
            "n": after.unique,
            "unique_share": after.unique / records if records else 0.0,
            **{name: main[name] for name in ("expected", "expected_high", "in_population", "given_unique")},
            **self._weighted(after),
            "models": models,
            "chances": {"limits": list(LIMITS), "records": _spread(after)},
            "before": None if before is None else self._told(before, before.taken),
            "cautions": self._cautions(after, before),
        }
        return Finding(
            name=self.word(),
            value=main["share"],
            low=main["low"],
            high=main["high"],
            better=self.better,
            text=_text(detail, main),
            detail=detail,
        )

    def _before(self, original: Dataset, keys: tuple[str, ...]) -> ModelAnswers | None:
        """The original, unless it lacks a key or nothing tells how large its population is."""
        same = self.model_copy(update={"keys": keys})
        return estimated_before(same, original, same._found)

    def _found(self, data: Dataset) -> ModelAnswers:
        from schleier.kernels.population.models import chances_by_class, count_by_models, highest

        sample = self.sample(data)
        classes = data.classes(self.request(data.schema, weight=sample.weight))
        models = count_by_models(classes.codes, classes.sizes, sample.fraction, cells=self.cells)
        taken = highest(models, self.model)
        counted = sample.fraction >= 1 or taken.low == taken.high
        clustered = not counted and _by_unit(data, classes.records) > CLUSTERED
        return ModelAnswers(classes, sample, models, taken, chances_by_class(taken, classes.sizes), clustered)

    def _told(self, found: ModelAnswers, one: UniqueCount) -> dict[str, Any]:
        """What one model says; what cannot be estimated is not taken for safe: all uniques count."""
        from schleier.kernels.population.composition import certainty

        records, fails = found.classes.records, "not_fitted" in one.doubts
        expected = float(found.unique) if fails else one.expected
        share, unique = (number / records if records else 0.0 for number in (expected, found.unique))
        counted = found.sample.fraction >= 1 or not found.unique
        printed = self.published and one.model == "poisson_gamma"
        return {
            "share": share,
            "low": None if counted else one.low / records,
            "high": None if counted else one.high / records,
            "expected": expected,
            "expected_low": one.low,
            "expected_high": one.high,
            "in_population": share * found.sample.persons,
            "given_unique": certainty(share, unique, published=printed),
            "trusted": not one.doubts,
            "doubts": list(one.doubts),
            "used": one.used or one.model,
        }

    def _weighted(self, found: ModelAnswers) -> dict[str, float]:
        """The same with the weights: how many persons the records stand for that are unique in the population."""
        from schleier.kernels.population.models import chances_by_class

        persons = found.sample.stand_for(found.classes, self.missing)
        if persons is None:
            return {}
        total = float(persons.sum())
        each = chances_by_class(found.taken, found.classes.sizes, persons)
        many = float((each * persons).sum())
        return {"weighted_share": many / total if total else 0.0, "weighted_in_population": many}

    def _cautions(self, after: ModelAnswers, before: ModelAnswers | None) -> list[str]:
        printed = self.published and self.model == "poisson_gamma"
        lost = ["no_before"] if before is None else []
        clustered = ["clustered"] if after.clustered else []
        return [*after.taken.doubts, *clustered, *(["published"] if printed else []), *lost]


def _by_unit(data: Dataset, records: int) -> float:
    """Records of a unit, on average; 1 where there are none."""
    from schleier.core.classes.request import Request

    units = data.schema.having("unit")
    return records / max(len(data.classes(Request(units[:1]))), 1) if units else 1.0


def _spread(found: ModelAnswers) -> list[int]:
    """Records that are unique in the file, by their chance to be unique in the population."""
    import numpy as np

    each = found.chances[found.classes.sizes == 1]
    return [int(n) for n in np.bincount(np.searchsorted(LIMITS[:-1], each), minlength=len(LIMITS))]


def _text(detail: dict[str, Any], main: dict[str, Any]) -> str:
    about = f"{main['share']:.2%} of {detail['records']} records"
    if main["low"] is None:
        return f"{about} are unique in the population, which is counted."
    doubt = "" if main["trusted"] else "; the model is not to be trusted here"
    if "disagree" in main["doubts"]:
        doubt = f", contradicted by {main['used']}, which says more and is taken"
    return (
        f"About {about} are unique in the population ({main['low']:.2%} to {main['high']:.2%}, model "
        f"{detail['model']}{doubt}); {detail['unique_share']:.2%} are unique in the file."
    )
