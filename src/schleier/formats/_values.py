"""Values of a statistical package as Arrow columns: the declared scale decides their type, never the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schleier.core.errors import Problems
from schleier.formats._clocks import DAY, Clock
from schleier.formats._variables import Variable, is_tag, number_of, text_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.schema import Column

CERTAIN = float(2**53)
"""Beyond, a floating number is not whole with certainty."""


def to_arrow(
    values: Sequence[Any], variable: Variable, column: Column | None, clock: Clock, start: int, found: Problems
) -> pa.Array:
    """One column of rows from ``start`` on; what does not fit is added to ``found``, by row number only."""
    if variable.kind == "text":
        return _words(values, variable, column)
    tags = tags_of(variable, column)
    if any(isinstance(code, str) for code in tags.values()):
        return _tagged(values, tags)
    if tags:
        values = [tags.get(value) if isinstance(value, str) else value for value in values]
    ticks = _numbers(values, variable, column)
    if variable.kind in ("date", "time"):
        return _moments(ticks, variable, clock, start, found)
    return _whole(ticks, variable, column, start, found)


def _numbers(values: Sequence[Any], variable: Variable, column: Column | None) -> NDArray[np.float64]:
    """Numbers with NaN for gaps: those of the package, those it declares, and those the schema declares."""
    import numpy as np
    import pyarrow as pa

    found: NDArray[np.float64] = pa.array(values, pa.float64()).to_numpy(zero_copy_only=False)
    gone = np.zeros(len(found), dtype=bool)
    for low, high in variable.gaps:
        gone |= (found >= float(low)) & (found <= float(high))
    reasons = _codes(column.reasons if column else ())
    if gone.any() and reasons:
        gone &= ~np.isin(found, reasons)
    codes = _codes(column.missing if column else ())
    if codes:
        gone |= np.isin(found, codes)
    return np.where(gone, np.nan, found) if gone.any() else found


def _codes(codes: Sequence[int | float | str]) -> list[float]:
    return [number for code in codes if (number := number_of(code)) is not None]


def _whole(
    numbers: NDArray[np.float64], variable: Variable, column: Column | None, start: int, found: Problems
) -> pa.Array:
    """Floating numbers for continuous columns, whole ones for all others: a code 1 must not become the text "1.0"."""
    import numpy as np
    import pyarrow as pa

    gaps = np.isnan(numbers)
    broken = ~gaps & ((np.abs(numbers) > CERTAIN) | (numbers != np.floor(numbers)))
    if column is None:  # nobody described it: the format of the package and the values decide
        floating = variable.kind == "number" or bool(broken.any())
    else:
        floating = column.scale == "continuous" and column.role != "unit"
    if floating:
        return pa.array(numbers, mask=gaps)
    if broken.any():
        message = f"column '{variable.name}' holds codes or whole numbers, but has decimals {_rows(broken, start)}"
        found.add("not-whole", "data", message, "round it in the package first, or declare it continuous")
    return pa.array(np.where(gaps | broken, 0, numbers).astype(np.int64), mask=gaps)


def _moments(ticks: NDArray[np.float64], variable: Variable, clock: Clock, start: int, found: Problems) -> pa.Array:
    import numpy as np

    day = variable.ticks if variable.kind == "date" else variable.ticks * DAY
    bad = clock.bad(ticks, day)
    if bad.any():
        message = f"column '{variable.name}' holds dates, but outside the years 1 to 9999 {_rows(bad, start)}"
        found.add("bad-dates", "data", message, "correct them in the package, or declare them missing there")
        ticks = np.where(bad, np.nan, ticks)
    return (clock.dates if variable.kind == "date" else clock.times)(ticks, variable.ticks)


def _rows(where: NDArray[np.bool_], start: int) -> str:
    """How many rows, and the first of them, counted from 1."""
    count, first = int(where.sum()), start + int(where.argmax()) + 1
    return f"in row {first}" if count == 1 else f"in {count} rows, the first is row {first}"


def _words(values: Sequence[Any], variable: Variable, column: Column | None) -> pa.Array:
    """Texts without the blanks at their end; the empty text is missing, for packages know no other missing text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.utf8_rtrim(pa.array(values, pa.string()), " ")
    reasons = {str(code) for code in column.reasons} if column else set()
    gaps = [str(low) for low, _ in variable.gaps if str(low) not in reasons]
    return pc.if_else(pc.is_in(words, pa.array(["", *gaps], pa.string())), None, words)


def tags_of(variable: Variable, column: Column | None) -> dict[str, float | str]:
    """What the letters of extended missing values stand for, where the schema keeps them as reasons.

    A reason ``.a`` is the letter itself. A reason -9 was written as a letter that is labelled like -9, or by it.
    """
    found: dict[str, float | str] = {}
    for code in column.reasons if column and variable.kind != "text" else ():
        if isinstance(code, str) and is_tag(code):
            found[code[1]] = code
        elif column and (number := number_of(code)) is not None:
            label = column.labels.get(text_of(code), text_of(code))
            found |= {tag[1]: number for tag, told in variable.entry.labels.items() if is_tag(tag) and told == label}
    return found


def _tagged(values: Sequence[Any], tags: Mapping[str, float | str]) -> pa.Array:
    """Codes as text beside the declared extended missing values: ``1``, ``2``, ``.a``; other tags are missing."""
    import pyarrow as pa

    # A code repeats: each is written as text once.
    known = {value: tags.get(value) if isinstance(value, str) else value for value in {*values} - {None}}
    words = {value: None if code is None else text_of(code) for value, code in known.items()}
    return pa.array([words.get(value) for value in values], pa.string())
