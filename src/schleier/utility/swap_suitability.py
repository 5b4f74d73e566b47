"""Whether numeric columns are even enough to be swapped by rank (Höhne U16)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from schleier.utility._comparison import Comparison, ComparisonOutcome, finite_or_none

if TYPE_CHECKING:
    from schleier.utility._parts import Part

USABLE, UNUSABLE = (11.0, 16.0), (50.0, 300.0)
"""Range over standard deviation and range over mean: up to the first of each pair swapping was found usable (housing
survey), from the second on useless (cost structure survey), L886."""


class SwapSuitability(Comparison):
    """Share of numeric columns of the original that are too skewed for rank swapping.

    >>> SwapSuitability(columns=["rent"]).columns
    ('rent',)
    """

    reference: ClassVar[str] = "Höhne (2010), 2.2.4 (L886, range/sd and range/mean of two surveys); U16"
    example: ClassVar[dict[str, object]] = {}

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """Only the original counts. Its figures are secret: the range is that of two persons."""
        words, audit = {}, {}
        for name in old.numbers:
            over_sd, over_mean = _spread(old, name)
            audit[name] = {"range_over_sd": finite_or_none(over_sd), "range_over_mean": finite_or_none(over_mean)}
            if not math.isnan(over_sd):
                words[name] = suitability(over_sd, over_mean)
        lost = [name for name in old.numbers if name not in words]
        bad = sum(word == "unusable" for word in words.values())
        detail = {"compared": len(words), "unusable": bad, "columns": words, "not_comparable": lost}
        return ComparisonOutcome(bad / len(words) if words else None, detail, {"columns": audit})

    def said(self, outcome: ComparisonOutcome) -> str:
        """How many columns are too skewed."""
        if outcome.value is None:
            return "There is no numeric column that could be swapped by rank."
        bad, number = outcome.detail["unusable"], outcome.detail["compared"]
        return f"{bad} of {number} numeric columns are too skewed for rank swapping."


def suitability(over_sd: float, over_mean: float) -> str:
    """How well rank swapping works with such a range.

    >>> suitability(5, 3), suitability(82, 984), suitability(20, 5)
    ('usable', 'unusable', 'doubtful')
    """
    if over_sd <= USABLE[0] and over_mean <= USABLE[1]:
        return "usable"
    return "unusable" if over_sd >= UNUSABLE[0] or over_mean >= UNUSABLE[1] else "doubtful"


def _spread(part: Part, name: str) -> tuple[float, float]:
    from schleier.kernels.statistics.moments import moments

    found = moments(part.numbers[name], part.weights, ())
    if not (math.isfinite(found.range) and found.sd > 0):
        return math.nan, math.nan
    return found.range / found.sd, found.range / abs(found.mean) if found.mean else math.inf
