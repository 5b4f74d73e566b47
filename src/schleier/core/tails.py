"""What methods that treat the tails of a column have in common: limits, and enough units beyond them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from pydantic import Field, model_validator

from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.schema import Schema


class Tails(Method):
    """A method that changes values above ``upper`` and below ``lower``."""

    column: str
    """The numeric column."""
    upper: int | float | None = None
    """Values above this are changed."""
    lower: int | float | None = None
    """Values below this are changed."""
    min_affected: int = Field(default=3, ge=3)
    """A changed tail must hold at least so many units (households, owners; else rows), or none."""
    affected_upper: int | None = None
    """Learned: units above."""
    affected_lower: int | None = None
    """Learned: units below."""

    @model_validator(mode="after")
    def _some_limit(self) -> Self:
        if self.upper is None and self.lower is None:
            raise ValueError("say upper, lower or both")
        if self.upper is not None and self.lower is not None and self.lower >= self.upper:
            raise ValueError("lower must be below upper")
        return self

    @property
    def fitted(self) -> bool:
        """Whether the units beyond the limits were counted."""
        return self.affected_upper is not None or self.affected_lower is not None

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The column must be numeric."""
        yield from super().problems(schema)
        if self.column in schema and not schema[self.column].numeric:
            message = f"column '{self.column}' is {schema[self.column].scale}: only numbers have tails"
            yield Problem("not-numeric", "column", message, "recode it instead")
