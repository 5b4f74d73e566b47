"""Frames of pandas, Polars or Arrow where the name of a file is expected."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.address import spelled
from schleier.core.errors import DataError, Problem, SchleierError
from schleier.core.failures import explain_system, reworded
from schleier.core.frames import arrow_table
from schleier.core.leftovers import private_folder, remove

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Schema

NAME, DATA = "rows.parquet", "data"


def is_named(source: Any) -> bool:
    """Whether rows are named by a file, and not given themselves."""
    return isinstance(source, str | os.PathLike)


@contextmanager
def at_hand(source: Any, schema: Schema | None = None) -> Iterator[str]:
    """The address of a file; rows that were given themselves lie in a private one until the end.

    An index of pandas is among them where the ``schema`` describes it.

    >>> import pyarrow as pa
    >>> with at_hand(pa.table({"age": [30]})) as address:
    ...     address.endswith("rows.parquet")
    True
    """
    if is_named(source) or not any(hasattr(type(source), one) for one in ("columns", "read_all")):
        yield spelled(source)  # what is no frame is refused as no name of a file
        return
    table, folder = arrow_table(source, schema), private_folder()
    place = folder / NAME
    try:
        with reworded(_unwritten):
            _write(table, place)
        yield str(place)
    except SchleierError as error:
        raise _unplaced(error, str(place)) from None
    finally:
        remove(folder)


def _write(table: pa.Table, place: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Without the entries of pandas and Polars: they are no part of the rows.
    fields = [field.remove_metadata() for field in table.schema]
    pq.write_table(table.cast(pa.schema(fields)), place)


def _unwritten(error: Exception) -> SchleierError:
    """Why rows cannot be put down; Arrow would quote the value that it stumbles over."""
    message = "the frame holds values that no file can hold, such as a time far beyond all calendars"
    hint = "give every column one type: numbers, texts or dates"
    return explain_system(error) or DataError(Problem("unreadable-frame", DATA, message, hint))


def _unplaced(error: SchleierError, place: str) -> SchleierError:
    """The error without the name of a file that its reader never saw."""
    return type(error)(
        Problem(one.code, *(text.replace(place, DATA) for text in (one.where, one.message, one.hint)))
        for one in error.problems
    )
