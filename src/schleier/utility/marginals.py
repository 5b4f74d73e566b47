"""Whether the tables analysts make are still the same (k-marginals)."""

from __future__ import annotations

from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.utility._comparison import Comparison, ComparisonOutcome, rounded
from schleier.utility._parts import Part, text_codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Marginals(Comparison):
    """Mean share of the records that must move to turn a released table into the original one, over all k-way tables.

    >>> Marginals(columns=["sex", "region"], k=2).k
    2
    """

    reference: ClassVar[str] = (
        "McKenna, Miklau, Sheldon (2021), Winning the NIST contest (k-marginals); Höhne (2010), 3.4 (F_H: largest "
        "deviation of a cell); U12"
    )
    example: ClassVar[dict[str, object]] = {"columns": ["sex", "region", "age"], "k": 2}

    columns: tuple[str, ...] = ()
    """Columns of the tables; all quasi-identifiers when empty."""
    k: int = Field(default=2, ge=1, le=5)
    """How many columns a table has."""
    bins: int = Field(default=10, ge=2, le=1000)
    """Numbers are cut into so many classes of equal size in the original."""
    most: int = Field(default=500, ge=1)
    """At most so many tables are made, the first ones in the order of the columns."""

    def _wanted(self, schema: Schema) -> tuple[str, ...]:
        return self.columns or schema.quasi

    def _numeric(self) -> tuple[str, ...]:
        return ()

    def words(self, case: Case) -> tuple[str, ...]:
        """Columns that are not numbers in both files."""
        old, new, numbers = case.original.schema, case.released.schema, self.numbers(case)
        return tuple(n for n in self._wanted(new) if n in old and n in new and n not in numbers)

    def compared(self, old: Part, new: Part) -> ComparisonOutcome:
        """Count every table in both files; missing is a category of its own."""
        import numpy as np

        from schleier.kernels.statistics.similarity import total_variation, weight_shares

        coded = {name: self._coded(old, new, name) for name in (*old.words, *old.numbers)}
        k, moved, cells = min(self.k, len(coded)), [], []
        tables = comb(len(coded), k) if k else 0
        if not (k and old.weights.sum() and new.weights.sum()):
            return ComparisonOutcome(None, {"compared": 0, "k": k})
        worst: dict[str, float] = {}
        for names in islice(combinations(sorted(coded), k), self.most):
            place, first = _cells([coded[n] for n in names]), len(old)
            before = np.bincount(place[:first], weights=old.weights, minlength=int(place.max()) + 1)
            after = np.bincount(place[first:], weights=new.weights, minlength=len(before))
            moved.append(total_variation(before, after))
            cells.append(float(np.abs(weight_shares(after) - weight_shares(before)).max()))
            worst |= {n: max(worst.get(n, 0.0), moved[-1]) for n in names}
        detail: dict[str, Any] = {"compared": len(moved), "left_out": tables - len(moved), "k": k}
        detail |= {
            "largest": rounded(max(moved)),
            "largest_cell": rounded(max(cells)),
            "columns": {n: rounded(v) for n, v in worst.items()},
        }
        return ComparisonOutcome(sum(moved) / len(moved), detail, {})

    def _coded(self, old: Part, new: Part, name: str) -> NDArray[np.int64]:
        """Codes of a column in both files, one after the other; missing is 0."""
        import numpy as np

        if name in old.words:
            return np.concatenate(text_codes(old.words[name], new.words[name])[0]) + 1
        numbers = np.concatenate([old.numbers[name], new.numbers[name]])
        known = old.numbers[name][np.isfinite(old.numbers[name])]
        parts = np.arange(1, self.bins) / self.bins
        cuts = np.unique(np.quantile(known, parts, method="inverted_cdf")) if len(known) else np.zeros(0)
        return np.where(np.isnan(numbers), 0, np.searchsorted(cuts, numbers, side="left") + 1).astype(np.int64)

    def said(self, outcome: ComparisonOutcome) -> str:
        """The mean over the tables."""
        if outcome.value is None:
            return "There is no table that could be compared."
        number, k = outcome.detail["compared"], outcome.detail["k"]
        text = f"In {number} tables of {k} columns, {outcome.value:.2%} of the records would have to move on average"
        return f"{text}, {outcome.detail['largest']:.2%} at most."


def _cells(codes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The cell of each record in the table of some columns."""
    import numpy as np

    place = codes[0]
    for more in codes[1:]:
        place = np.unique(place * (int(more.max(initial=0)) + 1) + more, return_inverse=True)[1].astype(np.int64)
    return place
