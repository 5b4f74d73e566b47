"""Joins file formats and engines: an address becomes a dataset."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from schleier.core import registry
from schleier.core.clock import CLOCK, moment_form
from schleier.core.data import Dataset
from schleier.core.engine import Engine, Source
from schleier.core.errors import DataError, Problems, stop
from schleier.core.failures import public
from schleier.core.normal import misfits, normal, refuse_reserved
from schleier.core.schema import Layout, Schema
from schleier.flow.run.files import File, Files, Head

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.dictionary import Entry


@public
def read(
    path: Path | str,
    schema: Schema,
    engine: Engine | None = None,
    files: Files | None = None,
    *,
    guard: Literal["", "'"] = "",
) -> Dataset:
    """The rows at an address, described by a schema. A text file's layout is detected and stated in the schema.

    ``files`` are those that were looked at before: what they told is not asked again. ``guard`` is that of a release
    whose layout is not known.
    """
    engine = engine or registry.default_engine()
    with nullcontext(files) if files else Files(engine.work) as looked:
        head = head_of(path, schema, looked, guard)
        fit(head, schema).raise_as(DataError)
        schema = schema.model_copy(update={"layout": head.layout})
        with looked.handed(path, engine.work) as file:
            frame = _told(engine.read(_source(file, schema)), head, schema)
    return normal(frame, untitled(schema), engine)


def head_of(path: Path | str, schema: Schema, files: Files, guard: Literal["", "'"] = "") -> Head:
    """What a file says of its columns, with the marks of a release taken off."""
    head = files.head(path, schema.layout)
    if guard and head.layout:
        return files.head(path, head.layout.model_copy(update={"guard": guard}))
    return head


def look(path: Path | str, schema: Schema) -> tuple[Layout | None, Problems]:
    """How a file is written (text files only), and how its columns misfit the schema; no row is read."""
    with Files() as files:
        head = files.head(path, schema.layout)
        return head.layout, fit(head, schema)


def read_header(path: Path | str) -> tuple[dict[str, str], dict[str, Entry], Layout | None]:
    """What a file says before anybody described it: its columns, what its own dictionary tells, and its layout."""
    with Files() as files:
        head = files.head(path)
        return head.kinds, files.dictionary(path), head.layout


def fit(head: Head, schema: Schema) -> Problems:
    """How the columns of a file misfit a schema."""
    problems = misfits(head.kinds, schema, "data", typed=head.layout is None)
    problems.extend(refuse_reserved(head.kinds).found)
    return problems


def untitled(schema: Schema) -> Schema:
    """The schema of the rows themselves: titles and the spelling of single dates stay behind in the file.

    A time of day is written behind the date, in the form of the file.
    """
    form = (schema.layout or Layout()).date
    clocks = {c.name for c in schema.columns if c.scale == "time" and c.date and CLOCK.search(c.date)}
    columns = tuple(
        c.model_copy(update={"date": moment_form(form) if c.name in clocks else None}) if c.date else c
        for c in schema.columns
    )
    layout = schema.layout and schema.layout.model_copy(update={"skip": 0, "header": 1, "range": ""})
    return schema.model_copy(update={"columns": columns, "layout": layout})


def _told(frame: nw.LazyFrame[Any], head: Head, schema: Schema) -> nw.LazyFrame[Any]:
    """The rows with the columns the file tells of: others, such as an index of pandas, are not read."""
    names = frame.collect_schema().names()
    told = [name for name in names if name in head.kinds or name == schema.key]
    return frame if len(told) == len(names) else frame.select(told)


def _source(file: File, schema: Schema) -> Source:
    """What the engine can take: a text file with its layout, a Parquet file, or the batches of any other format."""
    ordinal = None if schema.row_key else schema.key
    if file.is_text:
        extra = (schema.row_key,) if schema.row_key else ()
        return Source(file.path, ordinal, layout=schema.layout, columns=schema.columns, extra=extra)
    if file.is_scanned:
        return Source(file.path, ordinal)
    import pyarrow as pa

    batches = iter(file.form.batches(file.path, schema, part=file.part))
    first = next(batches, None)
    if first is None:
        stop(DataError, "no-rows", "data", "the file has no rows")
    return Source(pa.RecordBatchReader.from_batches(first.schema, chain([first], batches)), ordinal)
