"""A rule between columns that every released record must keep, written down in a recipe."""

from __future__ import annotations

import datetime
import functools
import operator
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, field_validator, model_validator

from schleier.core.errors import Problem
from schleier.core.normal import logical
from schleier.core.record import Declared
from schleier.core.schema import Schema
from schleier.methods._condition import Condition, is_date

if TYPE_CHECKING:
    import narwhals as nw

MOST = 1e15
"""Beyond it, numbers are no longer told apart by one, and whole ones soon have no room."""

Limit = Annotated[float, Field(ge=-MOST, le=MOST)] | tuple[str, ...] | str
"""A number, a date, or columns: the sum of several counts."""
LAST_DIGITS = 1e-9
"""Share of a limit by which sums of amounts may be off."""
HINT = "rules compare numbers with numbers, dates with dates"


class Rule(Declared):
    """A column is at least, at most or equal to a number, a date or (the sum of) other columns. Gaps break no rule.

    >>> Rule(column="end", at_least=["start"]).columns
    ('end', 'start')
    """

    column: str
    """The column that is moved where the rule is broken."""
    at_least: Limit | None = None
    """What it must not be below."""
    at_most: Limit | None = None
    """What it must not be above."""
    equals: Limit | None = None
    """What it must be."""
    unless: Condition | None = None
    """Records that meet this condition are free from the rule."""

    @field_validator("at_least", "at_most", "equals", mode="before")
    @classmethod
    def _is_limit(cls, value: object) -> object:
        """Dates of TOML become text; what is no limit is not taken for one."""
        if isinstance(value, bool):
            raise ValueError("a limit is a number, a date or a list of columns, not true or false")
        if isinstance(value, str) and not is_date(value):
            raise ValueError("text is no limit: a date is written as 2001-12-31, a column in brackets")
        return value.isoformat() if isinstance(value, datetime.date) else value

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        said = [value for value in (self.at_least, self.at_most, self.equals) if value is not None]
        if len(said) != 1 or said[0] == ():
            raise ValueError("say exactly one of at_least, at_most and equals")
        if self.column in self.others:
            raise ValueError("a column cannot be compared with itself")
        return self

    @property
    def limit(self) -> float | str | tuple[str, ...]:
        """What it is compared with."""
        return next(value for value in (self.at_least, self.at_most, self.equals) if value is not None)

    @property
    def others(self) -> tuple[str, ...]:
        """The columns it is compared with."""
        return self.limit if isinstance(self.limit, tuple) else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the comparison, the one that moves first."""
        return (self.column, *self.others)

    def problems(self, schema: Schema, where: str) -> Iterator[Problem]:
        """What makes no sense for these columns."""
        known = [name for name in self.columns if name in schema]
        times = [name for name in known if schema[name].scale == "time"]
        for name in known:
            if not schema[name].numeric and name not in times:
                yield Problem("bad-rule", where, f"column '{name}' holds no numbers", HINT)
        if times and (len(times) < len(known) or isinstance(self.limit, float)):
            message = f"column '{times[0]}' holds dates, which are compared with dates only"
            yield Problem("bad-rule", where, message, HINT)
        elif times and len(self.others) > 1:
            message = f"column '{times[0]}' holds dates, which have no sum: compare it with one column"
            yield Problem("bad-rule", where, message, HINT)
        elif not times and isinstance(self.limit, str):
            yield Problem("bad-rule", where, f"column '{self.column}' holds no dates", HINT)
        if self.unless is not None and self.unless.column in schema:
            told = self.unless.problems(schema[self.unless.column])
            yield from (Problem("bad-rule", where, message, HINT) for message in told)

    def broken(self, types: Mapping[str, Any]) -> nw.Expr:
        """Whether a record breaks the rule; sums of amounts may be off by the last digits."""
        import narwhals as nw

        if self._dated(types):
            value, limit = self._days(types)
            below, above = value < limit, value > limit
        else:
            value, limit = nw.col(self.column).cast(nw.Float64), self._amount()
            near = (limit.abs() + 1) * LAST_DIGITS
            below, above = value < limit - near, value > limit + near
        found = below | above if self.equals is not None else below if self.at_least is not None else above
        found = found.fill_null(False)
        if self.unless is not None:
            free = self.unless.met(logical(types[self.unless.column]))
            found = found & ~free.fill_null(False)
        return found

    def moved(self, types: Mapping[str, Any], *, whole: bool) -> nw.Expr:
        """The column with its limit where the rule is broken; whole numbers end on the right side of it."""
        import narwhals as nw

        if self._dated(types):
            limit = self._days(types)[1]
        else:
            limit = self._amount()
            if whole and self.equals is None:
                limit = limit.ceil() if self.at_least is not None else limit.floor()
        return nw.when(self.broken(types)).then(limit.cast(types[self.column])).otherwise(nw.col(self.column))

    def _amount(self) -> nw.Expr:
        import narwhals as nw

        if isinstance(self.limit, tuple):
            return functools.reduce(operator.add, (nw.col(name).cast(nw.Float64) for name in self.limit))
        # From the column, so that it is missing where that is.
        return nw.col(self.column).cast(nw.Float64) * 0 + self.limit

    def _dated(self, types: Mapping[str, Any]) -> bool:
        return logical(types[self.column]) in ("date", "time")

    def _days(self, types: Mapping[str, Any]) -> tuple[nw.Expr, nw.Expr]:
        """The column and its limit as moments; as days where one of them knows no more."""
        import narwhals as nw

        value = nw.col(self.column)
        if isinstance(self.limit, tuple):
            limit, both = nw.col(self.limit[0]), {logical(types[name]) for name in self.columns}
        else:
            moment = datetime.datetime.fromisoformat(str(self.limit))
            is_day = logical(types[self.column]) == "date"
            limit, both = nw.lit(moment.date() if is_day else moment), {"date" if is_day else "time"}
        return (value, limit) if len(both) == 1 else (value.cast(nw.Date), limit.cast(nw.Date))
