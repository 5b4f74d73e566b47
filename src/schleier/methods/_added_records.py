"""Records that are added to a table: row keys, units and types that fit the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.engine import Source
from schleier.core.errors import DataError, stop
from schleier.core.schema import Schema
from schleier.methods._running_numbers import MEANING, renumbered

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

    from schleier.core.data import Dataset
    from schleier.core.run import Run

MARK = "\x1f"
"""Between an old row key and what tells the copy: no key holds it by chance. Row keys are never released."""
LARGEST = 2**62


def with_wide_numbers(data: Dataset, also: Sequence[str] = ()) -> Dataset:
    """The columns of the schema and ``also`` some others, whole numbers in 64 bits: what is added may be larger."""
    import narwhals as nw

    types = data.frame.collect_schema()
    names = (data.schema.key, *data.schema.names, *also)
    frame = data.frame.select(*(nw.col(n).cast(nw.Int64) if types[n].is_integer() else nw.col(n) for n in names))
    return replace(data, frame=frame)


def appended(data: Dataset, changed: pa.Table, added: Sequence[pa.Table]) -> Dataset:
    """The rows of a dataset with rows it had before, ``changed``, and with further ones, ``added``.

    The latter are marked by their row keys: nobody stands behind them, so that criteria do not count them.
    """
    import narwhals as nw
    import pyarrow as pa

    names, key = data.frame.collect_schema().names(), data.schema.key
    further = data.engine.read(Source(pa.concat_tables([table.select(names) for table in (changed, *added)])))
    frame = nw.concat([data.frame.select(*names), further.select(*names)])
    marks = pa.concat_tables([table.select([key]).rename_columns(["_key_"]) for table in added])
    new = data.engine.read(Source(marks))
    return replace(data, frame=frame, added=new if data.added is None else nw.concat([_wide(data.added), new]))


def _wide(marks: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Marks of an earlier step, numbers as wide as those of the rows are by now."""
    import narwhals as nw

    whole = marks.collect_schema()["_key_"].is_integer()
    return marks.select(nw.col("_key_").cast(nw.Int64)) if whole else marks


def renamed(data: Dataset, run: Run, rows: pa.Table, columns: Sequence[str], copy: int) -> pa.Table:
    """Rows as the ``copy``-th copy of themselves: new row keys, new units.

    A number moves by the range of all numbers, so that it meets none; text gets an end of its own for each step. Both
    tell whose copy it is: ``fresh_units`` must follow.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    end = f"{run.subkey('copies')[:4].hex()}{copy}"
    spans = _spans(data, [name for name in columns if pa.types.is_integer(rows.schema.field(name).type)])
    for name in columns:
        held = rows.column(name)
        if name in spans:
            new = pc.add(held, pa.scalar(spans[name] * copy, held.type))
        elif pa.types.is_string(held.type) or pa.types.is_large_string(held.type):
            mark = MARK if name == data.schema.key else "+"
            new = pc.binary_join_element_wise(held, pa.scalar(mark + end, held.type), pa.scalar("", held.type))
        else:
            stop(DataError, "copy-type", name, f"no new values can be made for column '{name}'", "renumber it first")
        rows = rows.set_column(rows.column_names.index(name), rows.schema.field(name), new)
    return rows


def fresh_units(data: Dataset, run: Run) -> Dataset:
    """All units numbered anew in random order, those of the other records too: no number tells what was added."""
    import narwhals as nw

    for name in data.schema.having("unit"):
        kind = data.frame.collect_schema()[name]
        frame, _ = renumbered(data, run, name)
        data = replace(data, frame=frame.with_columns(nw.col(name).cast(kind)))
    return data


def after_adding(schema: Schema) -> Schema:
    """Units are numbers without meaning; identifiers are gone, since what was added could have none."""
    for name in schema.having("unit"):
        schema = schema.changed(name, **MEANING)
    return schema.without(schema.having("identifier"))


def put(rows: pa.Table, columns: Mapping[str, Any]) -> pa.Table:
    """Rows with some columns replaced by other values of the same types; what was missing stays missing."""
    import numpy as np
    import pyarrow as pa

    for name, values in columns.items():
        field = rows.schema.field(name)
        gone = rows.column(name).is_null().to_numpy()
        held = np.where(gone, 0, values) if np.asarray(values).dtype.kind in "fiu" else values
        kept = np.asarray(held).astype(field.type.to_pandas_dtype()) if np.asarray(held).dtype.kind in "fiu" else held
        new = pa.array(kept, field.type, mask=gone)
        rows = rows.set_column(rows.column_names.index(name), field, new)
    return rows


def _spans(data: Dataset, names: Sequence[str]) -> dict[str, int]:
    """How far apart the smallest and the largest number of some columns are, and one more."""
    import narwhals as nw

    exprs = {f"_{end}_{i}_": getattr(nw.col(n), end)() for i, n in enumerate(names) for end in ("min", "max")}
    seen = data.totals(**exprs) if exprs else {}
    spans = {n: int(seen[f"_max_{i}_"] or 0) - int(seen[f"_min_{i}_"] or 0) + 1 for i, n in enumerate(names)}
    for i, name in enumerate(names):
        if abs(int(seen[f"_max_{i}_"] or 0)) + 1000 * spans[name] > LARGEST:
            message = f"the numbers of column '{name}' are too large to be continued"
            stop(DataError, "copy-type", name, message, "renumber it first, or choose another row key")
    return spans
