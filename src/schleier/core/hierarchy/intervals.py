"""Intervals of equal width, wider from level to level."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.errors import Problem
from schleier.core.hierarchy.contract import Hierarchy
from schleier.core.hierarchy.ends import Ends
from schleier.core.hierarchy.numbers import (
    WHOLE,
    Number,
    exact_number,
    floats,
    interval_label,
    interval_labels,
    is_whole,
)
from schleier.core.sql import NOTHING, Typed

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

REACH = 2**48
"""Intervals on either side of the origin; farther out a float can no longer tell one from the next."""

LOWER_END = r"^\[?(?P<lower>-?[0-9]{1,300}(?:\.[0-9]{1,300})?)"
"""The number that stands first in a label."""


class Intervals(Hierarchy):
    """Numbers become intervals; the lower end belongs to the interval, the upper end to the next.

    >>> import pyarrow as pa
    >>> age = Intervals(intervals=(5, 10, 20))
    >>> age.labels(pa.array([23, 7]), 1).to_pylist(), age.labels(pa.array([23.5, 7.0]), 2).to_pylist()
    (['20-24', '5-9'], ['[20, 30)', '[0, 10)'])
    """

    keys: ClassVar[tuple[str, ...]] = ("intervals",)
    floating: ClassVar[bool] = True

    intervals: tuple[Number, ...]
    """Width of the intervals at each level; each a multiple of the one before."""
    origin: Number = 0.0
    """Where one of the intervals begins."""

    @property
    def depth(self) -> int:
        """One level for each width, and the root."""
        return len(self.intervals) + 1

    def problems(self, where: str) -> Iterator[Problem]:
        """Widths that are none, or that do not nest, or that floats cannot tell apart."""
        if not self.intervals:
            yield Problem("hierarchy-empty", where, "there are no widths", "for example intervals = [5, 10]")
            return
        widths = [exact_number(width) for width in self.intervals]
        negative = sum(width <= 0 for width in widths)
        if negative:
            yield Problem("hierarchy-width", where, f"widths that are not positive: {negative}")
            return
        broken = sum(b <= a or (Fraction(b) / Fraction(a)).denominator != 1 for a, b in pairwise(widths))
        if broken:
            yield Problem(
                "hierarchy-not-nested",
                where,
                f"widths that are no multiple of the width before: {broken}",
                "let each interval be made of whole finer ones, as in intervals = [5, 10, 20]",
            )
        if widths[-1] > widths[0] * 2**32 or abs(exact_number(self.origin)) > widths[0] * 2**46:
            yield Problem(
                "hierarchy-precision",
                where,
                "the finest width is too small beside the widest or the origin",
                "leave out the finest level or move the origin towards 0",
            )

    def covers(self, values: pa.Array) -> NDArray[np.bool_]:
        """Finite numbers, unless absurdly many intervals away from the origin."""
        return self._inside(self._positions(values))  # type: ignore[no-any-return]

    def coarser(self, values: pa.Array, level: int) -> pa.Array:
        """Whole numbers are labelled "20-24", all others "[20, 25)"."""
        import numpy as np

        position = self._positions(values)
        index = np.floor(np.floor(position) / self._ratio(level))
        width, origin = exact_number(self.intervals[level - 1]), exact_number(self.origin)
        whole = is_whole(values) and self._exact
        return interval_labels(
            index,
            self._inside(position),
            lambda i: interval_label(origin + i * width, origin + (i + 1) * width, whole),
        )

    def reduce(self, expr: nw.Expr, level: int) -> nw.Expr:
        """The midpoint of the interval."""
        import narwhals as nw

        number = expr.cast(nw.Float64)
        if level == 0:
            return number
        position = self._position(number)
        width, origin = self.intervals[min(level, self.depth - 1) - 1], self.origin
        if level < self.depth:
            # Spark's floor yields whole numbers; the casts keep the arithmetic in floats on every engine.
            fine = position.floor().cast(nw.Float64)
            index = (fine / self._ratio(level)).floor().cast(nw.Float64)
            middle = (index + 0.5) * width + origin
        else:
            middle = nw.lit(width * 0.5 + origin)
        # The guard asks for the position, not its floor: Spark makes 0 of the floor of not-a-number.
        return nw.when(self._inside(position)).then(middle).otherwise(number)

    def _may_be_label(self, words: pa.Array, level: int) -> NDArray[np.bool_]:
        """The label of the number that stands first in it, whole or not."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pc.struct_field(pc.extract_regex(words, LOWER_END), "lower")
        lower = pc.if_else(pc.equal(found, ""), None, found).cast(pa.float64()).fill_null(np.nan)
        whole = pc.if_else(pc.less(pc.abs(lower), WHOLE), pc.floor(lower), 0.0).fill_null(0.0).cast(pa.int64())
        told = zip(*(self.coarser(ends, level).to_pylist() for ends in (lower, whole)), words.to_pylist(), strict=True)
        return np.array([word in (broken, even) for broken, even, word in told], dtype=np.bool_)

    def sql(self, value: Typed, level: int) -> str | None:
        """The ends of the interval, as decimals: a label shows 0.3 and not 0.30000000000000004."""
        if value.kind not in ("integer", "number"):
            return NOTHING
        width, ratio = self.intervals[level - 1], self._ratio(level)
        return Ends(value, self.intervals[0], width, self.origin, self._reach, ratio, self._exact).sql()

    @property
    def _exact(self) -> bool:
        return all(number.is_integer() for number in (*self.intervals, self.origin))

    def _ratio(self, level: int) -> float:
        return float(exact_number(self.intervals[level - 1]) / exact_number(self.intervals[0]))

    def _positions(self, values: pa.Array) -> Any:
        import numpy as np

        with np.errstate(over="ignore", invalid="ignore"):  # beyond reach is beyond reach
            return self._position(floats(values))

    def _position(self, number: Any) -> Any:
        """Distance from the origin in finest widths, for arrays and engine expressions: the same operations.

        Coarser levels follow from the finest by whole-number division: they nest whatever the rounding.
        """
        width, origin = self.intervals[0], self.origin
        distance = number - origin
        if not self._exact:
            # 0.3 / 0.1 is a hair below 3: a number written as the lower end of an interval must fall in it.
            distance = distance + (abs_(number) + abs(origin)) * 2.0**-50
        return distance / width

    def _inside(self, position: Any) -> Any:
        return (position >= -self._reach) & (position < self._reach)

    @property
    def _reach(self) -> float:
        """A multiple of the widest ratio: no interval of any level lies across the edge."""
        ratio = int(self._ratio(self.depth - 1))
        return float(REACH // ratio * ratio)


def abs_(number: Any) -> Any:
    """Magnitude of an array or an engine expression."""
    return number.abs() if hasattr(number, "abs") else abs(number)
