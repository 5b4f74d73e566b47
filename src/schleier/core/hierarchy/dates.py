"""Dates coarsened along the calendar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.core.errors import Problem
from schleier.core.hierarchy.contract import Hierarchy, places
from schleier.core.sql import NOTHING, Typed, choice

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

Unit = Literal["day", "week", "month", "quarter", "half", "year", "decade"]

CALENDAR: tuple[Unit, ...] = ("day", "month", "quarter", "half", "year", "decade")
"""Each unit is made of whole units before it. A week is not among them: it may lie in two months or years."""

FORMS: Mapping[Unit, str] = {
    "day": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "week": "[0-9]{4}-W[0-9]{2}",
    "month": "[0-9]{4}-[0-9]{2}",
    "quarter": "[0-9]{4}-Q[1-4]",
    "half": "[0-9]{4}-H[12]",
    "year": "[0-9]{4}",
    "decade": "[0-9]{3}0s",
}
"""How each unit is written."""


class Dates(Hierarchy):
    """Days, weeks (ISO 8601), months, quarters, halves, years and decades.

    >>> import pyarrow as pa
    >>> from datetime import date
    >>> birth = Dates(dates=("month", "half", "decade"))
    >>> [birth.labels(pa.array([date(1984, 7, 31)]), level).to_pylist()[0] for level in (1, 2, 3, 4)]
    ['1984-07', '1984-H2', '1980s', '*']
    """

    keys: ClassVar[tuple[str, ...]] = ("dates",)

    dates: tuple[Unit, ...]
    """Unit of each level, from fine to coarse: day, week, month, quarter, half, year, decade."""

    @property
    def depth(self) -> int:
        """One level for each unit, and the root."""
        return len(self.dates) + 1

    def problems(self, where: str) -> Iterator[Problem]:
        """Units that are none or that do not nest."""
        if not self.dates:
            yield Problem("hierarchy-empty", where, "there are no units", 'for example dates = ["year"]')
        broken = sum(not _within(a, b) for a, b in pairwise(self.dates))
        if broken:
            yield Problem(
                "hierarchy-not-nested",
                where,
                f"units that are not made of whole units before them: {broken}",
                f"the order is {', '.join(CALENDAR)}; a week lies in no coarser unit",
            )

    def covers(self, values: pa.Array) -> NDArray[np.bool_]:
        """Dates and timestamps of the years 1 to 9999; engines write "infinity" as a date beyond."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        if not (pa.types.is_date(values.type) or pa.types.is_timestamp(values.type)):
            return np.full(len(values), False)
        years = pc.year(values).to_numpy(zero_copy_only=False)
        return (years >= 1) & (years <= 9999)  # type: ignore[no-any-return]

    def coarser(self, values: pa.Array, level: int) -> pa.Array:
        """The unit as ISO 8601 writes it where it does; a time with a zone counts by the clock on the wall."""
        import pyarrow as pa

        covered = self.covers(values)
        if not covered.any():
            return pa.nulls(len(values), pa.string())
        return _name(values.take(places(covered)), self.dates[level - 1])

    def _may_be_label(self, words: pa.Array, level: int) -> NDArray[np.bool_]:
        """Words of the form of the unit."""
        import numpy as np

        form = re.compile(FORMS[self.dates[level - 1]])
        return np.array([form.fullmatch(word) is not None for word in words.to_pylist()], dtype=np.bool_)

    def reduce(self, expr: nw.Expr, level: int) -> nw.Expr:
        """The date without the time of day."""
        import narwhals as nw

        return expr.cast(nw.Date) if level else expr

    def sql(self, value: Typed, level: int) -> str | None:
        """The unit as ``labels`` writes it."""
        if value.kind == "zoned":
            return None  # its day depends on the time zone of the session
        if value.kind not in ("date", "time"):
            return NOTHING
        covered = f"EXTRACT(YEAR FROM {value.text}) BETWEEN 1 AND 9999"
        return choice([(covered, _sql(value.text, self.dates[level - 1]))], NOTHING)


def _within(fine: Unit, coarse: Unit) -> bool:
    if "week" in (fine, coarse):
        return (fine, coarse) == ("day", "week")
    return CALENDAR.index(fine) < CALENDAR.index(coarse)


def _name(values: pa.Array, unit: Unit) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    def digits(numbers: pa.Array, width: int) -> pa.Array:
        return pc.utf8_lpad(numbers.cast(pa.string()), width, "0")

    def join(*parts: pa.Array | str) -> pa.Array:
        return pc.binary_join_element_wise(*parts, "")

    year, month = digits(pc.year(values), 4), pc.month(values)
    match unit:
        case "day":
            return join(year, "-", digits(month, 2), "-", digits(pc.day(values), 2))
        case "week":
            return join(digits(pc.iso_year(values), 4), "-W", digits(pc.iso_week(values), 2))
        case "month":
            return join(year, "-", digits(month, 2))
        case "quarter":
            return join(year, "-Q", pc.quarter(values).cast(pa.string()))
        case "half":
            return join(year, "-H", pc.divide(pc.add(month, 5), 6).cast(pa.string()))
        case "year":
            return year
        case "decade":
            return join(pc.utf8_slice_codeunits(year, 0, 3), "0s")


def _sql(value: str, unit: Unit) -> str:
    def part(field: str) -> str:
        return f"CAST(EXTRACT({field} FROM {value}) AS INTEGER)"

    def digits(number: str, width: int) -> str:
        return f"lpad(CAST({number} AS VARCHAR), {width}, '0')"

    year, month = digits(part("YEAR"), 4), digits(part("MONTH"), 2)
    match unit:
        case "day":
            return f"{year} || '-' || {month} || '-' || {digits(part('DAY'), 2)}"
        case "week":
            # The year a week belongs to: not every engine has a word for it.
            turn = [
                (f"{part('MONTH')} = 1 AND {part('WEEK')} > 51", f"{part('YEAR')} - 1"),
                (f"{part('MONTH')} = 12 AND {part('WEEK')} = 1", f"{part('YEAR')} + 1"),
            ]
            return f"{digits(choice(turn, part('YEAR')), 4)} || '-W' || {digits(part('WEEK'), 2)}"
        case "month":
            return f"{year} || '-' || {month}"
        case "quarter":
            return f"{year} || '-Q' || CAST({part('QUARTER')} AS VARCHAR)"
        case "half":
            half = choice([(f"{part('MONTH')} < 7", "'1'")], "'2'")
            return f"{year} || '-H' || {half}"
        case "year":
            return year
        case "decade":
            return f"substr({year}, 1, 3) || '0s'"
