"""Cap the tails of a column (Höhne T12, censoring)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field

from schleier.core.amount import tail_mean
from schleier.core.classes.table import sorted_codes
from schleier.core.errors import InfeasibleError, Problem, Problems
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.core.units import units
from schleier.methods._tails import Tails

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run


class TopCode(Tails):
    """Values above ``upper`` become ``upper``, values below ``lower`` become ``lower``.

    >>> TopCode(column="income", upper=9000).upper
    9000
    """

    counts: ClassVar[frozenset[str]] = frozenset({"affected_upper", "affected_lower", "capped"})
    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Censoring (T12)"
    traces: ClassVar[Traces] = frozenset({"tail", "rule"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A3",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "order": "weak"}
    example: ClassVar[dict[str, object]] = {"column": "income", "upper": 3000}

    describe: bool = True
    """Publish mean and median of the capped values, where they are enough and nobody dominates them."""
    min_described: int = Field(default=3, ge=3)
    """Mean and median are published of at least so many units."""
    dominance: float = Field(default=10, ge=10, le=100)
    """And only when the second largest unit could not estimate the largest from them to within so many per cent."""
    mean_upper: int | float | None = tail_mean()
    """Learned: mean of the values above."""
    median_upper: int | float | None = tail_mean()
    """Learned: mean of the middle three or four values above: the median itself is somebody's value."""
    mean_lower: int | float | None = tail_mean()
    """Learned: mean of the values below."""
    median_lower: int | float | None = tail_mean()
    """Learned: mean of the middle three or four values below."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """A whole-number column needs whole limits."""
        yield from super().problems(schema)
        whole = self.column in schema and schema[self.column].scale == "discrete"
        for name, limit in {"upper": self.upper, "lower": self.lower}.items():
            if whole and limit is not None and limit != int(limit):
                yield Problem("not-whole", name, f"column '{self.column}' holds whole numbers, but the limit is none")

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
                message = f"too few units of '{self.column}' lie beyond the {name} limit: {count}"
                hint = f"move the limit inwards until it affects at least {self.min_affected} units"
                found.add("too-few-affected", name, message, hint)
        found.raise_as(InfeasibleError)
        learned: dict[str, float | None] = {f"affected_{name}": count for name, count in affected.items()}
        for name, count in affected.items():
            limit, beyond = tails[name]
            if self.describe and limit is not None and count >= self.min_described:
                learned |= self._described(data, name, limit, beyond(limit))
        return self.model_copy(update=learned)

    def again(self) -> Self:
        """Count and describe the other rows."""
        fresh = dict.fromkeys(f"{what}_{side}" for what in ("mean", "median") for side in ("upper", "lower"))
        return super().again().model_copy(update=fresh)

    def _described(self, data: Dataset, side: str, limit: float, beyond: nw.Expr) -> dict[str, float | None]:
        """Mean and median of a tail; nothing where one unit dominates it. The tail is held in memory."""
        import numpy as np

        from schleier.kernels.inference.dominance import dominated
        from schleier.kernels.statistics.exact import exact_mean

        unit = data.schema.having("unit")[:1]
        table = data.engine.arrays(data.filter(beyond).frame.select(self.column, *unit)).sort_by(self.column)
        values, n = table.column(self.column).to_numpy(), len(table)
        owners = sorted_codes(table.column(unit[0]))[1] + 1 if unit else np.arange(n)
        amounts = np.abs(values.astype(np.float64) - limit)
        middle = np.zeros(n, dtype=bool)
        middle[(n - 3) // 2 if n % 2 else n // 2 - 2 : (n + 3) // 2 if n % 2 else n // 2 + 2] = True

        def hidden(part: NDArray[np.bool_]) -> bool:
            """Who knows the mean and the limit can subtract his own part."""
            shares: NDArray[np.float64] = np.bincount(owners[part], weights=amounts[part]).astype(np.float64)
            return not dominated(shares[shares > 0], self.dominance)

        if not hidden(np.ones(n, dtype=bool)):
            return {}
        column = data.schema[self.column]
        decimals = 0 if column.scale == "discrete" else column.decimals
        found: dict[str, float | None] = {f"mean_{side}": exact_mean(values.tolist(), decimals)[0]}
        # Two means tell a third one: that of the values outside the middle.
        if hidden(middle) and (middle.all() or hidden(~middle)):
            found[f"median_{side}"] = exact_mean(values[middle].tolist(), decimals)[0]
        return found

    def lenient(self) -> Self:
        """How many of somebody's own persons lie beyond the limits does not matter, nor is it told."""
        return self if self.fitted else self.model_copy(update={"affected_upper": 0})

    def repeated(self, data: Dataset, before: Schema, run: Run) -> Dataset | None:
        """Once more at the limits, which are known from the start: how many lie beyond them does not matter."""
        return self.model_copy(update={"affected_upper": 0}).apply(data, run)

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
