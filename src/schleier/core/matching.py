"""Look up combinations of values, missing ones included: SQL never joins what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schleier.core.data import Dataset
from schleier.core.engine import Source

if TYPE_CHECKING:
    import pyarrow as pa

GAPS = "_gaps_"


def matched(data: Dataset, table: pa.Table, keys: Sequence[str]) -> Dataset:
    """Every row with the further columns of the table's row that has the same keys; missing where there is none.

    Missing equals missing. The keys of the table must be distinct, its further columns have working names.
    One join of any number of rows: a key travels as its value, filled where missing, and all gaps as one number.

    >>> import pyarrow as pa
    >>> from schleier.core.schema import Column, Schema
    >>> data = Dataset.from_frame(pa.table({"x": ["a", None]}), Schema(columns=[Column(name="x", scale="nominal")]))
    >>> found = matched(data, pa.table({"x": pa.array([None], pa.string()), "_n_": [7]}), ["x"])
    >>> found.engine.arrays(found.frame.sort("_row_").select("_n_"))["_n_"].to_pylist()
    [None, 7]
    """
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    gaps, mask = np.zeros(len(table), dtype=np.int64), nw.lit(0)
    left, right = {}, {}
    for i, key in enumerate(keys):
        column, value = table.column(key), nw.col(key)
        gaps += column.is_null().to_numpy().astype(np.int64) << i
        mask = mask + nw.when(value.is_null()).then(nw.lit(1 << i)).otherwise(nw.lit(0))
        held = column.drop_null()
        if len(held):  # any value of the right type will do: the gap tells it from the real one
            right[f"_key_{i}_"] = pc.fill_null(column, held[0])
            left[f"_key_{i}_"] = nw.when(value.is_null()).then(nw.lit(held[0].as_py())).otherwise(value)
    further = {name: table.column(name) for name in table.column_names if name not in keys}
    lookup = data.engine.read(Source(pa.table({GAPS: gaps, **right, **further})))
    names = data.frame.collect_schema().names()
    joined = data.frame.with_columns(**{GAPS: mask.cast(nw.Int64)}, **left)
    joined = joined.join(lookup, on=[GAPS, *right], how="left")
    return data.reframed(joined.select(*names, *further))
