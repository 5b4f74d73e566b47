"""Intervals that hold about equally many rows, learned from the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.errors import InternalError, Problem, stop
from schleier.core.hierarchy.contract import ROOT, Hierarchy
from schleier.core.hierarchy.cuts import cuts
from schleier.core.hierarchy.numbers import (
    LARGEST,
    Number,
    Whole,
    exact_number,
    finite_sql,
    floats,
    interval_label,
    interval_labels,
    is_whole,
    number_text,
)
from schleier.core.sql import NOTHING, choice, number, word

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.sql import Typed


class Balanced(Hierarchy):
    """Bins with about the same number of rows; equal values stay together, so bins may be fewer or unequal.

    The outermost bins are open: a label must not tell the smallest and the largest value.

    >>> import numpy as np, pyarrow as pa
    >>> income = Balanced(balanced=(4, 2)).fit(pa.array([1, 2, 3, 40, 50, 60, 70, 80]), np.ones(8, int))
    >>> income.breaks
    ((3.0, 50.0, 70.0), (50.0,))
    >>> income.labels(pa.array([2, 3, 60, 99]), 1).to_pylist()
    ['<3', '3-49', '50-69', '>=70']
    """

    keys: ClassVar[tuple[str, ...]] = ("balanced",)
    learns: ClassVar[bool] = True
    floating: ClassVar[bool] = True

    balanced: tuple[Whole, ...]
    """Number of bins at each level; each divides the one before."""
    breaks: tuple[tuple[Number, ...], ...] | None = None
    """Where bins begin, for each level: learned by fitting, stored in a fitted recipe."""

    @property
    def depth(self) -> int:
        """One level for each number of bins, and the root."""
        return len(self.balanced) + 1

    def problems(self, where: str) -> Iterator[Problem]:
        """Numbers of bins that are none or do not nest; breaks that do not fit them."""
        if not self.balanced:
            yield Problem("hierarchy-empty", where, "there are no levels", "for example balanced = [8, 4]")
        few = sum(bins < 2 for bins in self.balanced)
        if few:
            yield Problem("hierarchy-width", where, f"levels with fewer than 2 bins: {few}")
        broken = sum(b >= a or b < 1 or a % b != 0 for a, b in pairwise(self.balanced))
        if broken:
            hint = "let each number of bins divide the one before, as in balanced = [16, 8, 4]"
            yield Problem("hierarchy-not-nested", where, f"levels that split finer bins: {broken}", hint)
        if self.breaks is None:
            return
        if len(self.breaks) != len(self.balanced):
            yield Problem("hierarchy-breaks", where, "not one list of breaks for each level")
        wrong = sum(list(level) != sorted(set(level)) for level in self.breaks)
        wrong += sum(len(level) >= bins for level, bins in zip(self.breaks, self.balanced, strict=False))
        wrong += sum(not set(b) <= set(a) for a, b in pairwise(self.breaks))
        if wrong:
            hint = "leave the breaks out: they are learned from the data"
            yield Problem("hierarchy-breaks", where, f"lists of breaks that are wrong: {wrong}", hint)

    def fit(self, values: pa.Array, counts: NDArray[np.integer[Any]]) -> Hierarchy:
        """Breaks between distinct values, as round as they can be."""
        if self.breaks is not None:
            return self
        breaks = cuts(floats(values), counts, self.balanced)
        return Balanced(balanced=self.balanced, breaks=breaks, outside=self.outside)

    def covers(self, values: pa.Array) -> NDArray[np.bool_]:
        """Finite numbers."""
        import numpy as np

        return np.isfinite(floats(values))

    def coarser(self, values: pa.Array, level: int) -> pa.Array:
        """Whole numbers are labelled "3-49", all others "[3, 50)"; the outermost bins "<3" and ">=70"."""
        import numpy as np

        breaks, words = self._fitted(level), self.words(level, is_whole(values))
        index = np.searchsorted(np.array(breaks, dtype=float), floats(values), side="right")
        return interval_labels(index, self.covers(values), words.__getitem__)

    def words(self, level: int, whole: bool) -> list[str]:
        """The label of each bin of a level, the lowest first."""
        breaks = self._fitted(level)
        ends, whole = [exact_number(one) for one in breaks], whole and all(one.is_integer() for one in breaks)
        if not ends:
            return [ROOT]
        inner = [interval_label(lower, upper, whole) for lower, upper in pairwise(ends)]
        return [f"<{number_text(ends[0])}", *inner, f">={number_text(ends[-1])}"]

    def _may_be_label(self, words: pa.Array, level: int) -> NDArray[np.bool_]:
        import numpy as np

        known = {*self.words(level, True), *self.words(level, False)}
        return np.array([word in known for word in words.to_pylist()], dtype=np.bool_)

    def sql(self, value: Typed, level: int, words: Sequence[str] = ()) -> str | None:
        """The label of the first bin whose end lies above; ``words`` are other labels for the bins."""
        if value.kind not in ("integer", "number"):
            return NOTHING
        *inner, last = words or self.words(level, value.kind == "integer")
        arms = [
            (f"{value.number} < {number(end)}", word(label))
            for end, label in zip(self._fitted(level), inner, strict=True)
        ]
        return choice([(finite_sql(value), choice(arms, word(last)))], NOTHING)

    def reduce(self, expr: nw.Expr, level: int) -> nw.Expr:
        """The beginning of the bin; for the first bin some number below its end."""
        import narwhals as nw

        number = expr.cast(nw.Float64)
        if level == 0:
            return number
        breaks = self._fitted(level) if level < self.depth else ()
        below = breaks[0] - max(1.0, abs(breaks[0]) * 1e-6) if breaks else 0.0
        starts = [below, *breaks]

        def pick(first: int, last: int) -> nw.Expr:
            # Halving keeps the expression flat: engines limit how deep one may nest.
            if first == last:
                return nw.lit(starts[first])
            middle = (first + last + 1) // 2
            lower, upper = pick(first, middle - 1), pick(middle, last)
            return nw.when(number < starts[middle]).then(lower).otherwise(upper)

        finite = (number >= -LARGEST) & (number <= LARGEST)
        return nw.when(finite).then(pick(0, len(breaks))).otherwise(number)

    def _fitted(self, level: int) -> tuple[float, ...]:
        if self.breaks is None:
            stop(
                InternalError,
                "hierarchy-not-fitted",
                "",
                "breaks not learned yet",
            )
        return self.breaks[level - 1]
