"""A table as one line of text, for learned values too many to write as lists."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def packed(columns: Mapping[str, pa.Array]) -> str:
    """Columns as a compressed Arrow stream in base64: types and missing values survive, and a recipe can hold it.

    >>> import pyarrow as pa
    >>> unpacked(packed({"x": pa.array([1, None])}))["x"].to_pylist()
    [1, None]
    """
    import pyarrow as pa

    table, sink = pa.table(dict(columns)), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return base64.b64encode(sink.getvalue().to_pybytes()).decode()


def unpacked(text: str) -> pa.Table:
    """The table of a packed text; ValueError when it is none."""
    import pyarrow as pa

    try:
        with pa.ipc.open_stream(base64.b64decode(text, validate=True)) as reader:
            return reader.read_all()
    except (pa.ArrowException, binascii.Error, OSError):
        raise ValueError("this is not a packed table") from None
