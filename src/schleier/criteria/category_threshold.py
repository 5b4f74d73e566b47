"""Every category of some columns has enough cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Missing, Request
from schleier.core.criterion import Verdict, ranked, stricter
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.criteria._counting import RANKS, CountingCriterion
from schleier.criteria._keys import AdditiveCriterion, persons, verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CategoryThreshold(AdditiveCriterion, CountingCriterion):
    """Every category that is shown stands for at least so many cases, in each column for itself.

    >>> CategoryThreshold(columns=["region"], threshold=500).threshold
    500
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), thresholds of factual anonymity"
    example: ClassVar[dict[str, object]] = {"columns": ["sex", "region"], "threshold": 2}

    columns: tuple[str, ...] = Field(min_length=1)
    """The columns; each is looked at for itself."""
    threshold: int = stricter("higher", ge=2)
    """Smallest number of records (or of persons) allowed in a category."""
    count: Literal["records", "units", "weights", "population"] | None = ranked(RANKS)
    """Count records, count different units (households, patients), add up weights (which estimates persons and is
    reported so), or count the persons of the population table. Left out, units are counted where the released table
    has them, else records."""
    missing: Missing = Field(default="category")
    """A missing value is a category of its own (category), may be any (wildcard), or leaves its row out (exclude)."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns."""
        return tuple(dict.fromkeys(self.columns))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be units or weights when they are counted."""
        yield from super().problems(schema)
        if self.count == "weights" and not schema.having("weight"):
            hint = 'give one column the role "weight", or count records'
            yield Problem("no-weight", "count", "there is no weight column", hint)

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per column."""
        weight = schema.having("weight")[0] if self.count == "weights" else None
        people = ("population",) if self.count == "population" else ()
        wanted = replace(self.request(schema, self.missing), weight=weight, populations=people)
        return tuple(replace(wanted, keys=(name,)) for name in self.uses(schema))

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Categories with too few cases."""
        result: NDArray[np.bool_] = self._cases(classes) < self.threshold
        return result

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The rarest category of any column decides."""
        found = [(float(self._cases(classes).min()), classes.keys[0]) for classes in tables if len(classes)]
        level, column = min(found, default=(0.0, ""))
        by_units = self.tells_units(tables)
        who = {
            "weights": f"{level:,.10g} persons (estimated from weights)",
            "population": f"{persons(level)} in the population",
        }.get(self.count or "", persons(level, "unit" if by_units else "record"))
        text = f"The rarest category of '{column}' has {who}; at least {self.threshold:,} are required"
        bad = [self.bad(classes) for classes in tables]
        return verdict(self, tables, bad, level, text, estimate=self.count == "weights", units=by_units)

    def _cases(self, classes: Classes) -> NDArray[np.float64]:
        if self.count == "population":
            return classes.persons("population", self.missing)
        if self.count == "weights":
            return classes.of(_weights(classes), self.missing)
        return self.alike(classes, self.missing).astype("float64")


def _weights(classes: Classes) -> NDArray[np.float64]:
    if classes.weights is None:  # counting records instead would be another, weaker criterion
        raise ValueError("the class table has no weights")
    return classes.weights
