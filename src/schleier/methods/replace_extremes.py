"""Replace the tails of a column by their mean (Höhne T13, replacement)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field, model_validator

from schleier.core.classes import sorted_codes
from schleier.core.errors import InfeasibleError, Problem, Problems
from schleier.core.method import Method
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class ReplaceExtremes(Method):
    """Values above ``upper`` become the mean of all values above it; below ``lower`` likewise.

    >>> ReplaceExtremes(column="income", upper=9000).min_affected
    3
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Replacement (T13)"
    keeps: ClassVar[dict[str, str]] = {
        "rows": "exact",
        "other columns": "exact",
        "order": "weak",
        "total": "up to rounding",
    }
    example: ClassVar[dict[str, object]] = {"column": "income", "upper": 3000}
    mapping: ClassVar[bool] = True

    column: str
    """The numeric column whose tails are replaced."""
    upper: int | float | None = None
    """Values above this are replaced."""
    lower: int | float | None = None
    """Values below this are replaced."""
    min_affected: int = Field(default=3, ge=3)
    """A replaced tail must hold at least so many units (households, owners; else rows), or none."""
    dominance: float = Field(default=10, ge=10, le=100)
    """The second largest unit must not be able to estimate the largest to within so many per cent."""
    mean_upper: int | float | None = None
    """Learned: what replaces the values above."""
    mean_lower: int | float | None = None
    """Learned: what replaces the values below."""
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

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The column must be numeric."""
        yield from super().problems(schema)
        if self.column in schema and not schema[self.column].numeric:
            message = f"column '{self.column}' is {schema[self.column].scale}: only numbers have a mean"
            yield Problem("not-numeric", "column", message, "recode it instead")

    def fit(self, data: Dataset, run: Run) -> Self:
        """Learn the means, and refuse tails too small or too uneven to hide in."""
        if self._fitted:
            return self
        found, learned = Problems(), dict[str, float | None]()
        for side, limit in self._limits().items():
            count, mean, change = self._tail(data, side, limit, found)
            learned |= {f"affected_{side}": count, f"mean_{side}": mean}
            if change:  # the mean is rounded to what the column can hold
                run.note(column=self.column, tail=side, total_changed_by_rounding=change)
        found.raise_as(InfeasibleError)
        return self.model_copy(update=learned)

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with its tails replaced."""
        import narwhals as nw

        if not self._fitted:
            return self.fit(data, run).apply(data, run)
        value = new = nw.col(self.column)
        whole = data.schema[self.column].scale == "discrete"
        facts = {}
        for side, limit in self._limits().items():
            mean, count = getattr(self, f"mean_{side}"), getattr(self, f"affected_{side}")
            beyond = value > limit if side == "upper" else value < limit
            # Where nobody was affected a replay on other rows cuts at the limit: never a weaker result.
            word = limit if mean is None else mean
            new = nw.when(beyond).then(nw.lit(int(word) if whole else float(word))).otherwise(new)
            facts[side] = {"units": count, "mean": mean}
        run.note(column=self.column, replaced=facts)
        return data.mutate(**{self.column: new})

    @property
    def _fitted(self) -> bool:
        return self.affected_upper is not None or self.affected_lower is not None

    def _limits(self) -> dict[str, float]:
        return {side: limit for side, limit in (("upper", self.upper), ("lower", self.lower)) if limit is not None}

    def _tail(self, data: Dataset, side: str, limit: float, found: Problems) -> tuple[int, float | None, float]:
        """Units of a tail, its mean, and what rounding the mean adds to the total; the tail is held in memory."""
        import narwhals as nw
        import numpy as np

        from schleier.kernels.dominance import dominated
        from schleier.kernels.exact import exact_mean

        value, unit = nw.col(self.column), data.schema.having("unit")[:1]
        beyond = data.filter(value > limit if side == "upper" else value < limit)
        table = data.engine.arrays(beyond.frame.select(nw.col(self.column), *unit)).sort_by(self.column)
        values = table.column(self.column).to_numpy()
        amounts = np.abs(values.astype(np.float64) - limit)
        if unit:  # the limit is public, so what a unit hides is its distance from it, added up over its rows
            amounts = np.bincount(sorted_codes(table.column(unit[0]))[1] + 1, weights=amounts)
            amounts = amounts[amounts > 0]
        count, column = len(amounts), data.schema[self.column]
        if 0 < count < self.min_affected:
            message = f"only {count} units of '{self.column}' lie beyond the {side} limit"
            hint = f"move the limit inwards until it affects at least {self.min_affected} units"
            found.add("too-few-affected", side, message, hint)
        elif count and dominated(amounts, self.dominance):
            message = f"one unit dominates those of '{self.column}' beyond the {side} limit: their mean tells its value"
            found.add("dominance", side, message, "move the limit inwards, or use top_code instead")
        elif count:
            return count, *exact_mean(values.tolist(), 0 if column.scale == "discrete" else column.decimals)
        return count, None, 0.0
