"""The seven verbs an engine must speak; a third engine is a third file in ``engine/``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa

    from schleier.core.errors import Problem
    from schleier.core.schema import Column, Layout, Schema

Arrays = Mapping[str, "np.ndarray[Any, Any]"]
Kernel = Callable[[Arrays], Arrays]
"""Takes the columns of one group in row-key order, returns the changed columns."""
Summand = Callable[["pa.RecordBatch"], "np.ndarray[Any, np.dtype[np.uint64]]"]
"""Takes some rows, returns what they add to a sum."""


@dataclass(frozen=True)
class Source:
    """Where rows come from: a Parquet file, a text file with its layout, an Arrow table or Arrow batches."""

    at: Path | pa.Table | pa.RecordBatchReader = field(repr=False)
    ordinal: str | None = None
    """Name of a column to add with the ordinal of the row, counted from 0."""
    layout: Layout | None = None
    """Set for text files only."""
    columns: tuple[Column, ...] = ()
    """What to take from a text file, and as what."""
    extra: tuple[str, ...] = ()
    """Further columns to take from a text file as they are written (the row key)."""


@dataclass(frozen=True)
class Resources:
    """What an engine may use."""

    work: Path | None = None
    """Folder for staged and spilled rows; private, removed afterwards. A temporary one when absent."""
    memory_limit: str | None = None
    """Upper limit of the engine's memory, for example ``"1.5GB"``."""
    threads: int | None = None
    """Number of threads."""


class Engine(Protocol):
    """Moves rows. Only an engine knows a database."""

    distributed: ClassVar[bool]
    """Whether rows are spread over machines, so that nothing may need all of them in memory."""
    work: Path
    """Folder for staged and spilled rows; private, and removed when the engine is closed."""

    @staticmethod
    def problems(schema: Schema) -> Iterable[Problem]:
        """What it could not do with such columns; asked before it is started."""

    def __init__(self, resources: Resources = ...) -> None:
        """Start with these resources."""

    def read(self, source: Source) -> nw.LazyFrame[Any]:
        """The rows of a source, not yet read."""

    def write(self, frame: nw.LazyFrame[Any], path: Path, order: Sequence[str], columns: Sequence[str]) -> None:
        """Write ``columns``, ordered by ``order``, as one Parquet file."""

    def keep(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Compute once now what would otherwise be computed at every use."""

    def arrays(self, frame: nw.LazyFrame[Any]) -> pa.Table:
        """Bring the rows into memory."""

    def fold(self, frame: nw.LazyFrame[Any], summand: Summand) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """What ``summand`` makes of all rows, some at a time in any order, added up modulo 2^64; nothing of no rows."""

    def draw(
        self, frame: nw.LazyFrame[Any], by: str, key: bytes, into: str, where: str | None = None
    ) -> nw.LazyFrame[Any]:
        """Add uniform draws in [0, 1): the first 52 bits of SHA-256(key, value of ``by`` as text).

        With ``where`` only rows for which this column is true get one.
        """

    def map_groups(
        self,
        frame: nw.LazyFrame[Any],
        by: Sequence[str],
        kernel: Kernel,
        changes: Mapping[str, nw.dtypes.DType],
        given: Sequence[str],
        row_key: str,
    ) -> nw.LazyFrame[Any]:
        """Replace the columns ``changes`` by what ``kernel`` makes of each group, rows in row-key order.

        The kernel sees the columns ``changes`` and ``given``; a missing number arrives and leaves as NaN.
        """

    def close(self) -> None:
        """Give back memory and staged files."""


def draw_prefix(key: bytes) -> str:
    """The text before the row key in a draw: 43 characters, so that key and row fill one SHA-256 block.

    >>> len(draw_prefix(bytes(32)))
    44
    """
    import base64

    return base64.urlsafe_b64encode(key).decode().rstrip("=") + "|"
