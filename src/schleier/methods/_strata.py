"""Numbers of one stratum after the other, for methods that learn from them and change them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.engine import Kernel, Source
from schleier.methods._discrete import POOL, STRATUM, Discrete
from schleier.methods._keyed_rows import NUMBER, with_row_numbers

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run
    from schleier.kernels.change.keyed import KeyedDraws

    Floats = NDArray[np.float64]

Change = Callable[["Floats", str, "KeyedDraws"], "Floats"]
"""Told numbers (missing is NaN), the name of their stratum and their draws, says the new numbers."""
CARRIED = 4
"""So many other columns are carried along in memory: joining the changed ones to them would take as much."""


def stratum_numbers(step: Discrete, data: Dataset, run: Run) -> Iterator[tuple[str, Floats]]:
    """The numbers of each stratum in row-key order, all in memory; ``step`` has learned its strata."""
    import numpy as np

    from schleier.kernels.change.keyed import KeyedDraws

    _, cells = _in_memory(step, data, run)
    rows = len(cells[NUMBER])
    if not rows:
        return
    starts = np.zeros(1, np.int64)
    if STRATUM in cells:
        starts = np.concatenate((starts, np.flatnonzero(cells[STRATUM][1:] != cells[STRATUM][:-1]) + 1))
    for start, end in zip(starts, [*starts[1:], rows], strict=True):
        group = {name: column[start:end] for name, column in cells.items()}
        draws = KeyedDraws(run.subkey("noise"), group[NUMBER])
        yield str(group[STRATUM][0]) if STRATUM in cells else POOL, step.numbers(group, data.schema, draws)


def changed_numbers(step: Discrete, data: Dataset, run: Run, change: Change) -> Dataset:
    """The dataset with the numbers of each stratum changed."""
    import narwhals as nw

    from schleier.kernels.change.keyed import KeyedDraws

    schema, key = data.schema, run.subkey("noise")

    def kernel(group: Arrays) -> dict[str, NDArray[Any]]:
        draws = KeyedDraws(key, group[NUMBER])
        new = change(step.numbers(group, schema, draws), str(group[STRATUM][0]) if STRATUM in group else POOL, draws)
        return step.released(new, group, schema)

    if step.splits(schema):
        rows, by = step.split(with_row_numbers(data, run))
        frame = rows.map_groups(by, kernel, step.types(data), [NUMBER, *by, *step.given(schema)]).frame
    else:  # all rows are one group: no need to sort and write them
        frame = _at_once(step, data, run, kernel)
    names = [nw.col(name) for name in (schema.key, *schema.names)]
    return replace(data, frame=frame.select(*names), schema=step.after(schema))


def _at_once(step: Discrete, data: Dataset, run: Run, kernel: Kernel) -> nw.LazyFrame[Any]:
    """The frame with its changed columns, computed in memory."""
    key, types = data.schema.key, step.types(data)
    others = [name for name in data.schema.names if name not in types]
    carried = others if len(others) <= CARRIED else []
    held, cells = _in_memory(step, data, run, carried)
    new = kernel(cells) if len(held) else {name: cells[name] for name in types}
    cells.clear()
    result = data.engine.read(Source(_table(held, new, types)))
    return result if carried == others else data.frame.drop(*types).join(result, on=key, how="left")


def _in_memory(
    step: Discrete, data: Dataset, run: Run, carried: Sequence[str] = ()
) -> tuple[pa.Table, dict[str, NDArray[Any]]]:
    """Row keys with columns to carry along, and what the step looks at, by stratum and in row-key order."""
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    key, by = data.schema.key, tuple[str, ...]()
    whole = data.frame.collect_schema()[key].is_integer()
    rows = data if whole else with_row_numbers(data, run)  # whole numbers are the numbers of the rows themselves
    if step.splits(data.schema):
        rows, by = step.split(rows)
    looked_at = (*step.metric(data.schema), *step.coded(data.schema), *step.given(data.schema))
    columns = (*by, *looked_at, *(() if whole else (NUMBER,)))
    wanted = [nw.col(name) for name in dict.fromkeys((key, *columns, *carried))]
    table = rows.engine.arrays(rows.frame.select(*wanted))
    if by or not whole or not _ascending(table.column(key).to_numpy()):
        table = table.take(pc.sort_indices(table, [(name, "ascending") for name in (*by, key)]))
    cells = {name: table.column(name).to_numpy() for name in columns}
    if not whole:
        return table.select([key, *carried]), cells
    cells[NUMBER] = table.column(key).to_numpy().astype(np.int64, copy=False)
    # A copy of the keys, or they would hold the memory of all columns they came with.
    keys = pa.array(cells[NUMBER]).cast(table.schema.field(key).type)
    return table.select(carried).add_column(0, key, keys), cells


def _ascending(keys: NDArray[Any]) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


def _table(held: pa.Table, new: Arrays, types: dict[str, Any]) -> pa.Table:
    """With the changed columns, in the types they are to have; NaN is missing."""
    import narwhals as nw
    import pyarrow as pa

    known = {nw.Int64(): pa.int64(), nw.Float64(): pa.float64(), nw.String(): pa.string(), nw.Boolean(): pa.bool_()}
    for name, kind in types.items():
        held = held.append_column(name, pa.array(new[name], type=known[kind], from_pandas=True))
    return held
