"""What the values of a column show before anybody described it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schleier.core.dictionary import Entry

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

MOST, FIRST = 50_000, 20_000
"""Different values of a column that are looked at; of a column with more, the values of so many first rows."""
LONG = 200_000
"""Rows beyond which the engine counts; shorter columns are counted in memory."""
CELLS = 1 << 22
"""Cells of such columns that are held at once."""
TOGETHER = 50
"""Longer columns that are counted in one pass."""


@dataclass(frozen=True)
class Facts:
    """One column: how many values, how many different ones, and these (or some of them) with their counts."""

    name: str
    kind: str
    """What the file says it holds; see ``core.format.Kind``."""
    rows: int
    gaps: int
    distinct: int
    values: pa.Array = field(repr=False)
    counts: NDArray[Any] = field(repr=False)
    whole: bool
    """Whether all different values are there; otherwise those of the first rows."""
    entry: Entry = Entry()  # noqa: RUF009  # frozen

    @property
    def texts(self) -> list[str]:
        """The values as text; not kept, as those of all columns would not fit into memory."""
        import pyarrow as pa

        texts: list[str] = self.values.cast(pa.string()).to_pylist()
        return texts

    @property
    def filled(self) -> int:
        """Rows that have a value."""
        return self.rows - self.gaps

    @property
    def is_key(self) -> bool:
        """Whether it tells all rows apart."""
        return self.gaps == 0 and self.distinct == self.rows > 1

    @property
    def spread(self) -> float:
        """Different values per filled row: 1 when none occurs twice."""
        return self.distinct / self.filled if self.filled else 0.0

    @property
    def labelled(self) -> bool:
        """Whether the file says in words what most of the values mean, so that they are codes of categories.

        Labels for the ends of a scale or for missing alone do not count, nor do labels that repeat the number: from 0
        to 10 people rate, they choose no category.
        """
        labels = self.entry.labels
        if not labels or not self.whole:
            return False
        codes = [re.sub(r"\.0+$", "", text) for text in self.texts]
        return 2 * sum(labels.get(code, code).strip() != code for code in codes) > self.distinct

    def entropy(self) -> float | None:
        """E = -sum p ln p over the values; only known when all of them were seen."""
        import numpy as np

        if not self.whole or not self.filled:
            return None
        shares = self.counts / self.counts.sum()
        return float(-(shares * np.log(shares)).sum())


def gather_facts(data: Dataset, kinds: Mapping[str, str], entries: Mapping[str, Entry]) -> list[Facts]:
    """The facts of all columns, a few columns at a time: a file may have ten thousand."""
    rows = data.rows
    short = rows <= LONG
    width = max(CELLS // max(rows, 1), 1) if short else TOGETHER
    found = []
    for start in range(0, len(data.schema.names), width):
        names = data.schema.names[start : start + width]
        counted = _held(data, names) if short else _asked(data, names)
        for name, seen in zip(names, counted, strict=True):
            found.append(Facts(name, kinds[name], rows, *seen, entry=entries.get(name, Entry())))
    return found


Seen = tuple[int, int, "pa.Array", "NDArray[Any]", bool]
"""Gaps, different values, these with their counts, and whether they are all there."""


def _held(data: Dataset, names: Sequence[str]) -> Iterator[Seen]:
    """Counted in memory: one pass for all these columns."""
    table = data.engine.arrays(data.frame.select(*names))
    for name in names:
        column = table[name].combine_chunks()
        values, counts = _counted(column)
        gaps, distinct = column.null_count, len(values)
        if distinct > MOST:
            values, counts = _counted(column.slice(0, FIRST))
        yield gaps, distinct, values, counts, distinct <= MOST


def _asked(data: Dataset, names: Sequence[str]) -> Iterator[Seen]:
    """Counted by the engine: one pass for the numbers, and one for each column with few different values."""
    import narwhals as nw

    from schleier.core.data import tally

    columns = [nw.col(name) for name in names]
    distincts = {f"distinct{i}": column.n_unique() for i, column in enumerate(columns)}
    totals = data.totals(**distincts, **{f"gaps{i}": tally(column.is_null()) for i, column in enumerate(columns)})
    for i, column in enumerate(columns):
        gaps = int(totals[f"gaps{i}"] or 0)
        # An engine may count missing as a value of its own.
        distinct = int(totals[f"distinct{i}"] or 0) - (1 if gaps else 0)
        if distinct <= MOST:
            values, counts = data.counts(column)
            yield gaps, len(values), values, counts, True
        else:
            first = data.engine.arrays(data.frame.select(_value_=column).head(FIRST))["_value_"]
            yield gaps, distinct, *_counted(first.combine_chunks()), False


def _counted(column: pa.Array) -> tuple[pa.Array, NDArray[Any]]:
    """The different values in order, and how often each is there."""
    import numpy as np
    import pyarrow.compute as pc

    found = pc.value_counts(column.drop_null())
    values = found.field("values")
    order = pc.array_sort_indices(values)
    return values.take(order), np.asarray(found.field("counts").take(order))
