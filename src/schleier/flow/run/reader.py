"""Joins file formats and engines: an address becomes a dataset."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core import registry
from schleier.core.address import Address
from schleier.core.data import Dataset
from schleier.core.engine import Engine, Source
from schleier.core.errors import DataError, EngineError, Problem, Problems, SchleierError
from schleier.core.normal import misfits, normal, refuse_reserved
from schleier.core.schema import Layout, Schema

if TYPE_CHECKING:
    from schleier.core.dictionary import Entry


def read(path: Path | str, schema: Schema, engine: Engine | None = None) -> Dataset:
    """The rows at an address, described by a schema. A text file's layout is detected and stated in the schema."""
    engine = engine or registry.default_engine()
    with found(path, engine.work) as file:
        layout, problems = _fit(file, schema)
        problems.raise_as(DataError)
        schema = schema.model_copy(update={"layout": layout})
        frame = engine.read(_source(file, schema))
    return normal(frame, untitled(schema), engine)


def look(path: Path | str, schema: Schema) -> tuple[Layout | None, Problems]:
    """How a file is written (text files only), and how its columns misfit the schema; no row is read."""
    with tempfile.TemporaryDirectory(prefix="schleier-") as folder, found(path, Path(folder)) as file:
        return _fit(file, schema)


def header(path: Path | str) -> tuple[dict[str, str], dict[str, Entry], Layout | None]:
    """What a file says before anybody described it: its columns, what its own dictionary tells, and its layout."""
    with tempfile.TemporaryDirectory(prefix="schleier-") as folder, found(path, Path(folder)) as file:
        layout = file.ask("detect") if file.is_text else None
        return file.ask("header", layout), file.dictionary(), layout


@dataclass(frozen=True)
class File:
    """A file that can be read as it is: whatever was wrapped around it has been taken off."""

    form: Any
    path: Path
    part: str = ""
    around: File | None = None
    """What was wrapped around it."""

    @property
    def is_text(self) -> bool:
        """Whether the engine parses it, so that its layout matters."""
        return hasattr(self.form, "detect")

    def ask(self, ability: str, *more: Any) -> Any:
        """Let the format do something with the file."""
        part = {"part": self.part} if getattr(self.form, "parts", False) else {}
        return getattr(self.form, ability)(self.path, *more, **part)

    def dictionary(self) -> dict[str, Entry]:
        """What its dictionary says; the outermost one that says anything."""
        outer = self.around.dictionary() if self.around else {}
        return outer or (self.ask("dictionary") if hasattr(self.form, "dictionary") else {})

    @property
    def is_scanned(self) -> bool:
        """Whether the engine reads it in place, again and again."""
        return not self.is_text and not hasattr(self.form, "batches")


@contextmanager
def found(address: Path | str, folder: Path) -> Iterator[File]:
    """The file at an address, unwrapped into ``folder``; problems are placed at the address, not in there."""
    place = Address.of(address)
    inside = folder / f"unwrapped-{os.urandom(4).hex()}"
    keep = False
    try:
        file = File(format_of(place), place.path, place.part)
        while hasattr(file.form, "unwrap"):
            inside.mkdir(mode=0o700, exist_ok=True)
            left = "" if getattr(file.form, "parts", False) else file.part
            path = file.ask("unwrap", inside)
            file = File(format_of(Address(str(path))), path, left, file)
        if file.part and not getattr(file.form, "parts", False):
            message = f"a {file.form.name} file has no parts, so '::{file.part}' names nothing"
            raise DataError(Problem("no-parts", str(place), message, "leave it out"))
        yield file
        keep = file.is_scanned
    except SchleierError as error:
        if str(inside) not in "".join(problem.where for problem in error.problems):
            raise
        placed = [
            Problem(p.code, str(place) if str(inside) in p.where else p.where, p.message, p.hint)
            for p in error.problems
        ]
        raise type(error)(placed) from None
    finally:
        if not keep:
            shutil.rmtree(inside, ignore_errors=True)


@contextmanager
def unchanged(*addresses: str | None) -> Iterator[None]:
    """Stop when a file is another one at the end than at the beginning: its rows would not belong together."""
    named = [Address.of(address) for address in addresses if address]
    before = [(place, _state(place)) for place in named if not place.variable]
    try:
        yield
    except EngineError:  # which may be the consequence
        _refuse_changed(before)
        raise
    _refuse_changed(before)


def _refuse_changed(before: list[tuple[Address, tuple[int, ...]]]) -> None:
    problems = Problems()
    for place, state in before:
        if _state(place) != state:
            message = "the file was changed while it was read; nothing was written"
            problems.add("changed-while-reading", str(place), message, "wait until it is complete, or read a copy")
    problems.raise_as(DataError)


def _state(place: Address) -> tuple[int, ...]:
    """What changes when a file is written to or replaced."""
    try:
        found = place.path.stat()
    except OSError:
        return ()
    return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev


def format_of(address: Address) -> Any:
    """The format of an address, by the ending of its name; a connection string is that of a database."""
    if address.variable:
        return registry.get("format", "postgres")()
    forms, suffix = registry.every("format").values(), address.path.suffix.lower()
    for form in forms:
        if suffix in form.suffixes:
            return form()
    known = sorted(suffix for form in forms for suffix in form.suffixes)
    message = f"files ending in '{address.path.suffix}' are not known"
    raise DataError(Problem("unknown-format", "data", message, f"there are: {', '.join(known)}"))


def _fit(file: File, schema: Schema) -> tuple[Layout | None, Problems]:
    layout = (schema.layout or file.ask("detect")) if file.is_text else None
    types = file.ask("header", layout)
    problems = misfits(types, schema, "data", typed=not file.is_text)
    problems.extend(refuse_reserved(types).found)
    return layout, problems


def untitled(schema: Schema) -> Schema:
    """The schema of the rows themselves: titles and the spelling of single dates stay behind in the file."""
    columns = tuple(c.model_copy(update={"date": None}) if c.date else c for c in schema.columns)
    layout = schema.layout and schema.layout.model_copy(update={"skip": 0})
    return schema.model_copy(update={"columns": columns, "layout": layout})


def _source(file: File, schema: Schema) -> Source:
    """What the engine can take: a text file with its layout, a Parquet file, or the batches of any other format."""
    ordinal = None if schema.row_key else schema.key
    if file.is_text:
        extra = (schema.row_key,) if schema.row_key else ()
        return Source(file.path, ordinal, layout=schema.layout, columns=schema.columns, extra=extra)
    if not hasattr(file.form, "batches"):
        return Source(file.path, ordinal)
    import pyarrow as pa

    batches = iter(file.ask("batches", schema))
    first = next(batches, None)
    if first is None:
        raise DataError(Problem("no-rows", "data", "the file has no rows"))
    return Source(pa.RecordBatchReader.from_batches(first.schema, chain([first], batches)), ordinal)
