"""Joins file formats and engines: a path becomes a dataset."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.engine import Engine, Source
from schleier.core.errors import DataError, Problem, Problems
from schleier.core.normal import misfits, normal, refuse_reserved
from schleier.core.schema import Layout, Schema


def read(path: Path | str, schema: Schema, engine: Engine | None = None) -> Dataset:
    """The rows of a file, described by a schema. A text file's layout is detected and stated in the schema."""
    path = Path(path)
    layout, found = look(path, schema)
    found.raise_as(DataError)
    engine = engine or registry.default_engine()
    schema = schema.model_copy(update={"layout": layout})
    return normal(engine.read(_source(path, schema)), schema, engine)


def look(path: Path, schema: Schema) -> tuple[Layout | None, Problems]:
    """How a file is written (text files only), and how its columns misfit the schema; no row is read."""
    form = format_of(path)
    detect = getattr(form, "detect", None)
    layout = (schema.layout or detect(path)) if detect else None
    types = form.header(path, layout)
    found = misfits(types, schema, "data", typed=layout is None)
    found.extend(refuse_reserved(types).found)
    return layout, found


def format_of(path: Path) -> Any:
    """The file format a name stands for."""
    forms = registry.every("format").values()
    for form in forms:
        if path.suffix.lower() in form.suffixes:
            return form()
    known = sorted(suffix for form in forms for suffix in form.suffixes)
    message = f"files ending in '{path.suffix}' are not known"
    raise DataError(Problem("unknown-format", "data", message, f"there are: {', '.join(known)}"))


def _source(path: Path, schema: Schema) -> Source:
    """What the engine can take: a text file with its layout, a Parquet file, or the batches of any other format."""
    ordinal = None if schema.row_key else schema.key
    if schema.layout is not None:
        extra = (schema.row_key,) if schema.row_key else ()
        return Source(path, ordinal, layout=schema.layout, columns=schema.columns, extra=extra)
    form = format_of(path)
    if not hasattr(form, "batches"):
        return Source(path, ordinal)
    import pyarrow as pa

    batches = iter(form.batches(path))
    first = next(batches, None)
    if first is None:
        raise DataError(Problem("no-rows", "data", "the file has no rows"))
    return Source(pa.RecordBatchReader.from_batches(first.schema, chain([first], batches)), ordinal)
