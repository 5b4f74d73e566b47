"""A condition on the values of a column, written down in a recipe."""

from __future__ import annotations

import datetime
import functools
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from schleier.core.errors import DataError, Problem
from schleier.core.record import Declared
from schleier.core.schema import Column
from schleier.core.sql import is_in, literal, quoted

if TYPE_CHECKING:
    import narwhals as nw

LIMITS = {"at_least": operator.ge, "above": operator.gt, "at_most": operator.le, "below": operator.lt}
SIGNS = {"at_least": ">=", "above": ">", "at_most": "<=", "below": "<"}
LISTS = ("equals", "is_in", "not_in")


def _plain(value: object) -> object:
    """Dates of TOML as text: every document can hold them."""
    return value.isoformat() if isinstance(value, datetime.date) else value


Value = Annotated[bool | int | float | str, BeforeValidator(_plain)]


class Condition(Declared):
    """What a column must meet; all that is said must hold. Missing values meet it only when ``missing = true``.

    >>> Condition(column="age", at_least=18, below=65).said()
    {'at_least': (18,), 'below': (65,)}
    """

    column: str
    """The column."""
    at_least: Value | None = None
    """Smallest value."""
    above: Value | None = None
    """All values must be larger."""
    at_most: Value | None = None
    """Largest value."""
    below: Value | None = None
    """All values must be smaller."""
    equals: Value | None = None
    """The only value."""
    is_in: tuple[Value, ...] | None = Field(default=None, min_length=1)
    """All values that are kept."""
    not_in: tuple[Value, ...] | None = Field(default=None, min_length=1)
    """All values that are left out."""
    missing: bool | None = None
    """Whether missing values are kept; alone: keep only those that are missing (true) or not missing (false)."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.said() and self.missing is None:
            raise ValueError("say what the column must meet: at_least, above, at_most, below, equals, is_in, not_in")
        return self

    def said(self) -> dict[str, tuple[Value, ...]]:
        """The comparisons that are made, each with its values."""
        found = {name: getattr(self, name) for name in (*LIMITS, *LISTS)}
        return {n: v if isinstance(v, tuple) else (v,) for n, v in found.items() if v is not None}

    def problems(self, column: Column) -> Iterator[str]:
        """What makes no sense for a column of this scale."""
        ordered = column.numeric or column.scale == "time"
        for name, values in self.said().items():
            if name in LIMITS and not ordered:
                yield f"column '{column.name}' is {column.scale}: '{name}' needs numbers or dates"
            elif column.numeric and any(isinstance(value, str | bool) for value in values):
                yield f"column '{column.name}' is {column.scale}: '{name}' needs numbers"
            elif column.scale == "time" and not all(is_date(value) for value in values):
                yield f"column '{column.name}' is time: '{name}' needs dates such as 2001-12-31"

    def met(self, kind: str) -> nw.Expr:
        """The condition as an expression over a column of a logical type."""
        import narwhals as nw

        column = nw.col(self.column)
        tests = []
        for name, values in self.said().items():
            wanted = [_typed(value, kind, self.column) for value in values]
            if name in LIMITS:
                tests.append(LIMITS[name](column, wanted[0]))
            else:
                tests.append(~column.is_in(wanted) if name == "not_in" else column.is_in(wanted))
        if not tests:
            return column.is_null() if self.missing else ~column.is_null()
        held: nw.Expr = functools.reduce(operator.and_, tests)
        return held | column.is_null() if self.missing else held

    def sql(self, kind: str) -> str | None:
        """The condition in SQL over a column of a kind; nothing when it cannot be said there."""
        column, tests = quoted(self.column), []
        for test, values in self.said().items():
            wanted = [literal(_typed(value, kind, self.column), kind) for value in values if kind != "zoned"]
            known = [text for text in wanted if text is not None]
            if len(known) < len(values):
                return None
            if test in LIMITS:
                tests.append(f"{column} {SIGNS[test]} {known[0]}")
            else:
                tests.append(("NOT " if test == "not_in" else "") + is_in(column, known))
        if not tests:
            return f"{column} IS {'' if self.missing else 'NOT '}NULL"
        held = " AND ".join(tests)
        return f"(({held}) OR {column} IS NULL)" if self.missing else f"({held})"

    def told(self, column: Column) -> dict[str, Any]:
        """The condition for the report: limits are stated, listed values of protected columns only counted."""
        told: dict[str, Any] = {"column": self.column}
        for name, values in self.said().items():
            open_to_all = name in LIMITS or not column.protected
            shown = values[0] if name in LIMITS else list(values)
            counted = f"{len(values)} value{'s' * (len(values) > 1)}"
            told[name] = shown if open_to_all else counted
        return told if self.missing is None else told | {"missing": self.missing}


def is_date(value: Value) -> bool:
    """Whether a text is a day, or a moment without a zone.

    >>> is_date("2001-12-31"), is_date("31.12.2001")
    (True, False)
    """
    try:
        return isinstance(value, str) and datetime.datetime.fromisoformat(value).tzinfo is None
    except ValueError:
        return False


def _typed(value: Value, kind: str, column: str) -> Any:
    """A value as the column holds it: nominal codes may be stored as numbers, text or truth values."""
    try:
        match kind:
            case "integer":
                return int(value) if isinstance(value, str) else value
            case "number":
                return float(value)
            case "text":
                return str(value)
            case "date":
                return datetime.date.fromisoformat(str(value))
            case "time":
                return datetime.datetime.fromisoformat(str(value))
            case _:
                return {"true": True, "false": False}[str(value).lower()]
    except (ValueError, KeyError):
        message = f"column '{column}' holds {kind} values, a condition on it asks for something else"
        raise DataError(Problem("wrong-type", "where", message)) from None
