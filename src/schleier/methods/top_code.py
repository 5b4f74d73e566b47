"""Cap the tails of a column (Höhne T12, censoring)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Self

from schleier.core.errors import InfeasibleError, Problem, Problems
from schleier.core.schema import Schema
from schleier.core.tails import Tails
from schleier.core.units import units

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class TopCode(Tails):
    """Values above ``upper`` become ``upper``, values below ``lower`` become ``lower``.

    >>> TopCode(column="income", upper=9000).upper
    9000
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Censoring (T12)"
    mapping: ClassVar[bool] = True
    keeps: ClassVar[dict[str, str]] = {"rows": "exact", "other columns": "exact", "order": "weak"}
    example: ClassVar[dict[str, object]] = {"column": "income", "upper": 3000}

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """A whole-number column needs whole limits."""
        yield from super().problems(schema)
        whole = self.column in schema and schema[self.column].scale == "discrete"
        for name, limit in {"upper": self.upper, "lower": self.lower}.items():
            if whole and limit is not None and limit != int(limit):
                yield Problem("not-whole", name, f"column '{self.column}' holds whole numbers, the limit does not")

    def fit(self, data: Dataset, run: Run) -> Self:
        """Count the capped rows and refuse tails too small to hide in."""
        import narwhals as nw

        if self.fitted:
            return self

        value = nw.col(self.column)
        tails = {"upper": (self.upper, value.__gt__), "lower": (self.lower, value.__lt__)}
        affected = {n: units(data, beyond(limit)) for n, (limit, beyond) in tails.items() if limit is not None}
        found = Problems()
        for name, count in affected.items():
            if 0 < count < self.min_affected:
                message = f"only {count} units of '{self.column}' lie beyond the {name} limit"
                hint = f"move the limit inwards until it affects at least {self.min_affected} units"
                found.add("too-few-affected", name, message, hint)
        found.raise_as(InfeasibleError)
        return self.model_copy(update={f"affected_{name}": count for name, count in affected.items()})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with its tails capped."""
        import narwhals as nw

        if not self.fitted:
            return self.fit(data, run).apply(data, run)
        value = nw.col(self.column)
        whole = data.schema[self.column].scale == "discrete"
        for limit, beyond in ((self.upper, value.__gt__), (self.lower, value.__lt__)):
            if limit is not None:
                capped = nw.lit(int(limit)) if whole else nw.lit(float(limit))
                value = nw.when(beyond(limit)).then(capped).otherwise(value)
        affected = {"above": self.affected_upper, "below": self.affected_lower}
        run.note(column=self.column, capped={name: n for name, n in affected.items() if n is not None})
        return data.mutate(**{self.column: value})
