"""How alike the columns of both files are, one by one and two by two."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.measure import Case
from schleier.core.schema import CONTENT, Schema
from schleier.utility._comparison import Comparison, ComparisonOutcome, rounded
from schleier.utility._parts import Part, text_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS = ("nominal", "ordinal", "place")


class Similarity(Comparison):
    """Mean distance of the distributions of single columns; differences of dependence for pairs beside it.

    >>> Similarity(columns=["sex", "income"]).columns
    ('sex', 'income')
    """

    reference: ClassVar[str] = (
        "Hellinger (1909); Massey (1951), The Kolmogorov-Smirnov test; Cramér (1946), Mathematical methods of "
        "statistics"
    )
    example: ClassVar[dict[str, object]] = {}

    columns: tuple[str, ...] = ()
    """Columns to compare; all numbers, categories and places in the release when empty, weights left out."""

    def _wanted(self, schema: Schema) -> tuple[str, ...]:
        suit = (c.name for c in schema if (c.numeric or c.scale in WORDS) and c.role in CONTENT)
        return self.columns or tuple(suit)

    def _numeric(self) -> tuple[str, ...]:
        return ()

    def words(self, case: Case) -> tuple[str, ...]:
        """Columns that are not numbers in both files."""
        old, new, numbers = case.original.schema, case.released.schema, self.numbers(case)
        return tuple(n for n in self._wanted(new) if n in old and n in new and n not in numbers)

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """Every column by itself, then every pair."""
        codes = {name: text_codes(old.words[name], new.words[name])[0] for name in old.words}
        columns = {name: self._numbers(old, new, name) for name in old.numbers}
        columns |= {name: self._words(old, new, name, codes[name]) for name in old.words}
        known = {name: found for name, found in columns.items() if found is not None}
        gaps: dict[str, list[float]] = {}
        for a, b in combinations(columns, 2):
            for what, first, second in _dependence(old, new, codes, a, b):
                if math.isfinite(gap := abs(second - first)):
                    gaps.setdefault(what, []).append(gap)
        pairs = {
            w: {"pairs": len(g), "mean": rounded(sum(g) / len(g)), "largest": rounded(max(g))} for w, g in gaps.items()
        }
        detail = {
            "compared": len(known),
            "columns": {name: {what: rounded(far) for what, far in found.items()} for name, found in known.items()},
            "dependence": pairs,
            "not_comparable": [name for name in columns if name not in known],
        }
        far = [found.get("hellinger", found.get("kolmogorov", 0.0)) for found in known.values()]
        return ComparisonOutcome(sum(far) / len(far) if far else None, detail)

    @staticmethod
    def _numbers(old: Part, new: Part, name: str) -> dict[str, float] | None:
        """Kolmogorov's and the earth mover's distance, the latter in standard deviations of the original."""
        import numpy as np

        from schleier.kernels.statistics.moments import moments
        from schleier.kernels.statistics.similarity import kolmogorov, wasserstein

        sides: list[Any] = []
        for part in (old, new):
            held = np.isfinite(part.numbers[name]) & (part.weights > 0)
            sides += [part.numbers[name][held], part.weights[held]]
        if not len(sides[0]) or not len(sides[2]):
            return None
        spread = moments(sides[0], sides[1], ()).sd or 1.0
        return {"kolmogorov": kolmogorov(*sides), "wasserstein": wasserstein(*sides) / spread}

    @staticmethod
    def _words(old: Part, new: Part, name: str, codes: list[NDArray[np.int64]]) -> dict[str, float] | None:
        """Hellinger's distance and the share that must move; missing is left out."""
        import numpy as np

        from schleier.kernels.statistics.similarity import hellinger, total_variation

        many = max(int(c.max(initial=-1)) for c in codes) + 1
        sizes = [
            np.bincount(c[c >= 0], weights=part.weights[c >= 0], minlength=many)
            for c, part in zip(codes, (old, new), strict=True)
        ]
        if not (sizes[0].sum() and sizes[1].sum()):
            return None
        return {"hellinger": hellinger(*sizes), "total_variation": total_variation(*sizes)}

    def said(self, outcome: ComparisonOutcome) -> str:
        """The mean over the columns."""
        if outcome.value is None:
            return "There is no column that could be compared."
        text = f"The distributions of {outcome.detail['compared']} columns are {outcome.value:.3f} apart on average"
        return f"{text} (0 the same, 1 nothing in common)."


def _dependence(
    old: Part, new: Part, codes: dict[str, list[NDArray[np.int64]]], a: str, b: str
) -> list[tuple[str, float, float]]:
    """How two columns depend on each other in each file, by what they are."""
    import numpy as np

    from schleier.kernels.statistics.dependence import (
        correlation_ratio,
        correlations,
        cramers_v,
        crossed,
        mutual_information,
    )

    parts = (old, new)
    if a in old.numbers and b in old.numbers:
        first, second = (float(correlations(part.matrix((a, b)), part.weights)[0, 1]) for part in parts)
        return [("correlation", first, second)]
    if a in codes and b in codes:
        tables = [crossed(codes[a][i], codes[b][i], part.weights) for i, part in enumerate(parts)]
        v, information = [cramers_v(t) for t in tables], [mutual_information(t) for t in tables]
        return [("cramers_v", v[0], v[1]), ("mutual_information", information[0], information[1])]
    word, number = (a, b) if a in codes else (b, a)
    ratios = [correlation_ratio(codes[word][i], part.numbers[number], part.weights) for i, part in enumerate(parts)]
    return [("correlation_ratio", *np.sqrt(ratios).tolist())]
