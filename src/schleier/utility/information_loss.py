"""How much of the variance was lost, and how far the values moved (Höhne U11)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from schleier.core.component import counted
from schleier.utility._comparison import Comparison, ComparisonOutcome, finite_or_none, rounded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.utility._parts import Part


class InformationLoss(Comparison):
    """Mean squared distance of released from original numbers in variances of the original, averaged over columns.

    >>> InformationLoss(columns=["income"]).columns
    ('income',)
    """

    reference: ClassVar[str] = "Höhne (2010), 2.2.6 (F(T), variance loss); U11"
    example: ClassVar[dict[str, object]] = {"by": ["sex"]}
    paired: ClassVar[bool] = True

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """F(T) / (n Var) and 1 - Var(released) / Var(original) of each column, over records that have both numbers."""
        import numpy as np

        columns, audit, values = {}, {}, []
        for name in old.numbers:
            x, y = old.numbers[name], new.numbers[name]
            held = np.isfinite(x) & np.isfinite(y) & (old.weights > 0)
            x, y, w = x[held], y[held], old.weights[held]
            before, after = _variance(x, w), _variance(y, w)
            if not before:
                continue
            far = float(w @ (y - x) ** 2 / w.sum())
            values.append(far / before)
            columns[name] = {"loss": rounded(far / before), "variance_loss": _signed(1 - after / before)}
            audit[name] = {
                "variance": before,
                "f": finite_or_none(far * float(w.sum())),
                "variance_loss": 1 - after / before,
            }
        lost = [name for name in old.numbers if name not in columns]
        detail = {"compared": len(columns), "columns": columns, "not_comparable": lost}
        return ComparisonOutcome(sum(values) / len(values) if values else None, detail, {"columns": audit})

    def said(self, outcome: ComparisonOutcome) -> str:
        """The average loss."""
        if outcome.value is None:
            return "There is no numeric column with a variance that could be lost."
        columns = counted(outcome.detail["compared"], "numeric column")
        return f"The values of {columns} moved by {outcome.value:.2%} of their variance on average."


def _signed(loss: float) -> float | None:
    """To three digits, below zero where the variance grew.

    The grid of the gate hides every single unit, so the sign gives nobody away; without it noise looks like a loss.
    """
    size = rounded(loss)
    return size if size is None else math.copysign(size, loss) if size else 0.0


def _variance(x: NDArray[np.float64], w: NDArray[np.float64]) -> float:
    if not len(x) or x.min() == x.max():
        return 0.0
    mean = w @ x / w.sum()
    return float(w @ (x - mean) ** 2 / w.sum())
