"""Few records are the only ones of their kind in the whole population."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Verdict, stricter
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.criteria._counting import RecordCriterion
from schleier.criteria._keys import KeysCriterion
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.kernels.population.models import Model, UniqueCount


QUICK: Final = "dankar"
"""The model that is asked first where its lower end may do: it takes little time, and its interval is narrow."""
DOUBTS = {
    "not_fitted": "the model cannot be fitted to this file, so every record that is unique in it counts; "
    'model = "margins" may do better',
    "off": "on known populations this model was wrong by more than a factor of two for so small a sample; "
    'model = "margins" is better there',
    "few": "very few records are unique in the file, so that the estimate may be far off",
    "one_key": "with a single key this model knows little",
    "small_fraction": "the sample is smaller than those the models were tried on (3 in 1,000 of the population)",
    "large_fraction": "the sample is larger than those the models were tried on (60 % of the population)",
    "disagree": "the models contradict each other by more than their intervals; the higher estimate is taken",
}
"""Why an estimate is not to be trusted."""


@dataclass(frozen=True)
class KeyEstimate:
    """The estimate for one combination of keys."""

    share: float
    low: float | None = None
    high: float | None = None
    """95 % interval; nothing where the share is counted."""
    fraction: float = 1.0
    model: str = ""
    doubts: tuple[str, ...] = ()


class PopulationUniqueness(RecordCriterion, KeysCriterion):
    """The share of records (or of units) that are unique in the population, estimated from a sample, is small.

    >>> PopulationUniqueness(threshold=0.01, fraction=0.05).model
    'margins'
    """

    reference: ClassVar[str] = (
        "Bethlehem, Keller and Pannekoek (1990); Zayatz (1991); Chen and Keller-McNulty (1998); Hoshino (2001); "
        "Dankar et al. (2012); Chow and Liu (1968)"
    )
    example: ClassVar[dict[str, object]] = {"threshold": 0.05, "fraction": 0.1, "keys": [["sex"]]}

    threshold: float = stricter("lower", gt=0, lt=1)
    """Largest share allowed."""
    fraction: float | None = Field(default=None, gt=0, le=1)
    """Part of the population that the file holds; without it, records divided by the sum of the weights."""
    among: Literal["records", "uniques"] = "records"
    """Share among all records (the same as in the population), or among those that are unique in the file."""
    model: Literal["margins", "dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma"] = "margins"
    """How to estimate; margins looks at the values of the keys, all others only at the sizes of classes."""
    confident: bool = stricter("higher", True)
    """Whether the upper end of the 95 % interval must be small enough, not only the estimate."""
    missing: Literal["category", "exclude"] = "category"
    """A missing key is a value of its own (category), or leaves its row out (exclude)."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The sampling fraction must be known."""
        yield from super().problems(schema)
        if self.fraction is None and not schema.having("weight"):
            hint = 'set fraction (1 for a full enumeration), or give one column the role "weight"'
            yield Problem("no-fraction", "fraction", "nothing says what part of the population the file holds", hint)

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys, with weights when they tell the sampling fraction."""
        weight = schema.having("weight")[0] if self.fraction is None else None
        unit = self.unit(schema)
        request = Request((), weight=weight, missing=self.missing, units=unit, members=unit is not None)
        return tuple(replace(request, keys=keys) for keys in self.combinations(schema))

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """No class fails by itself: only the whole table does."""
        import numpy as np

        return np.zeros(len(classes), dtype=np.bool_)

    @property
    def of_table(self) -> bool:
        """The share decides."""
        return True

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The worst combination decides; where a model cannot be fitted, every record unique in the file counts."""
        tables = [classes for classes in tables if len(classes)] or tables
        found = [self._found(classes) for classes in tables if len(classes)]
        if not found:
            return self.verdict(tables, [classes.sizes == 1 for classes in tables], None, "")
        by_units = self.tells_units(tables)
        fails = [self._fails(self._decisive(each)) for each in found]
        # Where the share is too high, the records that are alone in the sample are the ones at risk.
        risky = [(self._alike(classes) == 1) & fail for classes, fail in zip(tables, fails, strict=True)]
        one = max(found, key=self._decisive)
        verdict = self.verdict(
            tables,
            risky,
            round(one.share, 9),
            "",
            holds=not any(fails),
            low=None if one.low is None else round(one.low, 9),
            high=None if one.high is None else round(one.high, 9),
            estimate=one.high is not None,
            units=by_units,
            doubts=tuple(doubt for doubt in DOUBTS if any(doubt in each.doubts for each in found)),
        )
        return verdict.model_copy(update={"text": self._text(one, verdict.doubts, "units" if by_units else "records")})

    def met(self, tables: Sequence[Classes]) -> bool:
        """The same, with no more models than it takes to be certain."""
        return all(self._lets_pass(classes) for classes in tables if len(classes))

    def _lets_pass(self, classes: Classes) -> bool:
        """Whether few enough of one table are unique; who is unique in the population is unique in the file.

        Models that take little time are asked first. The others can only be higher than the chosen one; and where the
        lower end of any is too high, so is the upper end of the chosen one, or they contradict each other and the
        higher is taken.
        """
        if not self._fails(self._most(classes)):
            return True
        if self._sampled(classes) >= 1:
            return False
        found: dict[Model, UniqueCount] = {}
        for models in self._in_turn():
            found |= self._counts(classes, models)
            if self.model in found and self._fails(self._decisive(self._told(classes, found))):
                return False
            if self.confident and any(self._fails(one.low / self._of(classes)) for one in found.values()):
                return False
        return True

    def _in_turn(self) -> Iterator[Sequence[Model]]:
        from schleier.kernels.population.models import MODELS

        first: list[Model] = [QUICK, self.model] if self.confident and self.model != QUICK else [self.model]
        for model in first:
            yield [model]
        yield [model for model in MODELS if model not in first]

    def _most(self, classes: Classes) -> float:
        """The share if every record that is unique in the file were so in the population."""
        sizes = self._alike(classes)
        alone = int((sizes == 1).sum())
        return alone / int(sizes.sum()) if self.among == "records" else float(alone > 0)

    def _alike(self, classes: Classes) -> NDArray[np.int64]:
        """How many look alike in each class; rows that nobody is said to stand behind are one."""
        import numpy as np

        return np.maximum(self.alike(classes, self.missing), 1)

    def _of(self, classes: Classes) -> int:
        """What the share is a share of."""
        sizes = self._alike(classes)
        return int(sizes.sum()) if self.among == "records" else int((sizes == 1).sum())

    def _counts(self, classes: Classes, models: Sequence[Model]) -> Mapping[Model, UniqueCount]:
        from schleier.kernels.population.models import count_by_models

        return count_by_models(classes.codes, self._alike(classes), self._sampled(classes), models)

    def _found(self, classes: Classes) -> KeyEstimate:
        from schleier.kernels.population.models import MODELS

        most = self._most(classes)
        if not most or self._sampled(classes) >= 1:
            return KeyEstimate(most)
        return self._told(classes, self._counts(classes, MODELS))

    def _told(self, classes: Classes, counts: Mapping[Model, UniqueCount]) -> KeyEstimate:
        """What the models say together."""
        from schleier.kernels.population.models import highest

        found, of = highest(counts, self.model), self._of(classes)
        share = self._most(classes) if "not_fitted" in found.doubts else found.expected / of
        model: str = self.model
        if found.used not in ("", self.model):
            model = (
                f"{found.used}, which contradicts {model}"
                if "disagree" in found.doubts
                else f"{model}, which takes {found.used} here"
            )
        return KeyEstimate(share, found.low / of, found.high / of, self._sampled(classes), model, found.doubts)

    def _sampled(self, classes: Classes) -> float:
        """The sampling fraction; weights that stand for fewer people than there are records count as 1 each."""
        if self.fraction is not None:
            return self.fraction
        if classes.weights is None:
            raise ValueError("the class table has no weights")
        return min(classes.records / max(float(classes.weights.sum()), 1.0), 1.0)

    def _decisive(self, found: KeyEstimate) -> float:
        return found.high if self.confident and found.high is not None else found.share

    def _fails(self, share: float) -> bool:
        return not share <= self.threshold + TINY  # what is not a number is not small

    def _text(self, found: KeyEstimate, doubts: Sequence[str], counted: str) -> str:
        who = f"the {counted}" if self.among == "records" else f"the {counted} that are unique in the file"
        allowed = f"at most {_percent(self.threshold)} is allowed"
        if found.low is None or found.high is None:
            if not found.share:
                return (
                    f"No {counted[:-1]} is unique in the file, so none of them is unique in the population; {allowed}."
                )
            return f"{_percent(found.share)} of {who} are unique in the population; {allowed}."
        part = f"{found.fraction:.4g}" if self.fraction is not None else f"about 1 in {1 / found.fraction:.0f}"
        about = f"{_percent(found.low)} to {_percent(found.high)}, sampling fraction {part}"
        text = f"About {_percent(found.share)} of {who} are unique in the population (95 % interval {about}, model "
        text += f"{found.model}); {allowed}{', by the upper end of the interval' if self.confident else ''}"
        return ". Mind that ".join([text, *(DOUBTS[doubt] for doubt in doubts)]) + "."


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
