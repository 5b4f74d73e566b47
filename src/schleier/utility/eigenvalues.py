"""Whether the columns together still vary in the same directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.utility._comparison import Comparison, ComparisonOutcome, rounded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.utility._parts import Part

SMALLEST = 1e-9
"""An eigenvalue below this is zero but for rounding: a column is made of others."""


class Eigenvalues(Comparison):
    """Sum of the relative distances of the eigenvalues of the correlation matrices.

    >>> Eigenvalues(columns=["income", "age"]).columns
    ('income', 'age')
    """

    reference: ClassVar[str] = (
        "Templ, Meindl (2008), Robust statistics meets SDC; sdcMicro dUtility, method eigen (Höhne 7: U6 in one number)"
    )
    example: ClassVar[dict[str, object]] = {}

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """Columns that do not spread in one of the files are left out; eigenvalues of zero are compared as they are."""
        import numpy as np

        from schleier.kernels.statistics.dependence import correlations

        names = tuple(old.numbers)
        both = [correlations(part.matrix(names), part.weights) for part in (old, new)]
        kept = _complete(np.isfinite(both[0]) & np.isfinite(both[1]))
        lost = [name for j, name in enumerate(names) if not kept[j]]
        detail = {"compared": int(kept.sum()), "not_comparable": lost}
        if kept.sum() < 2:
            return ComparisonOutcome(None, detail)
        before, after = (np.linalg.eigvalsh(matrix[np.ix_(kept, kept)])[::-1] for matrix in both)
        collinear = before < SMALLEST
        apart = np.abs(after - before) / np.where(collinear, 1.0, before)
        detail |= {"collinear": int(collinear.sum()), "largest": rounded(float(apart.max()))}
        return ComparisonOutcome(float(apart.sum()), detail, {"before": before.tolist(), "after": after.tolist()})

    def said(self, outcome: ComparisonOutcome) -> str:
        """The sum of the distances."""
        if outcome.value is None:
            return "There are no two numeric columns whose eigenvalues could be compared."
        number = outcome.detail["compared"]
        return f"The eigenvalues of the correlations of {number} columns differ by {outcome.value:.3g} in sum."


def _complete(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Columns whose correlations with each other are all known: the one with the most gaps goes first."""
    import numpy as np

    kept = np.asarray(np.diag(known).copy(), dtype=bool)
    while kept.any():
        gaps = np.where(kept, (~known[:, kept]).sum(axis=1), -1)
        if gaps.max() <= 0:
            break
        kept[int(np.argmax(gaps))] = False
    return kept
