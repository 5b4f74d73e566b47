"""The combinations of categories that occur, stratum by stratum: what transition probabilities are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schleier.core.classes.table import sorted_codes

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.schema import Schema


@dataclass(frozen=True)
class CategoryCells:
    """Combinations in lexical order, their records, and the number of their stratum."""

    table: pa.Table
    sizes: NDArray[np.int64]
    stratum: NDArray[np.int64]

    def columns(self) -> dict[str, Any]:
        """As columns that can be packed."""
        return {name: self.table.column(name).combine_chunks() for name in self.table.column_names}

    def values(self, name: str, some: NDArray[np.int64] | None = None) -> list[Any]:
        """The categories of one column."""
        column = self.table.column(name)
        found: list[Any] = (column if some is None else column.take(some)).to_pylist()
        return found

    def outside(self, known: pa.Table) -> int:
        """How many combinations are not among those of a table."""
        names = self.table.column_names
        there = set(zip(*(known.column(name).to_pylist() for name in names), strict=True))
        here = zip(*(self.table.column(name).to_pylist() for name in names), strict=True)
        return sum(cell not in there for cell in here)


def cells_of(data: Dataset, strata: Sequence[str], columns: Sequence[str]) -> CategoryCells:
    """Count the combinations in one pass; those with a missing category are left out, missing strata are not."""
    import narwhals as nw
    import numpy as np
    import pyarrow.compute as pc

    from schleier.kernels.classes.coding import merge

    names = [*strata, *columns]
    table = data.grouped(names, {"_n_": nw.len()})
    for name in columns:
        table = table.filter(pc.is_valid(table.column(name)))
    codes = [sorted_codes(table.column(name))[1] for name in names]
    order = np.lexsort(codes[::-1]) if len(table) else np.zeros(0, dtype=np.int64)
    table = table.take(order)
    if strata and len(table):
        stratum = merge(np.stack([code[order] for code in codes[: len(strata)]], axis=1))[1]
    else:
        stratum = np.zeros(len(table), dtype=np.int64)
    return CategoryCells(table.select(names), table.column("_n_").to_numpy().astype(np.int64), stratum)


def label_numbers(schema: Schema, name: str, column: Any, level: int) -> NDArray[np.int64]:
    """The number of the label each category has at a level of its hierarchy; who has none is alone."""
    import numpy as np

    hierarchy = schema.hierarchy(name)
    values = column.combine_chunks()
    words = hierarchy.labels(values, min(level, hierarchy.depth))
    codes = sorted_codes(words)[1].astype(np.int64)
    lost = np.flatnonzero(~hierarchy.covers(values) | (codes < 0))
    codes[lost] = codes.max(initial=0) + 1 + np.arange(len(lost))
    return codes
