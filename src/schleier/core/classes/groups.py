"""Class tables made of rows that an engine has grouped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from schleier.core.classes.histogram import combined, from_entries
from schleier.core.classes.magnitude import contributed
from schleier.core.classes.members import Members
from schleier.core.classes.parts import SQUARE_UNIT, WEIGHT_UNIT, Parts
from schleier.core.classes.table import Classes, pa_concat, sorted_codes

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.hierarchy import Hierarchy


def from_groups(
    parts: Parts,
    keys: Sequence[str],
    hierarchies: Sequence[Hierarchy | None],
    magnitudes: Mapping[str, tuple[pa.Table, pa.Table]] = MappingProxyType({}),
) -> Classes:
    """Classes from rows that may be grouped, as finely as need be; for each magnitude its contributions."""
    import numpy as np

    from schleier.kernels.classes.coding import add_up, merge

    table, members = parts.table, () if parts.members is None else (parts.members,)
    spread, shares = (part for part, _ in parts.spread.values()), (one for both in magnitudes.values() for one in both)
    tables = list({id(part): part for part in (table, *spread, *shares, *members)}.values())
    with ThreadPoolExecutor() as pool:  # Arrow codes columns without holding the interpreter
        coded = list(pool.map(lambda key: sorted_codes(pa_concat([part.column(key) for part in tables])), keys))
    rows, places = merge(_stack([codes for _, codes in coded], sum(len(part) for part in tables)))
    ends = np.cumsum([len(part) for part in tables])
    place_of = {id(part): places[end - len(part) : end] for part, end in zip(tables, ends, strict=True)}

    def spots(part: pa.Table) -> NDArray[np.int64]:
        """The class of each row of a part."""
        return place_of[id(part)]

    def amounts(name: str, unit: float = 1.0) -> NDArray[Any] | None:
        if name not in table.column_names:
            return None
        sums = add_up(_whole(table.column(name)), spots(table), len(rows))
        return sums if unit == 1.0 else sums / unit

    histograms = {}
    for name, (part, columns) in parts.spread.items():
        each = [sorted_codes(part.column(column)) for column in columns]
        values, codes = each[0] if len(each) == 1 else combined(columns, each)
        histograms[name] = from_entries(values, spots(part), codes, part.column("_n_").to_numpy())
    owned = {name: contributed(pair, spots(pair[0]), spots(pair[1]), len(rows)) for name, pair in magnitudes.items()}
    sizes = amounts("_n_")
    held = next((_members(part, spots(part)) for part in members), None)
    return Classes(
        keys=tuple(keys),
        values=tuple(values for values, _ in coded),
        codes=rows,
        sizes=np.asarray(sizes, dtype=np.int64),
        weights=amounts("_w_", WEIGHT_UNIT),
        squares=amounts("_ww_", SQUARE_UNIT),
        units=amounts("_u_") if held is None else held.counts(len(rows)),
        members=held,
        histograms=histograms,
        hierarchies=tuple(hierarchies),
        magnitudes=owned,
    )


def _whole(column: pa.ChunkedArray) -> NDArray[Any]:
    """Whole numbers; a class without any weight stands for nobody: the strict reading."""
    import numpy as np
    import pyarrow as pa

    if pa.types.is_decimal(column.type):  # DuckDB adds up in 128 bits: as Python objects these would take seconds
        column = column.cast(pa.float64(), safe=False)
    return np.asarray(column.fill_null(0))


def _members(table: pa.Table, classes: NDArray[np.int64]) -> Members:
    import numpy as np

    from schleier.kernels.classes.coding import sum_pairs

    units = sorted_codes(table.column("_unit_"))[1].astype(np.int64)
    known, rows = units >= 0, table.column("_n_").to_numpy().astype(np.int64)
    return Members(*sum_pairs(classes[known], units[known], rows[known]))


def _stack(codes: Sequence[NDArray[np.int32]], rows: int) -> NDArray[np.int32]:
    import numpy as np

    # Column by column in memory, which is how codes are read.
    return np.stack(codes).T if codes else np.zeros((rows, 0), dtype=np.int32)
