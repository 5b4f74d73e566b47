"""Class tables made of rows that an engine has grouped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from schleier.core.classes.histogram import combined, from_entries
from schleier.core.classes.magnitude import contributed
from schleier.core.classes.members import Members
from schleier.core.classes.table import Classes, pa_concat, sorted_codes

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.hierarchy import Hierarchy


def from_groups(
    table: pa.Table,
    keys: Sequence[str],
    hierarchies: Sequence[Hierarchy | None],
    sensitive: Mapping[str, pa.Table],
    magnitudes: Mapping[str, tuple[pa.Table, pa.Table]] = MappingProxyType({}),
    members: pa.Table | None = None,
) -> Classes:
    """Classes from grouped rows: key columns and ``_n_``, with ``_w_``, ``_ww_`` and ``_u_`` where asked for.

    Groups may be finer than the keys when only their sizes matter. For each histogram the rows grouped by the keys and
    its columns too; for each magnitude its contributions. ``members`` are the units ``_unit_`` of each group, missing
    where rows have none; they may be the groups themselves.
    """
    import numpy as np

    from schleier.kernels.classes.coding import add_up, merge

    whose = () if members is None else (members,)
    others = [*sensitive.values(), *(part for both in magnitudes.values() for part in both), *whose]
    parts = [table, *(part for part in others if part is not table)]
    with ThreadPoolExecutor() as pool:  # Arrow codes columns without holding the interpreter
        coded = list(pool.map(lambda key: sorted_codes(pa_concat([part.column(key) for part in parts])), keys))
    everything = _stack([codes for _, codes in coded], sum(len(part) for part in parts))
    rows, place = merge(everything[: len(table)])

    def amounts(name: str) -> NDArray[Any] | None:
        return add_up(table.column(name).to_numpy(), place, len(rows)) if name in table.column_names else None

    offset = len(table)

    def spots(part: pa.Table) -> NDArray[np.int64]:
        """The class of each row of the next part."""
        nonlocal offset
        if part is table:
            return place
        _, both = merge(np.concatenate([rows, everything[offset : offset + len(part)]]))
        offset += len(part)
        spot = np.zeros(int(both.max(initial=-1)) + 1, dtype=np.int64)
        spot[both[: len(rows)]] = np.arange(len(rows))
        return spot[both[len(rows) :]]

    histograms = {}
    for name, part in sensitive.items():
        columns = [column for column in part.column_names if column not in (*keys, "_n_")]
        each = [sorted_codes(part.column(column)) for column in columns]
        values, codes = each[0] if len(each) == 1 else combined(columns, each)
        histograms[name] = from_entries(values, spots(part), codes, part.column("_n_").to_numpy())
    shares = {name: contributed(pair, spots(pair[0]), spots(pair[1]), len(rows)) for name, pair in magnitudes.items()}
    sizes = amounts("_n_")
    held = None if members is None else _members(members, spots(members))
    return Classes(
        keys=tuple(keys),
        values=tuple(values for values, _ in coded),
        codes=rows,
        sizes=np.asarray(sizes, dtype=np.int64),
        weights=amounts("_w_"),
        squares=amounts("_ww_"),
        units=amounts("_u_") if held is None else held.counts(len(rows)),
        members=held,
        histograms=histograms,
        hierarchies=tuple(hierarchies),
        magnitudes=shares,
    )


def _members(table: pa.Table, classes: NDArray[np.int64]) -> Members:
    import numpy as np

    units = sorted_codes(table.column("_unit_"))[1].astype(np.int64)
    width = int(units.max(initial=0)) + 1
    known = np.flatnonzero(units >= 0)
    order = known[np.argsort(classes[known] * width + units[known])]  # each pair is there once
    rows = table.column("_n_").to_numpy().astype(np.int64)
    return Members(classes[order], units[order], rows[order])


def _stack(codes: Sequence[NDArray[np.int32]], rows: int) -> NDArray[np.int32]:
    import numpy as np

    # Column by column in memory, which is how codes are read.
    return np.stack(codes).T if codes else np.zeros((rows, 0), dtype=np.int32)
