"""A released table as statistical packages store it: numbers as floating numbers, text without gaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schleier.core.errors import EngineError, Problem, Problems, WriteError, stop
from schleier.core.format import Kind
from schleier.formats._clocks import Clock
from schleier.formats._kinds import kind_of
from schleier.formats._packages import library
from schleier.formats._values import CERTAIN

if TYPE_CHECKING:
    import pyarrow as pa

    from schleier.core.schema import Column

LARGEST = 8.9e307
"""Stata keeps the largest floating numbers for missing values, SPSS the lowest."""


@dataclass(frozen=True)
class Sheet:
    """One column on its way into a file."""

    name: str
    kind: Kind
    values: Any
    """Floating numbers with NaN for gaps, or an Arrow column of texts, empty for gaps."""
    longest: int = 0
    """Bytes of the longest text."""
    scale: str = "text"
    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    reasons: tuple[int | float | str, ...] = ()
    decimals: int | None = None
    whole: bool = False
    """Whether the numbers are whole by their type."""
    width: int = 1
    """Digits before the decimal mark, with the sign."""


def sheets(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema, columns: Sequence[Column], clock: Clock, found: Problems
) -> list[Sheet]:
    """All columns of a table; what a package cannot hold is added to ``found``."""
    import pyarrow as pa

    table = pa.Table.from_batches(batches, schema)
    told = {column.name: column for column in columns}
    return [_sheet(name, table.column(name), told.get(name), clock, found) for name in table.column_names]


def _sheet(name: str, column: Any, told: Column | None, clock: Clock, found: Problems) -> Sheet:
    import numpy as np
    import pyarrow as pa

    kind = kind_of(column.type)
    more: dict[str, Any] = {"scale": "text" if kind == "text" else "continuous"}
    if told is not None:
        more = {key: getattr(told, key) for key in ("scale", "title", "labels", "reasons", "decimals")}
    if kind == "text":
        return Sheet(name, kind, *_texts(name, column, found), **more)
    if kind in ("list", "other"):
        message = f"column '{name}' holds values of a type that statistical packages do not know"
        found.add("unknown-type", name, message, "drop it, or release another format")
        return Sheet(name, kind, np.zeros(len(column)), **more)
    if kind in ("date", "time"):
        return Sheet(name, kind, clock.ticks(column.combine_chunks()), **more)
    numbers = column.cast(pa.float64(), safe=False).to_numpy()
    size = float(np.nanmax(np.abs(numbers), initial=0.0))
    whole = kind in ("integer", "boolean")
    if size > LARGEST or (whole and size >= CERTAIN):
        message = f"column '{name}' holds numbers too large for a statistical package to keep exactly"
        found.add("too-large", name, message, "turn it into text or drop it, or release another format")
    if kind == "boolean":
        codes = {"true": "1", "false": "0"}
        more["labels"] = {codes.get(code, code): label for code, label in more.get("labels", {}).items()}
    sign = 1 if (numbers < 0).any() else 0
    return Sheet(name, kind, numbers, whole=whole, width=len(str(int(min(size, CERTAIN)))) + sign, **more)


def _texts(name: str, column: Any, found: Problems) -> tuple[pa.ChunkedArray, int]:
    """Texts with gaps empty, and the bytes of the longest; packages end a text at a null character."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.fill_null(column.cast(pa.string()), "")
    cut = pc.sum(pc.match_substring(words, "\0")).as_py()
    if cut:
        message = f"column '{name}' holds null characters in {cut} rows, and a package would end the text there"
        found.add("null-character", name, message, "take them out of the file")
    return words, pc.max(pc.binary_length(words)).as_py() or 0


def in_bytes(text: str, most: int) -> str:
    """A label no longer than the package allows; what is cut off is marked.

    >>> in_bytes("männlich", 6), in_bytes("short", 6)
    ('mä…', 'short')
    """
    if len(text.encode()) <= most:
        return text
    return text.encode()[: most - 3].decode(errors="ignore") + "…"


def pandas_frame(columns: Mapping[str, Any]) -> Any:
    """The frame the library takes; it writes none but those of pandas and Polars."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        message = "writing files of statistical packages needs pandas"
        stop(EngineError, "not-installed", "release.format", message, "pip install pandas")
    return pandas.DataFrame({name: _held(values, pandas) for name, values in columns.items()}, copy=False)


def _held(values: Any, pandas: Any) -> Any:
    """A column of the frame; objects come with the list of what occurs, numbers first.

    The library takes objects for text if there is no number among the first hundred, and fails at a later one. From a
    list it learns what they are.
    """
    if hasattr(values, "to_pandas"):
        return values.to_pandas()
    if values.dtype != object:
        return values
    found = sorted({value for value in values if value is not None}, key=lambda value: isinstance(value, str))
    return pandas.Categorical(values, categories=pandas.Index(found, dtype=object))


def overwrite(path: Path, place: int, content: bytes) -> None:
    """Put some bytes in the place of others: when a release was made is nobody's concern."""
    with path.open("r+b") as file:
        file.seek(place)
        file.write(content)


def write_frame(ability: str, frame: Any, path: Path, **options: Any) -> None:
    """Let the library write; what it says may quote values and is never passed on."""
    try:
        getattr(library(), ability)(frame, str(path), **options)
        return
    except (MemoryError, EngineError):
        raise
    except Exception as error:
        problem = Problem("cannot-write", str(path), f"the file could not be written ({type(error).__name__})")
    raise WriteError(problem)
