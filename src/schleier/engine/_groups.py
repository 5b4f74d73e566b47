"""What both engines share of ``map_groups`` (one group in, the changed columns out) and of ``fold``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.engine import Kernel, Summand


def arrow_type(dtype: Any) -> pa.DataType:
    """The Arrow type of a changed column."""
    import narwhals as nw
    import pyarrow as pa

    types = {nw.Int64: pa.int64(), nw.Float64: pa.float64(), nw.String: pa.string(), nw.Boolean: pa.bool_()}
    for known, found in types.items():
        if dtype == known:
            return found
    raise TypeError(f"map_groups changes columns to Int64, Float64, String or Boolean, not {dtype}")


def run_kernel(group: pa.Table, kernel: Kernel, types: Mapping[str, pa.DataType], row_key: str) -> pa.Table:
    """Run the kernel on one group (already in row-key order): row key and changed columns."""
    import pyarrow as pa

    given = {name: group.column(name).to_numpy(zero_copy_only=False) for name in group.column_names if name != row_key}
    result = kernel(given)
    columns = {name: pa.array(result[name], type=kind, from_pandas=True) for name, kind in types.items()}
    if any(len(column) != len(group) for column in columns.values()):
        raise ValueError("a group kernel must return as many values as it was given")
    return pa.table({row_key: group.column(row_key), **columns})


def consecutive_groups(batches: Iterable[pa.RecordBatch], by: Sequence[str]) -> Iterator[pa.Table]:
    """Groups of consecutive rows with equal ``by``, from batches of sorted rows; one group in memory at a time."""
    import numpy as np
    import pyarrow as pa

    from schleier.core.classes.table import sorted_codes
    from schleier.kernels.classes.coding import number_rows

    rest: pa.Table | None = None
    for batch in batches:
        table = pa.Table.from_batches([batch])
        table = table if rest is None else pa.concat_tables([rest, table])
        if not by or not len(table):
            rest = table
            continue
        codes = number_rows(np.stack([sorted_codes(table.column(name))[1] for name in by], axis=1))
        starts = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()]
        for start, end in itertools.pairwise(starts):
            yield table.slice(start, end - start)
        rest = table.slice(starts[-1])
    if rest is not None and len(rest):
        yield rest.combine_chunks()


def added_up(parts: Iterable[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """The sum of some arrays modulo 2^64; an empty array when there are none.

    >>> import numpy as np
    >>> added_up(np.array([2**63, 1], np.uint64) for _ in range(3)).tolist()
    [9223372036854775808, 3]
    """
    import numpy as np

    total: NDArray[np.uint64] | None = None
    for part in parts:
        total = part if total is None else total + part
    return np.zeros(0, np.uint64) if total is None else total


def in_turn(summand: Summand, batches: Iterable[pa.RecordBatch]) -> Iterator[NDArray[np.uint64]]:
    """What ``summand`` makes of each batch, computed while the next one is fetched."""
    from concurrent.futures import Future, ThreadPoolExecutor

    with ThreadPoolExecutor(1) as other:
        before: Future[NDArray[np.uint64]] | None = None
        for batch in batches:
            now = other.submit(summand, batch)
            if before is not None:
                yield before.result()
            before = now
        if before is not None:
            yield before.result()
