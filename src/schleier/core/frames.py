"""Frames of other libraries as Arrow tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, Problem, stop

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Schema


def arrow_table(frame: Any, schema: Schema | None = None) -> pa.Table:
    """Any frame as an Arrow table, with an index of pandas only where the schema describes it.

    What cannot be converted is an error that quotes no value.
    """
    import narwhals as nw
    import pyarrow as pa
    from narwhals.exceptions import DuplicateError

    try:
        given = nw.from_native(frame)
    except TypeError:
        message = f"rows are a table of pandas, Polars or Arrow, and this is a {type(frame).__name__}"
        stop(DataError, "not-a-frame", "data", message)
    except DuplicateError:
        stop(DataError, "duplicate-columns", "data", "column names occur more than once")
    try:
        here = given.collect() if isinstance(given, nw.LazyFrame) else given
        table = here.to_arrow()
        described = {*schema.names, schema.key} if schema else set[str]()
        wanted = {*here.columns, *described}  # pandas adds its index, a column only if described
        table = table.select([name for name in table.column_names if name in wanted])
        types = pa.schema([field.with_type(_settled(field, schema)) for field in table.schema])
        return table.cast(types, safe=False)
    except MemoryError:
        raise
    except DuplicateError:
        problem = Problem("duplicate-columns", "data", "column names occur more than once")
    except pa.ArrowException:
        message, hint = "a column holds values of several types", "give every column one type"
        problem = Problem("mixed-types", "data", message, hint)
    except Exception as error:  # whatever computes a frame of others
        message = f"the frame could not be turned into a table ({type(error).__name__})"
        problem = Problem("unreadable-frame", "data", message, "compute it first, and give every column one type")
    raise DataError(problem)  # outside the handler: libraries quote values


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
