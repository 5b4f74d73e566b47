"""How far values moved, in standard deviations (IL1s)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from schleier.core.component import counted
from schleier.utility._comparison import Comparison, ComparisonOutcome, rounded

if TYPE_CHECKING:
    from schleier.utility._parts import Part


class Il1s(Comparison):
    """Mean distance of released from original numbers, in standard deviations of the original times the root of two.

    >>> Il1s(columns=["income"]).columns
    ('income',)
    """

    reference: ClassVar[str] = (
        "Yancey, Winkler, Creecy (2002), Disclosure risk assessment in perturbative microdata protection; "
        "Mateo-Sanz, Sebé, Domingo-Ferrer (2004), Outlier protection in continuous microdata masking; sdcMicro dUtility"
    )
    example: ClassVar[dict[str, object]] = {}
    paired: ClassVar[bool] = True

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """The mean over records and columns; the standard deviation has the divisor n - 1, as in the source."""
        import numpy as np

        columns, spreads, total, weight = {}, {}, 0.0, 0.0
        for name in old.numbers:
            x, y = old.numbers[name], new.numbers[name]
            known = np.isfinite(x) & (old.weights > 0)
            u = old.weights[known]
            if known.sum() < 2 or x[known].min() == x[known].max():
                continue
            mean = u @ x[known] / u.sum()
            spread = math.sqrt(float(u @ (x[known] - mean) ** 2 / u.sum()) * known.sum() / (known.sum() - 1))
            both = known & np.isfinite(y)
            if not both.any():
                continue
            w = old.weights[both]
            far = float(w @ np.abs(y[both] - x[both])) / (math.sqrt(2) * spread)
            spreads[name], columns[name] = spread, rounded(far / float(w.sum()))
            total, weight = total + far, weight + float(w.sum())
        lost = [name for name in old.numbers if name not in columns]
        detail = {"compared": len(columns), "columns": columns, "not_comparable": lost}
        return ComparisonOutcome(total / weight if weight else None, detail, {"sd": spreads})

    def said(self, outcome: ComparisonOutcome) -> str:
        """The mean distance."""
        if outcome.value is None:
            return "There is no numeric column whose values differ and could be compared."
        number = outcome.detail["compared"]
        return f"The values of {counted(number, 'numeric column')} moved by {outcome.value:.3f} on average (IL1s)."
