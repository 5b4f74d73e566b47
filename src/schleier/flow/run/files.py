"""Files as they are found: their format, what is wrapped around them, and what they tell before a row is read."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from schleier.core import registry
from schleier.core.address import Address, spelled
from schleier.core.dictionary import Entry
from schleier.core.errors import DataError, Problem, SchleierError, stop
from schleier.core.format import NOTHING, Asked, Format, Remark
from schleier.core.guard import MARK
from schleier.core.leftovers import private_folder, remove
from schleier.core.limits import small_text
from schleier.core.schema import Layout

TYPED = "parquet"
"""The format of a release when its input has none that can be written."""
DATABASE = "postgres"
"""The format of an address that names a variable with a connection string."""


@dataclass(frozen=True)
class File:
    """A file that can be read as it is: whatever was wrapped around it has been taken off."""

    form: Format
    path: Path
    part: str = ""
    around: File | None = None
    """What was wrapped around it."""

    @property
    def is_text(self) -> bool:
        """Whether the engine parses it, so that its layout matters."""
        return self.form.reading == "parse"

    @property
    def is_scanned(self) -> bool:
        """Whether the engine reads it in place, again and again."""
        return self.form.reading == "scan"

    @property
    def wraps(self) -> Iterator[Format]:
        """The formats that were wrapped around it, from the inside."""
        outer = self.around
        while outer is not None:
            yield outer.form
            outer = outer.around

    def dictionary(self) -> dict[str, Entry]:
        """What its dictionary says; the outermost one that says anything."""
        outer = self.around.dictionary() if self.around else {}
        return outer or self.form.dictionary(self.path, part=self.part)

    def extras(self) -> tuple[str, ...]:
        """What it, and what is wrapped around it, carries beside the table."""
        return (*(self.around.extras() if self.around else ()), *self.form.extras(self.path, part=self.part))

    def remarks(self, layout: Layout | None) -> tuple[Remark, ...]:
        """How it, and what is wrapped around it, was read."""
        around = self.around.remarks(layout) if self.around else ()
        return (*around, *self.form.remarks(self.path, layout, part=self.part))

    def moved(self, old: Path, new: Path) -> File:
        """The same file after the folder it was unwrapped into has another name."""
        path = new / self.path.relative_to(old) if old in self.path.parents else self.path
        return replace(self, path=path, around=self.around and self.around.moved(old, new))


@dataclass(frozen=True)
class Head:
    """What a file tells before a row is read."""

    kinds: dict[str, str]
    """Its columns, and what it says they hold."""
    layout: Layout | None
    """How it is written, where it is text."""


class Files:
    """Files that are looked at and then read: each is unwrapped, and its head looked at, once.

    What was unwrapped vanishes once it was read, but for what an engine goes on scanning in its own folder.
    """

    def __init__(self, folder: Path | None = None, *, again: bool = False) -> None:
        """Unwrap into ``folder``, into a temporary one when absent; ``again`` when files are read several times."""
        self._folder, self._own, self._again = folder, folder is None, again
        self._files: dict[str, File] = {}
        self._heads: dict[tuple[str, Layout | None], Head] = {}
        self._inside: dict[str, Path] = {}
        self._asked: dict[str, Asked] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in list(self._inside):
            self._drop(name)
        if self._own and self._folder is not None:
            remove(self._folder)

    def file(self, address: Path | str) -> File:
        """The file at an address, unwrapped."""
        name = spelled(address)
        if name not in self._files:
            with self._placed(name):
                self._files[name] = self._unwrapped(name)
        return self._files[name]

    def head(self, address: Path | str, layout: Layout | None = None) -> Head:
        """What the file tells; the layout of a text file is detected unless it is declared."""
        known = spelled(address), layout
        if known not in self._heads:
            if layout is not None:
                self.ask(address, Asked(layout.range, layout.header, None if layout.range else layout.skip))
            file = self.file(address)
            with self._placed(known[0]):
                written = (layout or _detected(file)) if file.is_text else None
                found = self._stated(written, file, known[0]) if written is not None else None
                self._heads[known] = Head(dict(file.form.header(file.path, found, part=file.part)), found)
        return self._heads[known]

    def ask(self, address: Path | str, asked: Asked) -> None:
        """Say where the table of a sheet lies; it is unwrapped anew where that was not known."""
        name = spelled(address)
        if self._asked.get(name, NOTHING) != asked:
            self._asked[name] = asked
            if (known := self._files.get(name)) is not None and any(form.sheets for form in known.wraps):
                self._drop(name)

    def _stated(self, found: Layout, file: File, name: str) -> Layout:
        """The layout of a text file with its place in a sheet."""
        outer = file.around
        while outer is not None:
            found = outer.form.stated(outer.path, found, part=outer.part)
            outer = outer.around
        asked = self._asked.get(name, NOTHING)
        if not any(form.sheets for form in file.wraps) and (asked.range or (asked.header or 1) > 1):
            message = "a range, or several rows of names, can be given for a sheet of a workbook only"
            stop(DataError, "no-sheet", str(Address.of(name)), message, "leave range and header out of the layout")
        self._asked[name] = Asked(found.range, found.header, None if found.range else found.skip)
        return found

    def dictionary(self, address: Path | str) -> dict[str, Entry]:
        """What the file itself says its columns and codes mean."""
        file = self.file(address)
        with self._placed(spelled(address)):
            return file.dictionary()

    def remarks(self, address: Path | str, layout: Layout | None = None) -> tuple[Remark, ...]:
        """How the file was read, where that is not as it stands there."""
        head, file = self.head(address, layout), self.file(address)
        with self._placed(spelled(address)):
            return file.remarks(head.layout)

    def extras(self, address: Path | str) -> tuple[str, ...]:
        """What the file carries beside its table, by name."""
        file = self.file(address)
        with self._placed(str(address)):
            return file.extras()

    @contextmanager
    def handed(self, address: Path | str, work: Path) -> Iterator[File]:
        """The file for an engine, which finds what was unwrapped in its own folder."""
        name = spelled(address)
        file, inside = self.file(address), self._inside.get(name)
        if inside is not None and work not in inside.parents:
            shutil.move(inside, work / inside.name)
            self._inside[name] = work / inside.name
            file = self._files[name] = file.moved(inside, work / inside.name)
        with self._placed(name):
            yield file
        if file.is_scanned:
            self._inside.pop(name, None)  # the engine removes it with its folder
        elif not self._again:
            self._drop(name)

    def _drop(self, name: str) -> None:
        """Remove what was inside a file; should it be asked for again, it is unwrapped again."""
        inside = self._inside.pop(name, None)
        if inside is not None:
            self._files.pop(name, None)
            shutil.rmtree(inside, ignore_errors=True)

    def _unwrapped(self, name: str) -> File:
        place = Address.of(name)
        file = File(format_of(place), place.path, place.part)
        while file.form.reading == "unwrap":
            left = "" if file.form.parts else file.part
            more = {"asked": self._asked.get(name, NOTHING)} if file.form.sheets else {}
            path = file.form.unwrap(file.path, self._room(name), part=file.part if file.form.parts else "", **more)
            file = File(format_of(Address(str(path))), path, left, file)
        if file.part and not file.form.parts:
            message = f"a {file.form.name} file has no parts, so '::{file.part}' names nothing"
            stop(DataError, "no-parts", str(place), message, "leave it out")
        return file

    def _room(self, name: str) -> Path:
        """A private folder for what is inside the file at an address."""
        if self._folder is None:
            self._folder = private_folder()
        if name not in self._inside:
            self._inside[name] = self._folder / f"unwrapped-{os.urandom(4).hex()}"
            self._inside[name].mkdir(mode=0o700)
        return self._inside[name]

    @contextmanager
    def _placed(self, name: str) -> Iterator[None]:
        """Problems are placed at the address, not in the folder something was unwrapped into."""
        try:
            yield
        except SchleierError as error:
            inside = self._inside.get(name)
            if inside is None or not any(str(inside) in problem.where for problem in error.problems):
                raise
            where = str(Address.of(name))
            placed = [
                Problem(p.code, where if str(inside) in p.where else p.where, p.message, p.hint) for p in error.problems
            ]
            raise type(error)(placed) from None


def _detected(file: File) -> Layout | None:
    """The layout of a text file; where the schema of a release lies beside it, its texts are marked as that says."""
    layout = file.form.detect(file.path)
    told: Any = None
    with suppress(OSError, ValueError, RecursionError, SchleierError):
        told = tomllib.loads(small_text(file.path.parent / "schema.toml", DataError, str(file.path)))
    for name in ("schema", "layout", "guard"):
        told = told.get(name) if isinstance(told, dict) else None
    return layout.model_copy(update={"guard": MARK}) if layout is not None and told == MARK else layout


def format_of(address: Address) -> Format:
    """The format of an address, by the ending of its name; a connection string is that of a database.

    The format that is called like the ending is asked first, so that it is the only one to be imported; then the
    others in turn. A format of ours comes before one from elsewhere.
    """
    if address.variable:
        return _format(DATABASE)
    suffix, elsewhere = address.path.suffix.lower(), list[Format]()
    for word in sorted(registry.names("format"), key=lambda word: (f".{word}" != suffix, word)):
        form = _format(word)
        if suffix in form.suffixes and type(form).__module__.startswith("schleier."):
            return form
        elsewhere += [form] if suffix in form.suffixes else []
    if elsewhere:
        return elsewhere[0]
    known = sorted(suffix for form in registry.every("format").values() for suffix in form.suffixes)
    message = f"files ending in '{address.path.suffix}' are not known"
    raise DataError(Problem("unknown-format", "data", message, f"there are: {', '.join(known)}"))


def _format(word: str) -> Format:
    form: Format = registry.get("format", word)()
    return form


def released_as(file: File | None) -> str:
    """The format of a release where none is named: that of the file the rows come from, or the nearest to it."""
    if file is None:
        return TYPED
    return file.form.name if file.form.writes else file.form.instead
