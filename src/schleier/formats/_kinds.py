"""What an Arrow type means to us."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.errors import DataError, stop
from schleier.core.format import Kind
from schleier.core.normal import ITEMS
from schleier.core.sets import holds_lists
from schleier.formats._checks import check_names

if TYPE_CHECKING:
    import pyarrow as pa


def kinds_of(schema: pa.Schema, path: Path) -> dict[str, Kind]:
    """Names of the columns of an Arrow schema and their kinds; stops on names that repeat.

    >>> import pyarrow as pa
    >>> kinds_of(pa.schema({"age": pa.int8(), "born": pa.date32()}), Path("people.parquet"))
    {'age': 'integer', 'born': 'date'}
    """
    if not len(schema):
        stop(DataError, "empty-file", str(path), "the file has no columns")
    check_names(schema.names, str(path))
    return {field.name: kind_of(field.type) for field in schema}


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
