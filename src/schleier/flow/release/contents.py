"""What the released rows themselves show: which labelled values occur, and which columns tell all records apart."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.amount import LEAST
from schleier.core.data import Dataset
from schleier.core.engine import Source
from schleier.core.schema import OPEN, Column, Role
from schleier.core.sets import holds_lists, lists_as_text
from schleier.core.units import distinct

if TYPE_CHECKING:
    import pyarrow as pa

JOINING: tuple[Role, ...] = (*OPEN, "weight")
"""Roles of columns that nobody coarsens, so that their values are the same in two releases."""
NEARLY = 0.95
"""Different values for each one there is, from which on a column tells nearly all records apart."""
SAMPLE, TOGETHER = 10_000, 100
"""Rows that are looked at first, and columns at once: rows are in random order, so most columns are settled there."""
ORDERS = 100.0
"""Two to this power orders cannot be tried."""
TRUTH = {"true": "1", "false": "0"}


def occurring(path: Path, columns: Sequence[Column]) -> dict[str, Counter[str]]:
    """By column: the labelled values and the reasons that occur in written rows, as declared, with their counts."""
    declared = {c.name: tuple(dict.fromkeys((*c.labels, *map(_word, c.reasons)))) for c in columns}
    told = {name: codes for name, codes in declared.items() if codes}
    found = {name: Counter[str]() for name in told}
    for batch in _pieces(path, list(told)):
        for name, codes in told.items():
            found[name].update(_counts(batch.column(name), codes))
    return found


def only_occurring(columns: Sequence[Column], found: Mapping[str, Counter[str]], least: int = 1) -> tuple[Column, ...]:
    """The columns without labels and reasons that occur less often: they would tell of persons who are not there."""

    def kept(column: Column) -> Column:
        counts = found.get(column.name, Counter())
        labels = {code: told for code, told in column.labels.items() if counts[code] >= least}
        reasons = tuple(code for code in column.reasons if counts[_word(code)] >= least)
        return column.model_copy(update={"labels": labels, "reasons": reasons})

    return tuple(map(kept, columns))


def _word(code: float | str) -> str:
    """A code as rows of words hold it: 1 for 1.0."""
    return str(int(code) if isinstance(code, float) and code.is_integer() else code)


def possible_orders(path: Path, names: Sequence[str], enough: float = ORDERS) -> float:
    """In how many orders the written rows could stand, as a power of two: by the column that tells most of them apart.

    Whoever knows all rows but one tries orders until the digest fits; where they are few he finds the last row.
    Orders of the first rows alone are fewer, so that mostly these settle it.
    """
    import pyarrow.parquet as pq

    best = 0.0
    with pq.ParquetFile(path) as whole:
        first = next(whole.iter_batches(batch_size=SAMPLE, columns=[*names[:TOGETHER]]), None)
        all_rows = (whole.read(columns=[name]).column(0).combine_chunks() for name in names)
        for column in itertools.chain(() if first is None else first.columns, all_rows):
            best = max(best, _orders(column))
            if best >= enough:
                break
    return best


def _orders(values: pa.Array) -> float:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    from scipy.special import gammaln

    flat = lists_as_text(values) if holds_lists(values.type) else values
    plain = flat.cast(pa.string()) if pa.types.is_dictionary(flat.type) else flat
    counts = np.asarray(pc.value_counts(plain).field("counts"))
    return float((gammaln(counts.sum() + 1) - gammaln(counts + 1).sum()) / np.log(2))


def joining_columns(path: Path, data: Dataset, judged: Collection[str] = ()) -> tuple[Column, ...]:
    """Columns nobody protects that hold another value in (nearly) every record of the written rows.

    Among them are keys that no criterion has ``judged``: to call a column one protects nobody.

    Whoever gets two releases with such a column joins them, whatever keys they were made with.
    """
    import narwhals as nw
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, pre_buffer=False) as file:
        rows, schema = file.metadata.num_rows, file.schema_arrow
        wanted = [*data.schema.having(*JOINING), *(name for name in data.schema.quasi if name not in judged)]
        names = [name for name in wanted if not holds_lists(schema.field(name).type)]
        unique = [name for i in range(0, len(names), TOGETHER) for name in _unique_in(file, names[i : i + TOGETHER])]
    if unique and rows > SAMPLE:
        written = Dataset(data.engine.read(Source(path)), data.schema, data.engine)
        sums = {f"d{i}": distinct(nw.col(name)) for i, name in enumerate(unique)}
        filled = {f"n{i}": nw.col(name).count() for i, name in enumerate(unique)}
        told = written.totals(**sums, **filled)
        unique = [name for i, name in enumerate(unique) if told[f"d{i}"] >= NEARLY * told[f"n{i}"]]
    return tuple(data.schema[name] for name in unique)


def varying(path: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Those of some columns in which the written rows differ; missing is a value too."""
    import pyarrow as pa

    first: dict[str, Any] = {}
    found: set[str] = set()
    for batch in _pieces(path, list(names)):
        for name in names:
            if name in found or not batch.num_rows:
                continue
            column = batch.column(name)
            if holds_lists(column.type):
                found.add(name)
                continue
            start = first.setdefault(name, column[0])
            values = pa.concat_arrays([pa.array([start.as_py()], column.type), column])
            if len(values.unique()) > 1:
                found.add(name)
        if len(found) == len(names):
            break
    return tuple(name for name in names if name in found)


def _unique_in(file: Any, names: list[str]) -> Iterator[str]:
    import pyarrow.compute as pc

    batch = next(file.iter_batches(batch_size=SAMPLE, columns=names), None)
    if batch is None:
        return
    for name in names:
        column = batch.column(name)
        filled = len(column) - column.null_count
        if filled >= LEAST and pc.count_distinct(column).as_py() >= NEARLY * filled:
            yield name


def _pieces(path: Path, names: list[str]) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    if names:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            yield from file.iter_batches(columns=names)


def _counts(column: pa.Array, codes: Sequence[str]) -> dict[str, int]:
    """How often each of some codes occurs; a number is the same however it is written."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if holds_lists(column.type):
        column = pc.list_flatten(column)
    numbers = pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_boolean(column.type)
    wanted: dict[Any, list[str]] = {}
    for code in codes:
        value = _number(TRUTH.get(code, code)) if numbers else code
        if value is not None:
            wanted.setdefault(value, []).append(code)
    kind = pa.float64() if numbers else pa.string()
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    values = column.cast(kind, safe=False)
    known = values.filter(pc.is_in(values, value_set=pa.array(list(wanted), kind)))
    counts = known.value_counts().to_pylist()
    return {code: one["counts"] for one in counts if one["values"] is not None for code in wanted[one["values"]]}


def _number(code: str) -> float | None:
    try:
        return float(code)
    except ValueError:
        return None
