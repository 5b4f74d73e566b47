"""What a file format can do; a format is one file in ``formats/`` and declares there which of it it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Protocol

from schleier.core.errors import DataError, SchleierError, WriteError, stop

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.dictionary import Entry
    from schleier.core.schema import Column, Layout, Schema

Kind = Literal["integer", "number", "text", "date", "time", "boolean", "decimal", "list", "other"]
"""What a file says about a column before anybody described it; ``time`` is a date with a time of day."""
Reading = Literal["scan", "parse", "batches", "unwrap"]
"""How rows come in: the engine scans the file in place (``header``), the engine parses it as text in its layout
(``header``, ``detect``), the format hands out typed rows (``header``, ``batches``), or it only wraps a file of
another format (``unwrap``)."""


@dataclass(frozen=True)
class Remark:
    """What somebody must know of how a file was read: a key into the words of the reader's language, never a value."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)
    """Names of columns, and places in the file."""


@dataclass(frozen=True)
class Asked:
    """Where the table of a sheet lies, as far as somebody says."""

    range: str = ""
    """Its cells with the names above, such as B4:H200, or B4:H to the last row."""
    header: int | None = None
    """Rows that name the columns."""
    skip: int | None = None
    """Rows above the one with the names, the last of several."""


class Target(Protocol):
    """A new table inside a transaction of its own."""

    def fill(self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, columns: Sequence[Column]) -> None:
        """Create the table with these rows, in their order; nobody sees it yet."""

    def commit(self) -> None:
        """Let the table be there."""

    def close(self) -> None:
        """Let go of the database; what was not committed is gone."""


NOTHING = Asked()


class Format:
    """A file format, or a database. It overrides what it declares; anything else is refused in plain words.

    >>> from schleier.core.registry import get
    >>> get("format", "csv").reading, get("format", "zip").writes
    ('parse', False)
    """

    name: ClassVar[str]
    """Word for the format in recipes."""
    suffixes: ClassVar[tuple[str, ...]] = ()
    """Endings of file names, in small letters, with the dot."""
    reading: ClassVar[Reading]
    """How its rows come in."""
    parts: ClassVar[bool] = False
    """Whether a file holds several tables, so that ``part`` names one of them; it is empty everywhere else."""
    sheets: ClassVar[bool] = False
    """Whether its tables lie somewhere in a sheet (``stated``), so that a layout may say where."""
    explains: ClassVar[bool] = False
    """Whether its files say themselves what their columns mean (``dictionary``)."""
    writes: ClassVar[bool] = False
    """Whether a release can be written in it (``write``)."""
    instead: ClassVar[str] = "parquet"
    """Where it cannot: the format of a release of such a file, unless another one is named."""
    exact: ClassVar[bool] = True
    """Whether a release is read back just as it was written: if not, another digest need not mean another file."""
    guard: ClassVar[Literal["", "'"]] = ""
    """The mark before text that a spreadsheet would run, where people open its files in one; see ``Layout``."""
    fills: ClassVar[bool] = False
    """Whether a release can also go into a new table of it (``target``)."""

    def header(self, path: Path, layout: Layout | None = None, part: str = "") -> Mapping[str, str]:
        """Names of the columns and their ``Kind``, without reading a row."""
        self._cannot(path, "does not tell its columns")

    def detect(self, path: Path) -> Layout:
        """How a text file is written."""
        self._cannot(path, "is no text with a layout")

    def batches(self, path: Path, described: Schema | None = None, part: str = "") -> Iterator[pa.RecordBatch]:
        """The rows in file order; only the described columns when ``described`` is given."""
        self._cannot(path, "does not hand out rows")

    def unwrap(self, path: Path, folder: Path, part: str = "", asked: Asked = NOTHING) -> Path:
        """Write what is inside into a file of ``folder`` and tell its place; its ending names its format.

        ``asked`` says where its table lies; it is given to formats of ``sheets`` only.
        """
        self._cannot(path, "has no file of another format inside")

    def dictionary(self, path: Path, part: str = "") -> dict[str, Entry]:
        """What the file itself says its columns and codes mean; nothing unless it ``explains``."""
        return {}

    def extras(self, path: Path, part: str = "") -> tuple[str, ...]:
        """What the file carries beside its table, by name, that no release of ours has; never what it holds."""
        return ()

    def stated(self, path: Path, layout: Layout, part: str = "") -> Layout:
        """The layout of what was unwrapped, with what only this format knows of it."""
        return layout

    def remarks(self, path: Path, layout: Layout | None = None, part: str = "") -> tuple[Remark, ...]:
        """What was taken for something else than it stands there: a title, a note, a column without a name."""
        return ()

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        path: Path,
        layout: Layout | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        """Write batches to a new file, in the order they come; ``columns`` tell titles and labels."""
        self._cannot(path, "cannot be written", WriteError)

    def target(self, path: Path, part: str) -> Target:
        """A new table to fill."""
        self._cannot(path, "has no tables to write to", WriteError)

    def _cannot(self, path: Path, what: str, kind: type[SchleierError] = DataError) -> NoReturn:
        stop(kind, "unknown-format", str(path), f"a {self.name} file {what}")
