"""What measures share that compute the same statistics from both files: weights, subgroups, what may be told."""

from __future__ import annotations

import math
import statistics
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

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
        """Compare the files, then their subgroups; the report gets distances without their sign."""
        by = self.by if all(n in case.original.schema and n in case.released.schema for n in self.by) else ()
        old, new = self._parts(case, by)
        outcome = self.compared(old, new)
        detail, audit = dict(outcome.detail), dict(outcome.audit)
        if self.weighted:
            detail["weighted"] = True
        if self.by:
            groups, left_out = subgroups(old, new, self.least) if by else ([], 0)
            found = [self.compared(before, after) for before, after in groups]
            values = [one.value for one in found if one.value is not None]
            worst = (max if self.better == "lower" else min)(values, default=None)
            middle = statistics.median(values) if values else None
            detail["by"] = {"columns": list(self.by), "groups": len(values), "left_out": left_out}
            detail["by"] |= {"worst": rounded(worst), "median": rounded(middle)}
            audit["subgroups"] = [one.audit for one in found]
        run.note("restricted", measure=self.word(), **audit)
        text = self.said(outcome) + self._grouped(detail)
        value = 0.0 if outcome.value is None else rounded(outcome.value) or 0.0
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
