"""Data frames of R as Arrow tables, and what their attributes say about the columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from typing import TYPE_CHECKING, Any

from schleier.core.dictionary import Entry
from schleier.core.errors import Problems
from schleier.core.schema import Scale
from schleier.formats._r_stream import LOGICAL, MISSING, NUMBER, PAIRS, TEXT, VALUES, WHOLE, Thing
from schleier.formats._variables import text_of

if TYPE_CHECKING:
    import pyarrow as pa

PLAIN = (LOGICAL, WHOLE, NUMBER, TEXT)
CERTAIN = float(2**53)
"""Beyond, a floating number is not whole with certainty."""
DAY, FIRST, LAST = 86_400, -719_162, 2_932_896
"""Seconds of a day, and the days from 1970 to the beginning of the year 1 and the end of 9999."""


def columns_of(thing: Thing) -> list[tuple[str, Thing]]:
    """The columns of a data frame, or of a matrix whose columns have names; none where it is neither.

    >>> columns_of(Thing(TEXT, ["a"]))
    []
    """
    if thing.type == VALUES and "data.frame" in thing.classes:
        names = thing.words("names")
        return [*zip(names, thing.value, strict=True)] if len(names) == len(thing.value) else []
    shape = thing.about.get("dim")
    if thing.type not in PLAIN or shape is None or shape.type != WHOLE or len(shape.value) != 2:
        return []
    names, rows = _column_names(thing), int(shape.value[0])
    if rows * len(names) != len(thing.value):
        return []
    parts = [thing.value[place * rows : (place + 1) * rows] for place in range(len(names))]
    return [(name, Thing(thing.type, part)) for name, part in zip(names, parts, strict=True)]


def _column_names(matrix: Thing) -> list[str]:
    both = matrix.about.get("dimnames")
    if both is None or both.type != VALUES or len(both.value) != 2 or both.value[1].type != TEXT:
        return []
    return [name or "" for name in both.value[1].value]


def has_row_names(thing: Thing) -> bool:
    """Whether its rows have names that somebody gave them, and are not only counted."""
    return bool(thing.words("row.names"))


def table_of(columns: Mapping[str, Thing], found: Problems) -> pa.Table:
    """The columns as Arrow; those that hold no plain values become empty ones of a kind that is left out.

    What is wrong with dates is added to ``found``.
    """
    import pyarrow as pa

    arrays = {name: _array(name, column, found) for name, column in columns.items()}
    rows = {len(array) for array in arrays.values() if array is not None} or {0}
    if len(rows) > 1:
        raise ValueError("columns of different lengths")
    empty = pa.nulls(rows.pop(), pa.binary())
    return pa.table({name: empty if array is None else array for name, array in arrays.items()})


def _array(name: str, column: Thing, found: Problems) -> pa.Array | None:
    import numpy as np
    import pyarrow as pa

    classes, value = column.classes, column.value
    if column.type not in PLAIN or "dim" in column.about:
        return None
    if column.type == TEXT:
        return pa.array(value, pa.string())
    if "factor" in classes:
        return _factor(column)
    if "integer64" in classes:
        held = value.astype(">f8").view(">i8").astype(np.int64)
        return pa.array(held, mask=held == np.iinfo(np.int64).min)
    numbers = value.astype(np.float64) if column.type == NUMBER else value.astype(np.int64)
    gone = np.isnan(numbers) if column.type == NUMBER else numbers == MISSING
    if "Date" in classes or "POSIXct" in classes:
        ticks = np.where(gone, np.nan, numbers.astype(np.float64))
        return _moments(ticks, name, found, days="Date" in classes)
    if column.type == LOGICAL:
        return pa.array(numbers != 0, mask=gone)
    if column.type == NUMBER:
        fits = np.isfinite(numbers) & (np.abs(numbers) < CERTAIN)
        whole = bool((gone | (fits & (numbers == np.floor(np.where(fits, numbers, 0.5))))).all())
        numbers = np.where(gone, 0, numbers).astype(np.int64) if whole and not gone.all() else numbers
    return pa.array(numbers, mask=gone)


def _factor(column: Thing) -> pa.Array | None:
    """Categories as text."""
    import numpy as np
    import pyarrow as pa

    levels = column.words("levels")
    codes = column.value.astype(np.int64)
    gone = codes == MISSING
    if column.type != WHOLE or ((codes < 1) | (codes > len(levels)))[~gone].any():
        raise ValueError("a category that is none")
    return pa.array(np.array([*levels, ""], dtype=object)[np.where(gone, 0, codes) - 1], pa.string(), mask=gone)


def _moments(ticks: Any, name: str, found: Problems, *, days: bool) -> pa.Array:
    """Dates, or points in time as in Greenwich; infinite ones are missing."""
    import numpy as np
    import pyarrow as pa

    day = np.floor(ticks if days else ticks / DAY)
    gone = ~np.isfinite(ticks)
    bad = ~gone & ((day < FIRST) | (day > LAST))
    if bad.any():
        message = f"column '{name}' holds dates, but outside the years 1 to 9999 in {int(bad.sum())} rows"
        found.add("bad-dates", "data", message, "correct them in R, or make them missing there")
        gone |= bad
    if days:
        return pa.array(np.where(gone, 0, day).astype(np.int32), pa.int32(), mask=gone).cast(pa.date32())
    micro = np.round(np.where(gone, 0, ticks) * 1e6).astype(np.int64)
    return pa.array(micro, pa.int64(), mask=gone).cast(pa.timestamp("us"))


def entries_of(columns: Mapping[str, Thing]) -> Iterator[tuple[str, Entry]]:
    """What labels and the order of categories say."""
    for name, column in columns.items():
        title = next(iter(column.words("label")), "")
        labels = column.about.get("labels")
        words = labels.words("names") if labels is not None else []
        codes = labels.value if labels is not None and labels.type in (WHOLE, NUMBER, TEXT) else ()
        told = {text_of(_plain(code)): word for code, word in zip(codes, words, strict=False) if not _is_gap(code)}
        scale: Scale | None = "ordinal" if "ordered" in column.classes else None
        if title or told or scale:
            yield name, Entry(title=title, labels=told, scale=scale)


def _is_gap(code: Any) -> bool:
    return code is None or (isinstance(code, float) and isnan(code))


def _plain(code: Any) -> Any:
    return code.item() if hasattr(code, "item") else code


def objects_of(top: Thing) -> dict[str, Thing]:
    """The objects of a file by name."""
    return dict(top.value) if top.type == PAIRS else {}
