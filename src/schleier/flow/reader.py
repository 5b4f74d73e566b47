"""Joins file formats and engines: a path becomes a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schleier.core import registry
from schleier.core.data import Dataset
from schleier.core.engine import Engine, Source
from schleier.core.errors import DataError, Problem
from schleier.core.schema import Schema


def read(path: Path | str, schema: Schema, engine: Engine | None = None) -> Dataset:
    """The rows of a file, described by a schema. A text file's layout is detected and stated in the schema."""
    from schleier.core.normal import misfits, normal

    path = Path(path)
    engine = engine or registry.get("engine", "duckdb")()
    form = format_of(path)
    layout = schema.layout or form.detect(path)
    misfits(form.header(path, layout), schema, "data", typed=form.typed).raise_as(DataError)
    ordinal = None if schema.row_key else schema.key
    if layout is not None:
        schema = schema.model_copy(update={"layout": layout})
        extra = (schema.row_key,) if schema.row_key else ()
        source = Source(path, ordinal, layout=layout, columns=schema.columns, extra=extra)
    elif form.name == "parquet":
        source = Source(path, ordinal)
    else:
        source = Source(form.table(path), ordinal)
    return normal(engine.read(source), schema, engine)


def format_of(path: Path) -> Any:
    """The file format a name stands for."""
    for form in registry.every("format").values():
        if path.suffix.lower() in form.suffixes:
            return form()
    known = sorted(suffix for form in registry.every("format").values() for suffix in form.suffixes)
    message = f"files ending in '{path.suffix}' are not known"
    raise DataError(Problem("unknown-format", "data", message, f"there are: {', '.join(known)}"))
