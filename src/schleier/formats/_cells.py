"""What stands in the cells of a workbook, as text."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

Cell = int | float | str | bool | dt.time | dt.date | dt.datetime | dt.timedelta

ERRORS = frozenset(
    ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#NV", "#WERT!", "#BEZUG!", "#ZAHL!")
)
"""What a failed formula leaves behind, in English and German."""
DAY, MOMENT, INSTANT = "%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f"


def date_format(column: Iterable[Cell]) -> str:
    """The format of the dates of a column: with a time of day only if one of them has one.

    >>> date_format([dt.datetime(2020, 1, 31), dt.date(2020, 2, 1)]), date_format([dt.datetime(2020, 1, 31, 9, 30), ""])
    ('%Y-%m-%d', '%Y-%m-%d %H:%M:%S')
    """
    forms = {DAY}
    for cell in column:
        if isinstance(cell, dt.datetime):
            clock = _rounded(cell).time()
            forms.add(INSTANT if clock.microsecond else MOMENT if clock != dt.time() else DAY)
    return max(forms, key=len)


def as_text(cell: Cell, form: str) -> str:
    """A cell as text: whole numbers without a point, failed formulas empty, dates in the format of their column.

    >>> [as_text(cell, DAY) for cell in (12.0, 0.1, True, "#N/A", dt.date(2020, 1, 31), dt.time(9, 30))]
    ['12', '0.1', 'true', '', '2020-01-31', '09:30:00']
    """
    if isinstance(cell, str):
        return "" if cell in ERRORS else cell
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    if isinstance(cell, dt.datetime):
        return _dated(_rounded(cell), form)
    if isinstance(cell, dt.date):
        return _dated(dt.datetime.combine(cell, dt.time()), form)
    if isinstance(cell, dt.timedelta):
        seconds = round(cell.total_seconds())
        sign, hours, rest = "-" if seconds < 0 else "", abs(seconds) // 3600, abs(seconds) % 3600
        return f"{sign}{hours:02d}:{rest // 60:02d}:{rest % 60:02d}"
    return str(cell)


def _dated(moment: dt.datetime, form: str) -> str:
    return moment.isoformat(" ", "microseconds" if form == INSTANT else "seconds")[: 10 if form == DAY else None]


def _rounded(moment: dt.datetime) -> dt.datetime:
    """A workbook counts days in floating numbers: what is finer than a millisecond is noise."""
    return moment + dt.timedelta(microseconds=round(moment.microsecond, -3) - moment.microsecond)
