"""Frames of other libraries as Arrow tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schleier.core.component import listed
from schleier.core.errors import DataError, Problem, stop

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

    from schleier.core.schema import Schema


def arrow_table(frame: Any, schema: Schema | None = None) -> pa.Table:
    """Any frame as an Arrow table, with an index of pandas only where the schema describes it.

    Names that are no texts become texts. What cannot be converted is an error that quotes no value.

    >>> import pandas
    >>> arrow_table(pandas.DataFrame([[34, "f"]])).column_names
    ['0', '1']
    """
    import narwhals as nw
    import pyarrow as pa
    from narwhals.exceptions import DuplicateError

    try:
        given = nw.from_native(_streamed(frame))
    except TypeError:
        message = f"rows are a table of pandas, Polars or Arrow, and this is a {type(frame).__name__}"
        stop(DataError, "not-a-frame", "data", message)
    except DuplicateError:
        stop(DataError, "duplicate-columns", "data", "column names occur more than once")
    try:
        here = _named(given.collect() if isinstance(given, nw.LazyFrame) else given)
        if any("\0" in name for name in here.columns):
            stop(DataError, "bad-column-name", "data", "no column can have a name with a null character", "rename it")
        table = here.to_arrow()
        described = {*schema.names, schema.key} if schema else set[str]()
        wanted = {*here.columns, *described}  # pandas adds its index, a column only if described
        table = _plain(table.select([name for name in table.column_names if name in wanted]))
        types = pa.schema([field.with_type(_settled(field, schema)) for field in table.schema])
        return table.cast(types, safe=False)
    except (MemoryError, DataError):
        raise
    except DuplicateError:
        problem = Problem("duplicate-columns", "data", "column names occur more than once")
    except pa.ArrowException:
        problem = _mixed(here)
    except Exception as error:  # whatever computes a frame of others
        message = f"the frame could not be turned into a table ({type(error).__name__})"
        problem = Problem("unreadable-frame", "data", message, "compute it first, and give every column one type")
    raise DataError(problem)  # outside the handler: libraries quote values


def _streamed(frame: Any) -> Any:
    """Rows that only come in batches as one table; anything else as it is."""
    import pyarrow as pa

    streams = isinstance(frame, pa.RecordBatch | pa.RecordBatchReader)
    return pa.table(frame) if isinstance(frame, pa.RecordBatch) else frame.read_all() if streams else frame


def _named(frame: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
    """A frame of pandas whose names may be numbers, or several words one above the other, with texts for names."""
    import narwhals as nw

    if all(isinstance(name, str) for name in frame.columns):
        return frame
    names = [" ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns]
    return nw.from_native(frame.to_native().set_axis(names, axis="columns"), eager_only=True)


def _plain(table: pa.Table) -> pa.Table:
    """Columns without a list of categories where these are of a kind that no file can hold, such as intervals."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        kind = field.type
        if pa.types.is_dictionary(kind) and isinstance(kind.value_type, pa.BaseExtensionType):
            table = table.set_column(place, field.name, table.column(place).combine_chunks().dictionary_decode())
    return table


def _mixed(frame: nw.DataFrame[Any]) -> Problem:
    """Which columns could not be turned into one of a table."""
    import pyarrow as pa

    wrong = []
    for name in frame.columns:
        try:
            frame.select(name).to_arrow()
        except pa.ArrowException:
            wrong.append(name)
    which = f"columns hold values of several types, or of a type that tables do not have: {listed(wrong)}"
    return Problem("mixed-types", "data", which, "give every column one type: numbers, texts or dates")


def _settled(field: pa.Field, schema: Schema | None) -> pa.DataType:
    """The type of a column, where Arrow and the engines would differ: nothing but gaps, or nanoseconds."""
    import pyarrow as pa

    if pa.types.is_null(field.type) and schema is None:
        return pa.string()
    if pa.types.is_null(field.type) and schema is not None and field.name in schema:
        words = {"continuous": pa.float64(), "discrete": pa.int64(), "time": pa.date32()}
        return words.get(schema[field.name].scale, pa.string())
    if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
        return pa.timestamp("us", field.type.tz)
    return field.type
