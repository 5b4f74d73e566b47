"""Dates and years that tell a very high age: which year they are counted from, and how they become one class."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from schleier.core.hierarchy import ROOT
from schleier.core.units import units
from schleier.draft.names import spelt
from schleier.draft.steps import FEWEST

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.draft.roles import ColumnGuess

BIRTHS = ("birth_year", "birth_date")
"""Meanings of columns that tell when somebody was born."""
FIRST, LAST = 1800, 2100
"""Numbers from here to there are years."""


def reference_year(data: Dataset, guesses: Iterable[ColumnGuess]) -> int:
    """The latest year a date or year in the file tells, births aside: by births alone all would seem to be young.

    Without any, and where it lies in the future (as 9999 for "open"), this year.
    """
    today = datetime.now(UTC).year
    found = []
    for guess in guesses:
        column, meaning = guess.column, guess.meaning.name if guess.meaning else ""
        called = re.search(r"(?:^| )(?:\w*year|\w*jahr)(?: |$)", spelt(column.name)) is not None
        if meaning not in BIRTHS and (column.scale == "time" or (called and are_years(data, guess))):
            found.append(_most(data, year_of(guess)))
    known = [year for year in found if year is not None]
    return min(max(known), today) if known else today


def year_of(guess: ColumnGuess) -> nw.Expr:
    """The year of a date, or a number that is one."""
    import narwhals as nw

    value = nw.col(guess.column.name)
    return value.dt.year() if guess.column.scale == "time" else value


def are_years(data: Dataset, guess: ColumnGuess) -> bool:
    """Whether all numbers of a column are years, such as 1984; not 84, and no day such as 19841231."""
    import narwhals as nw

    if not guess.column.numeric:
        return False
    value = nw.col(guess.column.name)
    ends = data.totals(low=value.min(), high=value.max())
    return ends["low"] is not None and ends["low"] >= FIRST and ends["high"] <= LAST


def limit_of(data: Dataset, year: nw.Expr, limit: int) -> int:
    """The limit, or a later one: nobody is hidden in a tail of one or two."""
    while 0 < units(data, year < limit) < FEWEST and limit < LAST:
        limit += 1
    return limit


def reaches(data: Dataset, year: nw.Expr, limit: int) -> bool:
    """Whether any date is so early."""
    return units(data, year <= limit) > 0


def capped_years(limit: int, latest: int = LAST + 1) -> tuple[dict[str, Any], dict[str, Any]]:
    """A hierarchy of years whose first level takes the early ones together, and one that goes on to decades.

    From ``latest`` on years are taken together too.

    >>> first, then = capped_years(1934)
    >>> [row for row in first["rows"] if row[0] in ("1925", "1934", "1935")]
    [['1925', '<=1934', '*'], ['1934', '<=1934', '*'], ['1935', '1935', '*']]
    >>> [row for row in then["rows"] if row[0] in ("<=1934", "1935", "1940")]
    [['<=1934', '<=1939', '*'], ['1935', '<=1939', '*'], ['1940', '194*', '*']]
    >>> first, then = capped_years(1962, 2003)
    >>> [row for row in (*first["rows"], *then["rows"]) if row[0] in ("2004", ">=2003", "2001")]
    [['2001', '2001', '*'], ['2004', '>=2003', '*'], ['>=2003', '>=2000', '*'], ['2001', '>=2000', '*']]
    """
    early, end, late, start = f"<={limit}", limit // 10 * 10 + 9, f">={latest}", latest // 10 * 10
    years: Sequence[int] = range(limit + 1, min(latest, LAST + 1))

    def label(year: int) -> str:
        return early if year <= limit else late if year >= latest else str(year)

    def decade(year: int) -> str:
        return (
            f"<={end}" if year <= end else f">={start}" if start <= year and latest <= LAST else f"{year // 10}{ROOT}"
        )

    first = [[str(year), label(year), ROOT] for year in range(FIRST, LAST + 1)]
    then = [[early, f"<={end}", ROOT], *([[late, decade(latest), ROOT]] if latest <= LAST else [])]
    then += [[str(year), decade(year), ROOT] for year in years]
    return {"rows": first, "outside": "root"}, {"rows": then, "outside": "root"}


def _most(data: Dataset, year: nw.Expr) -> int | None:
    most = data.totals(most=year.max())["most"]
    return int(most) if most is not None else None
