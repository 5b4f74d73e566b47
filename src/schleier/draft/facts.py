"""What the values of a column show before anybody described it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schleier.core.dictionary import Entry

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset

MOST = 50_000
"""Different values of a column that are looked at; of a column with more, the values of its first rows."""


@dataclass(frozen=True)
class Facts:
    """One column: how many values, how many different ones, and these (or some of them) with their counts."""

    name: str
    kind: str
    """What the file says it holds; see ``io.Kind``."""
    rows: int
    gaps: int
    distinct: int
    values: pa.Array = field(repr=False)
    counts: NDArray[Any] = field(repr=False)
    whole: bool
    """Whether all different values are there; otherwise those of the first rows."""
    entry: Entry = Entry()  # noqa: RUF009  # frozen

    @cached_property
    def texts(self) -> list[str]:
        """The values as text."""
        import pyarrow as pa

        return [str(value) for value in self.values.cast(pa.string()).to_pylist()]

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

    def entropy(self) -> float | None:
        """E = -sum p ln p over the values; only known when all of them were seen."""
        import numpy as np

        if not self.whole or not self.filled:
            return None
        shares = self.counts / self.counts.sum()
        return float(-(shares * np.log(shares)).sum())


def gather_facts(data: Dataset, kinds: Mapping[str, str], entries: Mapping[str, Entry]) -> list[Facts]:
    """The facts of all columns: one pass for the numbers, and one for each column with few different values."""
    import narwhals as nw

    columns = [nw.col(name) for name in data.schema.names]
    sums = {f"{what}{i}": expr for i, c in enumerate(columns) for what, expr in _sums(c).items()}
    totals = data.totals(rows=nw.len(), **sums)
    found = []
    for i, name in enumerate(data.schema.names):
        gaps = int(totals[f"gaps{i}"] or 0)
        # An engine may count missing as a value of its own.
        distinct = int(totals[f"distinct{i}"] or 0) - (1 if gaps else 0)
        values, counts = _seen(data, columns[i], distinct <= MOST)
        found.append(
            Facts(
                name,
                kinds[name],
                int(totals["rows"]),
                gaps,
                len(values) if distinct <= MOST else distinct,
                values,
                counts,
                whole=distinct <= MOST,
                entry=entries.get(name, Entry()),
            )
        )
    return found


def _sums(column: Any) -> dict[str, Any]:
    from schleier.core.data import tally

    return {"distinct": column.n_unique(), "gaps": tally(column.is_null())}


def _seen(data: Dataset, column: Any, few: bool) -> tuple[pa.Array, NDArray[Any]]:
    import numpy as np
    import pyarrow.compute as pc

    if few:
        return data.counts(column)
    first = data.engine.arrays(data.frame.select(_value_=column).head(MOST))["_value_"].combine_chunks().drop_null()
    counted = pc.value_counts(first)
    return counted.field("values"), np.asarray(counted.field("counts"))
