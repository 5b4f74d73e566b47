"""File formats in and out. A format is one file with one class; the registry finds it by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Layout

Kind = Literal["integer", "number", "text", "date", "time", "boolean", "decimal", "other"]
"""What a file says about a column before anybody described it; ``time`` is a date with a time of day."""


class Format(Protocol):
    """What every file format can do: tell its columns, and take batches in order."""

    name: str
    """Word for the format in recipes."""
    suffixes: tuple[str, ...]
    """Endings of file names, in small letters, with the dot."""

    def header(self, path: Path, layout: Layout | None = None) -> dict[str, Kind]:
        """Names of the columns and what the file says about them, without reading a row."""
        ...

    def write(
        self, batches: Iterable[pa.RecordBatch], schema: pa.Schema, path: Path, layout: Layout | None = None
    ) -> None:
        """Write batches to a new file, in the order they come."""
        ...
