"""What leaves the population: a survey of whole households, and a file with names that knows some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schleier.world.geography import Gazetteer
from schleier.world.names import names
from schleier.world.stream import Stream

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

RESPONSE = (0.0, 0.72, 0.84, 0.88, 0.90, 0.86, 0.80)
"""Share of households of each size that answer the survey; the weights make up for it."""
SURVEY = (
    "household land municipality age sex nationality marital schooling occupation industry income rent disease remark"
).split()
KNOWN = "municipality age sex nationality marital schooling occupation".split()
"""What the file with names knows about a person."""
MISREPORT = {
    "age": 0.04,
    "nationality": 0.01,
    "marital": 0.03,
    "schooling": 0.08,
    "occupation": 0.10,
    "municipality": 0.03,
}
"""Share of wrong entries in the file with names."""
GAPS = 0.02
"""Share of missing entries in the file with names."""


def survey(block: pa.RecordBatch, stream: Stream, fraction: float) -> pa.RecordBatch:
    """The households of a block that were chosen and answered, with weights that add up to the population."""
    import numpy as np
    import pyarrow as pa

    home = block.column("household").to_numpy()
    first = np.flatnonzero(np.concatenate([[True], home[1:] != home[:-1]]))
    size = block.column("household_size").to_numpy()[first]
    rate = fraction * np.asarray(RESPONSE)[size]
    chosen = stream.generator("survey").random(len(first)) < rate
    index = np.cumsum(np.concatenate([[True], home[1:] != home[:-1]])) - 1
    rows = np.flatnonzero(chosen[index])
    weight = np.round(1.0 / rate[index[rows]], 3)
    columns = {name: block.column(name).take(pa.array(rows)) for name in ("person", *SURVEY)}
    return pa.record_batch(columns | {"weight": pa.array(weight)})


def identification(block: pa.RecordBatch, stream: Stream, fraction: float, places: Gazetteer) -> pa.RecordBatch:
    """Another sample, of adults, with names; it has errors and gaps of its own."""
    import numpy as np
    import pyarrow as pa

    adult = block.column("age").to_numpy() >= 18
    drawn = stream.generator("identification").random(block.num_rows) < fraction
    rows = pa.array(np.flatnonzero(adult & drawn))
    sex = block.column("sex").indices.take(rows).to_numpy()
    columns: dict[str, Any] = {"person": block.column("person").take(rows), "name": names(stream, sex)}
    for column in KNOWN:
        values = block.column(column).take(rows)
        columns[column] = _wrong(column, values, stream, places)
    return pa.record_batch(columns)


def _wrong(column: str, values: pa.Array, stream: Stream, places: Gazetteer) -> pa.Array:
    """The entries as somebody else wrote them down: ages a year off, codes of a neighbour, gaps."""
    import numpy as np
    import pyarrow as pa

    count = len(values)
    if column not in MISREPORT:
        return values
    wrong = stream.uniform(f"wrong-{column}", count) < MISREPORT[column]
    gap = stream.uniform(f"gap-{column}", count) < GAPS
    if column == "age":
        off = np.where(stream.uniform("wrong-age-by", count) < 0.5, -1, 1)
        return pa.array(np.where(wrong, values.to_numpy() + off, values.to_numpy()).astype(np.int16), mask=gap)
    known = np.asarray(values.indices.fill_null(-1))
    other = _neighbour(known, len(values.dictionary), stream.uniform(f"wrong-{column}-by", count))
    found = np.where(wrong & (known >= 0), other, known)
    return pa.DictionaryArray.from_arrays(pa.array(found, mask=gap | (found < 0)), values.dictionary)


def _neighbour(known: NDArray[Any], size: int, uniform: NDArray[Any]) -> NDArray[Any]:
    """A code near the right one, never the right one itself."""
    import numpy as np

    reach = max(1, min(4, size - 1))
    step = 1 + (uniform * reach).astype(np.int64)
    return ((known + step) % size).astype(known.dtype)
