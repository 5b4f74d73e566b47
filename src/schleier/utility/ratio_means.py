"""Whether the means of ratios of two columns are still what they were (Höhne U13)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from schleier.core.errors import Problem
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.utility._comparison import Comparison, ComparisonOutcome, finite_or_none, relative, rounded

if TYPE_CHECKING:
    from schleier.utility._parts import Part


class RatioMeans(Comparison):
    """Largest relative change of the mean of a ratio, such as turnover for each person employed.

    >>> RatioMeans(columns=["turnover", "wages"], over="employees").over
    'employees'
    """

    reference: ClassVar[str] = "Höhne (2010), 4.2.2 (L2225-L2271, ratios under noise); U13"
    example: ClassVar[dict[str, object]] = {"columns": ["income"], "over": "age"}

    over: str
    """The column that is divided by; records without a number there, or with zero, are left out."""

    def _wanted(self, schema: Schema) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*(n for n in super()._wanted(schema) if n != self.over), self.over)))

    def _numeric(self) -> tuple[str, ...]:
        return (*self.columns, self.over)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """A column is not divided by itself."""
        yield from super().problems(schema)
        if self.over in self.columns:
            message = f"column '{self.over}' would be divided by itself"
            yield Problem("ratio-of-itself", "columns", message, "leave it out of columns")

    def numbers(self, case: Case) -> tuple[str, ...]:
        """Nothing can be divided when the divisor is gone."""
        found = super().numbers(case)
        return found if self.over in found else ()

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """The mean of every ratio in both files."""
        columns, before, signed = {}, {}, {}
        for name in old.numbers:
            if name == self.over:
                continue
            first, second = self._mean(old, name), self._mean(new, name)
            error = relative(first, second)
            before[name], signed[name] = finite_or_none(first), finite_or_none(error)
            if math.isfinite(error):
                columns[name] = abs(error)
        lost = [name for name in before if name not in columns]
        detail = {"over": self.over, "compared": len(columns), "not_comparable": lost}
        detail |= {"columns": {name: rounded(error) for name, error in columns.items()}}
        return ComparisonOutcome(max(columns.values(), default=None), detail, {"before": before, "relative": signed})

    def _mean(self, part: Part, name: str) -> float:
        import numpy as np

        x, y = part.numbers[name], part.numbers[self.over]
        held = np.isfinite(x) & np.isfinite(y) & (y != 0) & (part.weights > 0)
        if not held.any():
            return math.nan
        w = part.weights[held]
        return float(w @ (x[held] / y[held]) / w.sum())

    def said(self, outcome: ComparisonOutcome) -> str:
        """The largest change."""
        if outcome.value is None:
            return f"There is no ratio to column '{self.over}' that could be compared."
        number = outcome.detail["compared"]
        return f"The means of {number} ratios to column '{self.over}' changed by at most {outcome.value:.2%}."
