"""Few records are the only ones of their kind in the whole population."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.criterion import Verdict, stricter
from schleier.core.errors import Problem
from schleier.core.request import Request
from schleier.core.schema import Schema
from schleier.criteria.keyed import KeyedCriterion
from schleier.kernels.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Found:
    """The estimate for one combination of keys."""

    share: float
    low: float | None
    high: float | None
    fraction: float
    model: str
    success: bool
    reason: str


class PopulationUniqueness(KeyedCriterion):
    """The share of records that are unique in the population, estimated from a sample, is small.

    >>> PopulationUniqueness(threshold=0.01, fraction=0.05).model
    'dankar'
    """

    reference: ClassVar[str] = "Dankar, El Emam, Neisa and Roffey (2012); Hoshino (2001); Bethlehem et al. (1990)"
    example: ClassVar[dict[str, object]] = {"threshold": 0.05, "fraction": 0.1, "keys": [["sex"]]}

    threshold: float = stricter("lower", gt=0, lt=1)
    """Largest share allowed."""
    fraction: float | None = Field(default=None, gt=0, le=1)
    """Part of the population that the file holds; without it, records divided by the sum of the weights."""
    among: Literal["records", "uniques"] = "records"
    """Share among all records (the same as in the population), or among those that are unique in the file."""
    model: Literal["dankar", "pitman", "zayatz", "slide_negative_binomial", "poisson_gamma"] = "dankar"
    """How to estimate; the rule of Dankar et al. chooses by the sampling fraction."""
    confident: bool = stricter("higher", False)
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
        return tuple(Request(keys=keys, weight=weight, missing=self.missing) for keys in self.combinations(schema))

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """No class fails by itself: only the whole table does."""
        import numpy as np

        return np.zeros(len(classes), dtype=np.bool_)

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The worst combination decides; what cannot be estimated fails."""
        tables = [classes for classes in tables if len(classes)] or tables
        found = [self._found(classes) for classes in tables if len(classes)]
        if not found:
            return self.verdict(tables, [classes.sizes == 1 for classes in tables], None, "")
        fails = [not each.success or self._decisive(each) > self.threshold + TINY for each in found]
        # Where the share is too high, or unknown, the records that are alone in the sample are the ones at risk.
        risky = [(classes.sizes == 1) & fail for classes, fail in zip(tables, fails, strict=True)]
        one = max(found, key=lambda each: (not each.success, self._decisive(each)))
        verdict = self.verdict(
            tables,
            risky,
            round(one.share, 9) if one.success else None,
            "",
            holds=not any(fails),
            low=None if one.low is None else round(one.low, 9),
            high=None if one.high is None else round(one.high, 9),
            estimate=one.model not in ("counted", "none alone"),
        )
        return verdict.model_copy(update={"text": self._text(one)})

    def _found(self, classes: Classes) -> Found:
        from schleier.kernels.population_uniques import estimate, frequencies

        fraction = self._sampled(classes)
        sizes, counts = frequencies(classes.sizes)
        found = estimate(sizes, counts, fraction, self.model)
        alone = float(counts[sizes == 1].sum())
        if not alone:  # certain for the records of the file, whatever the population looks like
            return Found(0.0, None, None, fraction, "none alone", True, "")
        per = classes.records / alone if self.among == "uniques" else 1.0
        low, high = (None if end is None else min(end * per, 1.0) for end in (found.low, found.high))
        share = min(found.share * per, 1.0) if found.success else 0.0
        return Found(share, low, high, fraction, found.model, found.success, found.reason)

    def _sampled(self, classes: Classes) -> float:
        """The sampling fraction; weights that stand for fewer people than there are records count as 1 each."""
        if self.fraction is not None:
            return self.fraction
        if classes.weights is None:
            raise ValueError("the class table has no weights")
        return min(classes.records / max(float(classes.weights.sum()), 1.0), 1.0)

    def _decisive(self, found: Found) -> float:
        return found.high if self.confident and found.high is not None else found.share

    def _text(self, found: Found) -> str:
        who = "the records" if self.among == "records" else "the records that are unique in the file"
        allowed = f"at most {_percent(self.threshold)} is allowed"
        if not found.success:
            return f"How many of {who} are unique in the population cannot be estimated: {found.reason}; {allowed}."
        if found.model == "none alone":
            return f"No record is unique in the file, so none of them is unique in the population; {allowed}."
        if found.model == "counted":
            return f"{_percent(found.share)} of {who} are unique in the population; {allowed}."
        about = f"sampling fraction {found.fraction:.4g}, model {found.model}"
        if found.low is not None and found.high is not None:
            about = f"95 % interval {_percent(found.low)} to {_percent(found.high)}, {about}"
        text = f"About {_percent(found.share)} of {who} are unique in the population ({about}); {allowed}"
        strict = ", by the upper end of the interval" if self.confident else ""
        return f"{text}{strict}{f'. Mind that {found.reason}' if found.reason else ''}."


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
