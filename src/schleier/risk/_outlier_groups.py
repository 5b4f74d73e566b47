"""Outliers of a file before and after, and whether they are found more often than the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schleier.risk._linked_records import told_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


FEWEST = 5
"""How often fewer persons than this are found is not told: it would say of a single one whether the link is right."""


@dataclass(frozen=True)
class Apart:
    """Who is an outlier: 1 for yes, 0 for no, nan where it cannot be told."""

    before: Floats
    """Of the original records."""
    after: Floats
    """Of the released records."""
    judged: tuple[str, ...]
    """The columns by which it was told."""
    left_out: tuple[str, ...]
    """Columns in which more than half of the records have the same value."""

    @staticmethod
    def of(original: Floats, released: Floats, names: list[str]) -> Apart:
        """Judge both files by the same columns, each by its own bulk."""
        import numpy as np

        from schleier.kernels.linkage.outliers import outliers, steady

        kept = steady(original) & steady(released)

        def flags(values: Floats) -> Floats:
            whole = ~np.isnan(values[:, kept]).any(axis=1)
            found, result = outliers(values[whole][:, kept]), np.full(len(values), np.nan)
            if found is not None:
                result[whole] = found
            return result

        judged = tuple(name for name, use in zip(names, kept, strict=True) if use)
        rest = tuple(name for name in names if name not in judged)
        return Apart(flags(original), flags(released), judged, rest)

    def details(self, chosen: NDArray[np.int64], found: Floats) -> dict[str, Any]:
        """How many outliers there are, and how often these and the rest were found, with intervals."""
        import numpy as np

        who = self.before[chosen]
        told: dict[str, Any] = {
            "outliers_before": int(np.nansum(self.before)),
            "outliers_after": int(np.nansum(self.after)),
            "outlier_targets": int((who == 1).sum()),
        }
        for name, flag in (("outlier", 1), ("rest", 0)):
            some = found[who == flag]
            ends = told_share(some) if len(some) >= FEWEST else (None, None, None)
            told |= dict(zip((f"{name}_found", f"{name}_low", f"{name}_high"), ends, strict=True))
        return {
            **told,
            "judged_by": list(self.judged),
            "not_judged_by": list(self.left_out),
        }
