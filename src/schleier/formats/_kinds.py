"""What an Arrow type means to us."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.errors import DataError, stop
from schleier.core.format import Kind, Remark
from schleier.core.normal import ITEMS
from schleier.core.sets import holds_lists
from schleier.formats._checks import check_names

if TYPE_CHECKING:
    import pyarrow as pa

INDEX = re.compile(r"__index_level_\d+__")
"""How pandas calls the labels of its rows in a file."""


def kinds_of(schema: pa.Schema, path: Path) -> dict[str, Kind]:
    """Names of the columns of an Arrow schema and their kinds; stops on names that repeat.

    >>> import pyarrow as pa
    >>> kinds_of(pa.schema({"age": pa.int8(), "born": pa.date32()}), Path("people.parquet"))
    {'age': 'integer', 'born': 'date'}
    """
    if not len(schema):
        stop(DataError, "empty-file", str(path), "the file has no columns")
    check_names(schema.names, str(path))
    return {field.name: kind_of(field.type) for field in schema if not INDEX.fullmatch(field.name)}


def remarks_on(schema: pa.Schema) -> tuple[Remark, ...]:
    """That an index of pandas is not read, and which columns hold shapes of a map.

    >>> import pyarrow as pa
    >>> remarks_on(pa.schema({"age": pa.int8(), "__index_level_0__": pa.int64()}))
    (Remark(key='index', values={}),)
    """
    index = [Remark("index")] if any(INDEX.fullmatch(name) for name in schema.names) else []
    shapes = [name for name in _shapes(schema) if name in schema.names]
    return (*index, *([Remark("shapes", {"n": len(shapes), "columns": ", ".join(shapes)})] if shapes else []))


def _shapes(schema: pa.Schema) -> list[str]:
    """Columns of shapes, by the entry GeoParquet makes beside the rows."""
    told: Any = None
    with suppress(ValueError, RecursionError):
        told = json.loads((schema.metadata or {}).get(b"geo", b"null"))
    columns = told.get("columns") if isinstance(told, dict) else None
    return [name for name in columns if isinstance(name, str)] if isinstance(columns, dict) else []


def kind_of(kind: pa.DataType) -> Kind:
    """The kind of one Arrow type; a coded column counts as what it codes.

    >>> import pyarrow as pa
    >>> kind_of(pa.dictionary(pa.int8(), pa.string())), kind_of(pa.list_(pa.int8())), kind_of(pa.list_(pa.date32()))
    ('text', 'list', 'other')
    """
    import pyarrow.types as is_a

    if is_a.is_dictionary(kind):
        return kind_of(kind.value_type)
    tests: list[tuple[Kind, bool]] = [
        ("integer", is_a.is_integer(kind)),
        ("number", is_a.is_floating(kind)),
        ("text", is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_string_view(kind)),
        ("date", is_a.is_date(kind)),
        ("time", is_a.is_timestamp(kind)),
        ("boolean", is_a.is_boolean(kind)),
        ("decimal", is_a.is_decimal(kind)),
        ("list", holds_lists(kind) and kind_of(kind.value_type) in ITEMS),
    ]
    return next((name for name, holds in tests if holds), "other")
