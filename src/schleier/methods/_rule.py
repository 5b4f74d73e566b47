"""A rule between columns that every released record must keep, written down in a recipe."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field, model_validator

from schleier.core.normal import logical
from schleier.core.record import Declared
from schleier.core.schema import Schema
from schleier.methods._condition import Condition

if TYPE_CHECKING:
    import narwhals as nw

MOST = 1e15
"""Beyond it, numbers are no longer told apart by one, and whole ones soon have no room."""
Limit = Annotated[float, Field(ge=-MOST, le=MOST)] | tuple[str, ...]
"""A number, or columns whose sum counts."""
LAST_DIGITS = 1e-9
"""Share of a limit by which sums of amounts may be off."""


class Rule(Declared):
    """A column is at least, at most or equal to a number or the sum of other columns. Gaps break no rule.

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

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        said = [value for value in (self.at_least, self.at_most, self.equals) if value is not None]
        if len(said) != 1 or said[0] == ():
            raise ValueError("say exactly one of at_least, at_most and equals")
        if self.column in self.others:
            raise ValueError("a column cannot be compared with itself")
        return self

    @property
    def others(self) -> tuple[str, ...]:
        """The columns it is compared with."""
        limit = next(value for value in (self.at_least, self.at_most, self.equals) if value is not None)
        return limit if isinstance(limit, tuple) else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the comparison, the one that moves first."""
        return (self.column, *self.others)

    def problems(self, schema: Schema) -> Iterator[str]:
        """What makes no sense for these columns."""
        for name in self.columns:
            if name in schema and not schema[name].numeric:
                yield f"column '{name}' holds no numbers"
        if self.unless is not None and self.unless.column in schema:
            yield from self.unless.problems(schema[self.unless.column])

    def broken(self, types: Mapping[str, Any]) -> nw.Expr:
        """Whether a record breaks the rule; sums of amounts may be off by the last digits."""
        import narwhals as nw

        value, limit = nw.col(self.column).cast(nw.Float64), self._limit()
        near = (limit.abs() + 1) * LAST_DIGITS
        if self.equals is not None:
            found = (value - limit).abs() > near
        else:
            found = value < limit - near if self.at_least is not None else value > limit + near
        found = found.fill_null(False)
        if self.unless is not None:
            free = self.unless.met(logical(types[self.unless.column]))
            found = found & ~free.fill_null(False)
        return found

    def moved(self, types: Mapping[str, Any], *, whole: bool) -> nw.Expr:
        """The column with its limit where the rule is broken; whole numbers end on the right side of it."""
        import narwhals as nw

        limit = self._limit()
        if whole and self.equals is None:
            limit = limit.ceil() if self.at_least is not None else limit.floor()
        return nw.when(self.broken(types)).then(limit.cast(types[self.column])).otherwise(nw.col(self.column))

    def _limit(self) -> nw.Expr:
        import narwhals as nw

        limit = next(value for value in (self.at_least, self.at_most, self.equals) if value is not None)
        if isinstance(limit, tuple):
            return functools.reduce(operator.add, (nw.col(name).cast(nw.Float64) for name in limit))
        # From the column, so that it is missing where that is.
        return nw.col(self.column).cast(nw.Float64) * 0 + limit
