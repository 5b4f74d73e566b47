"""Strata with too few values of a column to protect one by another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset


def small_strata(
    rows: Dataset, by: Sequence[str], counts: Mapping[str, nw.Expr], fewest: int
) -> Iterator[tuple[str, int, str]]:
    """Columns with strata that hold some values, but fewer than needed: name, number of strata, what is wrong.

    ``counts`` says for each column how many of its values a stratum holds.
    """
    import numpy as np

    table = rows.grouped(list(by), {f"_n{j}_": count for j, count in enumerate(counts.values())})
    for j, name in enumerate(counts):
        sizes = np.nan_to_num(table.column(f"_n{j}_").to_numpy(zero_copy_only=False).astype(np.float64))
        small = int(np.sum((sizes > 0) & (sizes < fewest)))
        if small:
            where = f"{small} of {len(sizes)} strata hold" if by else "the file holds"
            yield name, small, f"{where} fewer than {fewest} values of '{name}'"
