"""What Arrow files carry beside their rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

OF_THE_FORMAT = (b"ARROW:schema", b"PARQUET:field_id")
"""Entries that every writer makes: the types of the columns, and their numbers."""


def entries(schema: pa.Schema, more: Iterable[bytes] = ()) -> tuple[str, ...]:
    """Names of entries that somebody put beside the rows, or beside a column.

    >>> import pyarrow as pa
    >>> entries(pa.schema([pa.field("age", pa.int64(), metadata={"old": "34"})], metadata={"note": "all of it"}))
    ('note', 'age: old')
    """
    whole = [
        name.decode(errors="replace") for name in {**(schema.metadata or {}), **dict.fromkeys(more, b"")} if _odd(name)
    ]
    columns = [
        f"{field.name}: {name.decode(errors='replace')}"
        for field in schema
        for name in field.metadata or {}
        if _odd(name)
    ]
    return (*whole, *columns)


def _odd(name: bytes) -> bool:
    return name not in OF_THE_FORMAT
