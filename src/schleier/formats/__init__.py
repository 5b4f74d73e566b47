"""File formats in and out. A format is one file with one class; the registry finds it by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.dictionary import Entry
    from schleier.core.schema import Column, Layout, Schema

Kind = Literal["integer", "number", "text", "date", "time", "boolean", "decimal", "list", "other"]
"""What a file says about a column before anybody described it; ``time`` is a date with a time of day."""


class Format(Protocol):
    """What a file format can do. Only ``name`` and ``suffixes`` are always there; the reader asks for the rest.

    A format is read in one of four ways: the engine scans it in place (``header`` only), the engine parses it as text
    (``detect``), it hands out typed rows (``batches``), or it wraps a file of another format (``unwrap``).
    A format whose files hold several tables says ``parts = True`` and takes the keyword ``part``.
    """

    name: str
    """Word for the format in recipes."""
    suffixes: tuple[str, ...]
    """Endings of file names, in small letters, with the dot."""

    def header(self, path: Path, layout: Layout | None = None) -> dict[str, Kind]:
        """Names of the columns and what the file says about them, without reading a row."""
        ...

    def detect(self, path: Path) -> Layout:
        """How a text file is written."""
        ...

    def batches(self, path: Path, described: Schema | None = None) -> Iterator[pa.RecordBatch]:
        """The rows in file order; only the described columns when ``described`` is given."""
        ...

    def unwrap(self, path: Path, folder: Path) -> Path:
        """Write what is inside into a file of ``folder`` and tell its place; its ending names its format."""
        ...

    def dictionary(self, path: Path) -> dict[str, Entry]:
        """What the file itself says its columns and codes mean."""
        ...

    def write(
        self,
        batches: Iterable[pa.RecordBatch],
        schema: pa.Schema,
        path: Path,
        layout: Layout | None = None,
        columns: Sequence[Column] = (),
    ) -> None:
        """Write batches to a new file, in the order they come; ``columns`` tell titles and labels."""
        ...
