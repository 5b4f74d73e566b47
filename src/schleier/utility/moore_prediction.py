"""Whether correlations were weakened as swapping is expected to weaken them (Höhne U15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.utility._comparison import Comparison, ComparisonOutcome, finite_or_none, rounded

if TYPE_CHECKING:
    from schleier.utility._parts import Part


class MoorePrediction(Comparison):
    """Largest distance of a released correlation from the one Moore's theorem predicts.

    >>> MoorePrediction(columns=["rent", "income"]).columns
    ('rent', 'income')
    """

    reference: ClassVar[str] = (
        "Moore (1996), Controlled data-swapping techniques; Höhne (2010), 2.2.4 and Anhang 2; U15"
    )
    example: ClassVar[dict[str, object]] = {}
    paired: ClassVar[bool] = True

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """R(x_j^o, x_j^a) R(x_k^o, x_k^a) R(x_j^o, x_k^o) against R(x_j^a, x_k^a) (L851)."""
        import numpy as np

        from schleier.kernels.statistics.dependence import correlations

        names = tuple(old.numbers)
        w = old.weights
        before, after = correlations(old.matrix(names), w), correlations(new.matrix(names), w)
        own = {n: float(correlations(np.column_stack([old.numbers[n], new.numbers[n]]), w)[0, 1]) for n in names}
        kept = np.array([own[n] for n in names])
        predicted = before * np.outer(kept, kept)
        upper = np.triu_indices(len(names), 1)
        signed = (after - predicted)[upper]
        known = np.isfinite(signed)
        detail = {
            "compared": int(known.sum()),
            "mean": rounded(float(np.abs(signed[known]).mean())) if known.any() else None,
            "columns": {n: rounded(1 - own[n]) for n in names if np.isfinite(own[n])},
            "not_comparable": [n for n in names if not np.isfinite(own[n])],
        }
        pairs = [f"{names[j]}, {names[k]}" for j, k in zip(*upper, strict=True)]
        audit = {
            "before": dict(zip(pairs, map(finite_or_none, before[upper]), strict=True)),
            "predicted": dict(zip(pairs, map(finite_or_none, predicted[upper]), strict=True)),
            "difference": dict(zip(pairs, map(finite_or_none, signed), strict=True)),
        }
        return ComparisonOutcome(float(np.abs(signed[known]).max()) if known.any() else None, detail, audit)

    def said(self, outcome: ComparisonOutcome) -> str:
        """The largest distance."""
        if outcome.value is None:
            return "There are no two numeric columns whose correlation could be predicted."
        number = outcome.detail["compared"]
        return f"The correlations of {number} pairs of columns are at most {outcome.value:.3f} from those predicted."
