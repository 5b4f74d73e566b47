"""Who contributes how much of an amount to each equivalence class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

TOP = 3
"""So many of the largest contributions of a class are known."""
ROOM, FINEST = 2**62, 6
"""Amounts become whole numbers whose sum has room in 64 bits, with at most so many decimals."""


@dataclass(frozen=True)
class Magnitude:
    """``amounts[i]`` is what ``units[i]`` contributes to ``classes[i]``: the largest ones, or all of them.

    Where rows belong to units, one of them may contribute to several classes that are merged later: then all
    contributions are kept. Else every row is a contributor of its own, and the largest few and the sum are enough.
    Amounts are whole numbers in a common unit of measure, so that sums do not depend on the order of the rows.
    """

    classes: NDArray[np.int64] = field(repr=False)
    units: NDArray[np.int64] = field(repr=False)
    amounts: NDArray[np.int64] = field(repr=False)
    sums: NDArray[np.int64] = field(repr=False)
    """What all contribute, for each class."""
    contributors: NDArray[np.int64] = field(repr=False)
    """How many contribute more than nothing, for each class; rows without a unit are one sum, but nobody."""
    complete: bool
    """Whether every contribution is listed."""

    def only(self, mask: NDArray[np.bool_], place: NDArray[np.int64]) -> Magnitude:
        """The part about some classes, which are counted anew."""
        m = mask[self.classes]
        parts = (place[self.classes[m]], self.units[m], self.amounts[m])
        return Magnitude(*parts, self.sums[mask], self.contributors[mask], self.complete)

    def merged(self, place: NDArray[np.int64], size: int) -> Magnitude:
        """The contributions to merged classes: class ``i`` becomes part of class ``place[i]``."""
        from schleier.kernels.classes.coding import add_up, sum_pairs

        entries = sum_pairs(place[self.classes], self.units, self.amounts)
        sums, contributors = add_up(self.sums, place, size), add_up(self.contributors, place, size)
        return Magnitude(*entries, sums, contributors, self.complete)._settled()

    def widened(self, keys: NDArray[np.int32]) -> Magnitude:
        """The contributions where each class holds the rows of all classes it could be; ``keys`` are their codes."""
        from schleier.kernels.classes.coding import compatible
        from schleier.kernels.classes.wildcards import over_compatible

        entries = over_compatible(keys, self.classes, self.units, self.amounts)
        sums, contributors = compatible(keys, self.sums), compatible(keys, self.contributors)
        return Magnitude(*entries, sums, contributors, self.complete)._settled()

    def largest(self) -> NDArray[np.int64]:
        """The largest contributions of each class, one class per row, largest first; nothing is 0."""
        import numpy as np

        order, rank = self._ranked()
        result = np.zeros((len(self.sums), TOP), dtype=np.int64)
        first = rank < TOP
        result[self.classes[order][first], rank[first]] = self.amounts[order][first]
        return result

    def _settled(self) -> Magnitude:
        """With units those who contribute are counted anew; without, only the largest are kept."""
        import numpy as np

        if self.complete:
            contributing = self.classes[(self.amounts > 0) & (self.units >= 0)]
            return replace(self, contributors=np.bincount(contributing, minlength=len(self.sums)).astype(np.int64))
        order, rank = self._ranked()
        kept = np.sort(order[rank < TOP])
        return replace(self, classes=self.classes[kept], units=self.units[kept], amounts=self.amounts[kept])

    def _ranked(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Entries by class, largest first, and the rank of each within its class."""
        import numpy as np

        order = np.lexsort((-self.amounts, self.classes))
        classes = self.classes[order]
        return order, np.arange(len(order)) - np.searchsorted(classes, classes, side="left")


def contributions(data: Dataset, keys: Sequence[str], column: str) -> tuple[pa.Table, pa.Table]:
    """Sums and contributors of each class, and its contributions: all by unit, or the largest rows.

    Amounts below zero count by their size.
    """
    import narwhals as nw

    unit = data.schema.having("unit")
    amount = _whole(data, column)
    named = {f"_{i}_": nw.col(key) for i, key in enumerate(keys)}  # engines trim names with blanks in a window
    if unit:
        named["_unit_"] = nw.col(unit[0])
    rows = replace(data, frame=data.frame.select(_amount_=amount, **named))
    rows = rows.filter(~nw.col("_amount_").is_null())
    if unit:
        rows = replace(rows, frame=_grouped(rows, [*named], {"_amount_": nw.col("_amount_").sum()}))
    by = [name for name in named if name != "_unit_"]
    more = nw.col("_amount_") > 0
    if unit:  # an amount whose owner is not known is part of the total, but no further contributor
        more = more & ~nw.col("_unit_").is_null()
    positive = nw.when(more).then(nw.lit(1)).otherwise(nw.lit(0))
    sums = _grouped(rows, by, {"_sum_": nw.col("_amount_").sum(), "_many_": positive.sum()})
    if not unit:
        rank = nw.col("_amount_").rank("ordinal", descending=True)
        rows = rows.mutate(_rank_=rank.over(*by) if by else rank).filter(nw.col("_rank_") <= TOP)
    back = dict(zip(by, keys, strict=True))
    found = (data.engine.arrays(sums), data.engine.arrays(rows.frame))
    one, other = (t.rename_columns([back.get(name, name) for name in t.column_names]) for t in found)
    return one, other


def contributed(
    pair: tuple[pa.Table, pa.Table], classes: NDArray[np.int64], owners: NDArray[np.int64], size: int
) -> Magnitude:
    """The magnitude of what ``contributions`` found; ``classes`` and ``owners`` are the classes of its rows."""
    import numpy as np
    import pyarrow as pa

    from schleier.core.classes.table import sorted_codes

    def whole(part: pa.Table, name: str) -> NDArray[np.int64]:
        found: NDArray[np.int64] = part.column(name).cast(pa.int64()).fill_null(0).to_numpy()
        return found

    sums, single = pair
    complete = "_unit_" in single.column_names
    units = sorted_codes(single.column("_unit_"))[1].astype(np.int64) if complete else np.arange(len(single))
    totals, many = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    totals[classes], many[classes] = whole(sums, "_sum_"), whole(sums, "_many_")
    order = np.lexsort((units, owners))
    return Magnitude(owners[order], units[order], whole(single, "_amount_")[order], totals, many, complete)


def _grouped(rows: Dataset, by: list[str], sums: dict[str, nw.Expr]) -> nw.LazyFrame[Any]:
    return rows.frame.group_by(*by).agg(**sums) if by else rows.frame.select(**sums)


def _whole(data: Dataset, column: str) -> nw.Expr:
    """The size of an amount in whole steps, the finest for which the sum over all rows has room."""
    import narwhals as nw

    size = nw.col(column).abs()
    seen = data.totals(largest=size.max(), rows=nw.len())
    largest = float(seen["largest"] or 0)
    if not math.isfinite(largest):
        from schleier.core.errors import DataError, stop

        stop(DataError, "not-finite", column, f"column '{column}' holds infinite amounts", "make them missing")
    declared = data.schema[column]
    wanted = 0 if declared.scale == "discrete" else FINEST if declared.decimals is None else declared.decimals
    while wanted > -300 and largest * 10.0**wanted * (int(seen["rows"]) + 1) >= ROOM:
        wanted -= 1
    if declared.scale == "discrete" and not wanted:
        return size.cast(nw.Int64)
    return (size.cast(nw.Float64) * 10.0**wanted).round(0).cast(nw.Int64)
