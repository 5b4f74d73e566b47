"""All records are older than a limit."""

from __future__ import annotations

import calendar
import datetime
import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Criterion, Verdict, stricter
from schleier.core.errors import Problem
from schleier.core.schema import Schema
from schleier.criteria._keys import verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WRITTEN = re.compile(
    r"(?P<decade>\d{3})0s"
    r"|(?P<year>\d{4})(?:-W(?P<week>\d{2})|-Q(?P<quarter>[1-4])|-H(?P<half>[12])|-(?P<month>\d{2})(?:-(?P<day>\d{2}))?)?"
)
"""Dates as a hierarchy of dates writes them: 1984-07-31, 1984-W31, 1984-07, 1984-Q3, 1984-H2, 1984, 1980s."""
DAYS = 365.25


class DataAge(Criterion):
    """Every record was collected so many years before a given day, or earlier.

    >>> DataAge(column="interviewed", years=3, as_of="2026-01-01").limit
    datetime.date(2023, 1, 1)
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche and Wirth (1991), 2.2.1 (age of the data, operator A-04)"
    example: ClassVar[dict[str, object]] = {"column": "born", "years": 20, "as_of": "2000-01-01"}

    column: str
    """When a record was collected: dates, years as whole numbers, or dates that were coarsened."""
    years: float = stricter("higher", gt=0, le=200)
    """Records must be at least so old; a year has 365.25 days."""
    as_of: datetime.date = stricter("lower")
    """The day from which is counted back, usually that of the release. The clock of the machine is never asked."""

    @property
    def limit(self) -> datetime.date:
        """The last day a record may be from."""
        try:
            return self.as_of - datetime.timedelta(math.ceil(self.years * DAYS))
        except OverflowError:
            return datetime.date.min

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The column must be able to hold dates or years."""
        yield from super().problems(schema)
        if self.column in schema and schema[self.column].scale == "continuous":
            message = f"column '{self.column}' is continuous: it tells no day and no year"
            yield Problem("no-dates", "column", message, 'name a column of scale "time", or of years as whole numbers')

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """The dates that occur."""
        return (Request((self.column,)),)

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Dates that may be later than the limit; and what tells no date, or is missing."""
        import numpy as np

        late = [(day := last_day(value)) is None or day > self.limit for value in classes.values[0].to_pylist()]
        return np.array([*late, True], dtype=bool)[classes.codes[:, 0]]

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The newest record decides."""
        (classes,) = tables
        bad = self.bad(classes)
        days = [last_day(value) for value in classes.values[0].to_pylist()]
        held = [days[code] if code >= 0 else None for code in classes.codes[:, 0].tolist()]
        known = [day for day in held if day is not None]
        level = (self.as_of - max(known)).days / DAYS if known else None
        # How old to the day would tell when somebody was asked: whole years are enough for a reader.
        text = f"Records must be at least {self.years:g} year{'s' * (self.years != 1)} old on {self.as_of.isoformat()}"
        if level is not None:
            text += f"; the newest is {int(level // 1)} year{'s' * (int(level // 1) != 1)} old"
        if unknown := int(sum(n for n, day in zip(classes.sizes.tolist(), held, strict=True) if day is None)):
            text += f" ({'1 record does' if unknown == 1 else f'{unknown} records do'} not tell the date)"
        return verdict(self, tables, [bad], None if level is None else float(int(level // 1)), text)


def last_day(value: Any) -> datetime.date | None:
    """The last day a value may stand for; nothing when it tells no date.

    >>> last_day("1984-Q1"), last_day(1984), last_day("1980s"), last_day("*")
    (datetime.date(1984, 3, 31), datetime.date(1984, 12, 31), datetime.date(1989, 12, 31), None)
    """
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    found = WRITTEN.fullmatch(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    if found is None:
        return None
    part = {name: int(text) for name, text in found.groupdict().items() if text is not None}
    try:
        if "decade" in part:
            return datetime.date(part["decade"] * 10 + 9, 12, 31)
        if "week" in part:
            return datetime.date.fromisocalendar(part["year"], part["week"], 7)
        month = part.get("month", 3 * part.get("quarter", 0) or 6 * part.get("half", 0) or 12)
        return datetime.date(part["year"], month, part.get("day") or calendar.monthrange(part["year"], month)[1])
    except ValueError:
        return None
