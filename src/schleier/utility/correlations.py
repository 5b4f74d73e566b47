"""Whether the numeric columns still depend on each other as they did (Höhne U6, U7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.utility._comparison import Comparison, ComparisonOutcome, finite_or_none, rounded

if TYPE_CHECKING:
    from schleier.utility._parts import Part


class Correlations(Comparison):
    """Largest change of a correlation between two numeric columns.

    >>> Correlations(columns=["income", "age"], coefficient="spearman").coefficient
    'spearman'
    """

    reference: ClassVar[str] = "Höhne (2010), 2 Überblick and 3.3.2 (r^d = r^a - r^o); U6, U7"
    example: ClassVar[dict[str, object]] = {"by": ["sex"]}

    coefficient: Literal["pearson", "spearman"] = "pearson"
    """Pearson's correlation of the numbers, or Spearman's of their ranks."""

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """The two matrices of correlations, pair by pair."""
        import numpy as np

        from schleier.kernels.statistics.dependence import correlations, rank_correlations

        names = tuple(old.numbers)
        compute = correlations if self.coefficient == "pearson" else rank_correlations
        before, after = (compute(part.matrix(names), part.weights) for part in (old, new))
        upper = np.triu_indices(len(names), 1)
        signed = (after - before)[upper]
        known = np.isfinite(signed)
        apart = np.abs(np.where(known, signed, 0.0))
        largest = dict.fromkeys(names, 0.0)
        for j, k, gap in zip(*upper, apart, strict=True):
            largest[names[j]], largest[names[k]] = max(largest[names[j]], gap), max(largest[names[k]], gap)
        lost = [n for j, n in enumerate(names) if not known[(upper[0] == j) | (upper[1] == j)].any()]
        detail = {
            "coefficient": self.coefficient,
            "compared": int(known.sum()),
            "mean": rounded(float(apart[known].mean())) if known.any() else None,
            "columns": {n: rounded(gap) for n, gap in largest.items() if n not in lost},
            "not_comparable": lost,
        }
        pairs = [f"{names[j]}, {names[k]}" for j, k in zip(*upper, strict=True)]
        audit = {
            "before": dict(zip(pairs, map(finite_or_none, before[upper]), strict=True)),
            "difference": dict(zip(pairs, map(finite_or_none, signed), strict=True)),
        }
        return ComparisonOutcome(float(apart.max()) if known.any() else None, detail, audit)

    def said(self, outcome: ComparisonOutcome) -> str:
        """The largest change."""
        if outcome.value is None:
            return "There are no two numeric columns whose correlation could be compared."
        number = outcome.detail["compared"]
        return f"The correlations of {number} pairs of columns changed by at most {outcome.value:.3f}."
