"""Running numbers in place of numbers that identify (formal anonymisation, Höhne T16)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.promises import Keeps
from schleier.core.schema import Role, Schema
from schleier.core.traces import Traces
from schleier.methods._running_numbers import MEANING, renumbered

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class Renumber(Method):
    """Replace the values of a column by 1, 2, 3 ... in random order; equal values get the same number.

    >>> Renumber(column="household").column
    'household'
    """

    reference: ClassVar[str] = "Höhne (2010), Begriffsbestimmung: formale Anonymität (T16)"
    traces: ClassVar[Traces] = frozenset()
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A1",)
    random: ClassVar[bool] = True
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "groups": "exact"}
    example: ClassVar[dict[str, object]] = {"column": "household"}

    column: str
    """The column to renumber: a unit, an identifier, or names and codes without order."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The column must hold names or numbers of somebody, not amounts."""
        yield from super().problems(schema)
        if self.column not in schema:
            return
        column = schema[self.column]
        names = column.role in ("unit", "identifier") and column.scale == "discrete"
        if column.scale not in ("nominal", "text", "place") and not names:
            message = f"column '{column.name}' is {column.scale}: its values mean more than who is who"
            yield Problem("not-a-name", "column", message, "recode it, or swap it instead")

    def after(self, schema: Schema) -> Schema:
        """Numbers without meaning; an identifier no longer identifies, but tells which records belong together."""
        role: Role = schema[self.column].role
        if role == "identifier":
            role = "plain" if schema.having("unit") else "unit"
        return schema.changed(self.column, role=role, scale="nominal", **MEANING)

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with the column renumbered; missing stays missing. The old values are written down nowhere."""
        frame, numbers = renumbered(data, run, self.column)
        run.note(column=self.column, numbers=numbers)
        after = self.after(data.schema)
        return replace(data, frame=frame.select(after.key, *after.names), schema=after)
