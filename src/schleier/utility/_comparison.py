"""What measures share that compute the same statistics from both files: weights, subgroups, what may be told."""

from __future__ import annotations

import math
import statistics
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.amount import enough, farthest, rarest, settle, settle_all
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema
from schleier.utility._parts import Part, paired_parts, part_of, subgroups

if TYPE_CHECKING:
    from schleier.core.run import Run


NOTHING = 1e-12
"""A distance below this is what rounding of the computer left over."""


@dataclass(frozen=True)
class ComparisonOutcome:
    """What a comparison of two files, or of two subgroups, came to."""

    value: float | None
    """The figure of the finding; none when there is nothing to compare."""
    detail: dict[str, Any] = field(default_factory=dict)
    """For the report: distances without their sign, rounded."""
    audit: dict[str, Any] = field(default_factory=dict)
    """For the audit: statistics of the original, signed differences."""


class Comparison(Measure):
    """Computes the same from both files, for all records and for subgroups."""

    kind: ClassVar[Literal["risk", "utility"]] = "utility"
    paired: ClassVar[bool] = False
    """Whether records are compared one by one; otherwise each file by itself."""

    columns: tuple[str, ...] = ()
    """Numeric columns to compare; all that are in the release when empty, weights left out."""
    weighted: bool = False
    """Whether to weigh the records, each file with its own weight column (1 where it has none)."""
    by: tuple[str, ...] = ()
    """Columns whose combinations are subgroups: each is compared as well, and the largest distance reported."""
    least: int = Field(default=10, ge=2)
    """Subgroups with fewer records in one of the files are left out."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns, and those that make subgroups."""
        return tuple(dict.fromkeys((*self._wanted(schema), *self.by)))

    def _wanted(self, schema: Schema) -> tuple[str, ...]:
        return self.columns or tuple(c.name for c in schema if c.numeric and c.role != "weight")

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Columns must be numeric in the release, and there must be weights to weigh with."""
        yield from super().problems(schema)
        for name in self._numeric():
            if name in schema and not schema[name].numeric:
                message = f"column '{name}' is {schema[name].scale} in the release: one cannot compute with it"
                yield Problem("not-numeric", "columns", message, "leave it out")
        if self.weighted and not schema.having("weight"):
            hint = 'give one column the role "weight", or leave weighted out'
            yield Problem("no-weight", "weighted", "the release has no weight column", hint)

    def _numeric(self) -> tuple[str, ...]:
        """Parameters that must name numeric columns."""
        return self.columns

    def numbers(self, case: Case) -> tuple[str, ...]:
        """The columns that are numeric in both files."""
        old, new = case.original.schema, case.released.schema
        both = [n for n in self._wanted(new) if n in old and n in new]
        return tuple(n for n in both if old[n].numeric and new[n].numeric)

    def words(self, case: Case) -> tuple[str, ...]:
        """The columns that are compared as words."""
        return ()

    @abstractmethod
    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """Compare two files, or two subgroups."""

    @abstractmethod
    def said(self, outcome: ComparisonOutcome) -> str:
        """The finding in one sentence."""

    def measure(self, case: Case, run: Run) -> Finding:
        """Compare the files, then their subgroups; statistics of the original go to the audit."""
        old, new = self._parts(case, self._by(case))
        outcome = self.compared(old, new)
        detail, audit = dict(outcome.detail), dict(outcome.audit)
        if self.by:
            groups, left_out = self._groups(case, old, new)
            found = [self.compared(before, after) for before, after in groups]
            detail["by"] = self._subgroups([one.value for one in found], left_out)
            audit["subgroups"] = [one.audit for one in found]
        run.note("restricted", measure=self.word(), **audit)
        return self._finding(replace(outcome, detail=detail))

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """The same from what the release shows, on grids that hide every unit; columns of too few are left out."""
        if case.original is case.released:
            return exact
        case = case.shown()
        old, new = self._parts(case, self._by(case))
        outcome, withheld = self._settled(old, new)
        detail = outcome.detail | {"withheld": withheld}
        if self.by:
            groups, left_out = self._groups(case, old, new)
            values = [self._settled(before, after)[0].value for before, after in groups]
            told = self._subgroups(values, left_out + values.count(None))
            detail["by"] = told | {"median": settle(told["median"], ())}
        if outcome.value is None and exact.detail.get("compared", 1):
            return None
        return self._finding(replace(outcome, detail=detail))

    def _settled(self, old: Part, new: Part) -> tuple[ComparisonOutcome, list[str]]:
        names = [*old.numbers, *old.words]
        told = [n for n in names if n in old.words or enough(old.numbers[n], old.units, old.weights)]
        old, new = old.of(told), new.of(told)
        outcome = self.compared(old, new)
        without = [self.compared(*self._without(old, new, unit)) for unit in conspicuous(old)]
        value = settle(outcome.value, [one.value for one in without])
        detail = settle_all(outcome.detail, [one.detail for one in without])
        return ComparisonOutcome(value, detail), [n for n in names if n not in told]

    def _without(self, old: Part, new: Part, unit: int) -> tuple[Part, Part]:
        import numpy as np

        rows = np.flatnonzero(old.units != unit)
        return old.at(rows), new.at(rows) if self.paired else new

    def _by(self, case: Case) -> tuple[str, ...]:
        return self.by if all(n in case.original.schema and n in case.released.schema for n in self.by) else ()

    def _groups(self, case: Case, old: Part, new: Part) -> tuple[list[tuple[Part, Part]], int]:
        return subgroups(old, new, self.least) if self._by(case) else ([], 0)

    def _subgroups(self, values: list[float | None], left_out: int) -> dict[str, Any]:
        known = [value for value in values if value is not None]
        worst = (max if self.better == "lower" else min)(known, default=None)
        middle = statistics.median(known) if known else None
        found = {"columns": list(self.by), "groups": len(known), "left_out": left_out}
        return found | {"worst": rounded(worst), "median": rounded(middle)}

    def _finding(self, outcome: ComparisonOutcome) -> Finding:
        detail = outcome.detail | ({"weighted": True} if self.weighted else {})
        value = 0.0 if outcome.value is None else rounded(outcome.value) or 0.0
        text = self.said(outcome) + self._grouped(detail)
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)

    def _parts(self, case: Case, by: tuple[str, ...]) -> tuple[Part, Part]:
        numbers, words = self.numbers(case), self.words(case)
        if self.paired:
            return paired_parts(case, numbers, by, weighted=self.weighted)
        before = part_of(case.original, numbers, words, by, weighted=self.weighted)
        return before, part_of(case.released, numbers, words, by, weighted=self.weighted)

    @staticmethod
    def _grouped(detail: Mapping[str, Any]) -> str:
        by = detail.get("by")
        if not by:
            return ""
        if not by["groups"]:
            return " No subgroup could be compared."
        return f" In the worst of {by['groups']} subgroups it is {by['worst']:.3g}."


def conspicuous(part: Part) -> list[int]:
    """The units that are left out in turn: of each column those with the farthest numbers or the rarest words."""
    found = [farthest(values, part.units, part.weights) for values in part.numbers.values()]
    found += [rarest(words, part.units) for words in part.words.values()]
    return sorted({unit for units in found for unit in units})


def rounded(value: float | None) -> float | None:
    """A distance without its sign, to three digits: enough for an analyst, too little to compute back.

    >>> rounded(-0.123456), rounded(float("nan"))
    (0.123, None)
    """
    if value is None or not math.isfinite(value):
        return None
    return float(f"{abs(value):.3g}") if abs(value) > NOTHING else 0.0


def finite_or_none(value: float) -> float | None:
    """A number for the audit; none when it is none."""
    return float(value) if math.isfinite(value) else None


def relative(old: float, new: float) -> float:
    """The signed error as a share of the original (U1-U4); NaN where that is zero and the other is not."""
    if old == new:
        return 0.0
    return (new - old) / abs(old) if old else math.nan
