"""Frames of pandas, Polars or Arrow where the name of a file is expected."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from schleier.core.address import spelled
from schleier.core.frames import arrow_table
from schleier.core.leftovers import private_folder, remove

NAME = "rows.parquet"


def is_named(source: Any) -> bool:
    """Whether rows are named by a file, and not given themselves."""
    return isinstance(source, str | os.PathLike)


@contextmanager
def at_hand(source: Any) -> Iterator[str]:
    """The address of a file; rows that were given themselves lie in a private one until the end.

    >>> import pyarrow as pa
    >>> with at_hand(pa.table({"age": [30]})) as address:
    ...     address.endswith("rows.parquet")
    True
    """
    if is_named(source) or not hasattr(type(source), "columns"):  # what is no frame is refused as no name of a file
        yield spelled(source)
        return
    import pyarrow.parquet as pq

    table, folder = arrow_table(source), private_folder()
    try:
        place = folder / NAME
        # Without the entries of pandas: they are no part of the rows.
        pq.write_table(table.replace_schema_metadata(None), place)
        yield str(place)
    finally:
        remove(folder)
