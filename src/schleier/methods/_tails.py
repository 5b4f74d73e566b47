"""What methods that treat the tails of a column have in common: limits, and enough units beyond them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.schema import Schema
from schleier.core.sql import Rewrite, Typed, choice, literal, number, quoted
from schleier.core.traces import Tail, Trace

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


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

    def trail(self, trace: Trace, schema: Schema) -> Tail | None:
        """The limit above."""
        return Tail(self.column, self.upper) if trace == "tail" else None

    def again(self) -> Self:
        """Count the units beyond the limits anew, and refuse again where they are too few."""
        return self.model_copy(update={"affected_upper": None, "affected_lower": None})

    def words(self) -> dict[str, tuple[float, float]]:
        """Each limit that is given, with what replaces the values beyond it."""
        limits = {"upper": self.upper, "lower": self.lower}
        return {side: (limit, limit) for side, limit in limits.items() if limit is not None}

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """Values beyond the limits replaced; a column of amounts becomes a floating number."""
        value, whole = Typed(quoted(self.column), types[self.column]), schema[self.column].scale == "discrete"
        held, kind = (value.text, "integer") if whole else (value.number, "number")
        arms = []
        for side, (limit, word) in self.words().items():
            end = literal(int(limit) if whole and limit == int(limit) else limit, kind)
            beyond = f"{held} {'>' if side == 'upper' else '<'} {end}"
            arms.append((beyond, str(int(word)) if whole else number(word)))
        return Rewrite({self.column: Typed(choice(arms, held), kind)})

    def repeated(self, data: Dataset, before: Schema, run: Run) -> Dataset | None:
        """Once more with what was learned; before that nobody knows what stands beyond the limits."""
        return self.apply(data, run) if self.fitted else None

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
