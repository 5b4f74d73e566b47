"""Replace the tails of a column by their mean (Höhne T13, replacement)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field, model_validator

from schleier.core.amount import Design, tail_mean
from schleier.core.classes.table import sorted_codes
from schleier.core.component import secret
from schleier.core.errors import InfeasibleError, Problems, stop
from schleier.core.promises import Keeps
from schleier.core.traces import Traces
from schleier.methods._tails import Tails

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run


class ReplaceExtremes(Tails):
    """Values above ``upper`` become the mean of all values above it; below ``lower`` likewise.

    >>> ReplaceExtremes(column="income", upper=9000).min_affected
    3
    """

    counts: ClassVar[frozenset[str]] = frozenset({"affected_upper", "affected_lower", "units"})
    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Replacement (T13)"
    traces: ClassVar[Traces] = frozenset({"tail", "tail_mean", "rule"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A3",)
    keeps: ClassVar[Keeps] = {
        "rows": "exact",
        "other columns": "exact",
        "order": "weak",
        "mean": "weak",  # other rows get the mean that was learned
        "total": "weak",
    }
    example: ClassVar[dict[str, object]] = {"column": "income", "upper": 3000}

    extremes: int | None = Field(default=None, ge=3)
    """Replace so many of the highest and of the lowest values, with their equals, instead of those beyond a limit."""
    dominance: float = Field(default=10, ge=10, le=100)
    """The second largest unit must not be able to estimate the largest to within so many per cent."""
    mean_upper: int | float | None = tail_mean()
    """Learned: what replaces the values above."""
    mean_lower: int | float | None = tail_mean()
    """Learned: what replaces the values below."""
    found_limits: dict[str, float] = secret(default_factory=dict)
    """Learned: half way between the extreme values and the next."""

    @model_validator(mode="after")
    def _some_limit(self) -> Self:
        if self.extremes is None:
            return super()._some_limit()  # type: ignore[operator, no-any-return]
        if self.upper is not None or self.lower is not None:
            raise ValueError("say either extremes or limits")
        return self

    def fit(self, data: Dataset, run: Run) -> Self:
        """Learn the means, and refuse tails too small or too uneven to hide in."""
        if self.fitted:
            return self
        if self.extremes is not None and not self.found_limits:
            return self.model_copy(update={"found_limits": self._between(data)}).fit(data, run)
        found, learned = Problems(), dict[str, float | None]()
        for side, limit in self._limits().items():
            before = getattr(self, f"mean_{side}")
            count, mean, change = self._tail(data, side, limit, found, before)
            learned |= {f"affected_{side}": count, f"mean_{side}": mean}
            if change:  # the mean is rounded to what the column can hold
                run.note(column=self.column, tail=side, total_changed_by_rounding=Design(change))
        found.raise_as(InfeasibleError)
        if any(getattr(self, f"mean_{side}") is not None for side in self._limits()):
            # By how much would tell the total of a tail that nobody looked at for dominance.
            run.note(caution="the mean was learned from the rows of another release: the total is not kept")
        return self.model_copy(update=learned)

    def again(self) -> Self:
        """Count anew, keep the means. Where nobody was affected other rows are cut at the limit: never weaker."""
        means = {f"mean_{side}": word for side, (_, word) in self.words().items()}
        return super().again().model_copy(update=means)

    def words(self) -> dict[str, tuple[float, float]]:
        """Each limit with the learned mean, or with itself where nobody was affected."""
        found = {}
        for side, limit in self._limits().items():
            mean = self.mean_upper if side == "upper" else self.mean_lower
            found[side] = (limit, limit if mean is None else mean)
        return found

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with its tails replaced."""
        import narwhals as nw

        if not self.fitted:
            return self.fit(data, run).apply(data, run)
        value = new = nw.col(self.column)
        whole = data.schema[self.column].scale == "discrete"
        facts = {}
        for side, limit in self._limits().items():
            mean, count = getattr(self, f"mean_{side}"), getattr(self, f"affected_{side}")
            beyond = value > limit if side == "upper" else value < limit
            word = self.words()[side][1]
            new = nw.when(beyond).then(nw.lit(int(word) if whole else float(word))).otherwise(new)
            facts[side] = {"units": count, "mean": None if mean is None else Design(mean)}
        run.note(column=self.column, replaced=facts)
        return data.mutate(**{self.column: new})

    def _between(self, data: Dataset) -> dict[str, float]:
        """Limits that cut off as many values as wanted, and those equal to the last of them."""
        import narwhals as nw
        import numpy as np

        values, counts = data.counts(nw.col(self.column))
        ordered, wanted = values.to_numpy(zero_copy_only=False), self.extremes or 0
        below, above = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
        low, high = int(np.searchsorted(below, wanted)), int((above >= wanted).sum()) - 1
        if low >= high:
            message = f"'{self.column}' has too few different values to tell {wanted} at either end from the others"
            stop(InfeasibleError, "too-few-affected", "extremes", message, "name limits instead, or use top_code")
        return {
            "upper": float((ordered[high - 1] + ordered[high]) / 2),
            "lower": float((ordered[low] + ordered[low + 1]) / 2),
        }

    def _limits(self) -> dict[str, float]:
        if self.extremes is not None:
            return dict(self.found_limits)
        return {side: limit for side, limit in (("upper", self.upper), ("lower", self.lower)) if limit is not None}

    def _tail(
        self, data: Dataset, side: str, limit: float, found: Problems, before: float | None
    ) -> tuple[int, float | None, float]:
        """Units of a tail, its mean, and what rounding the mean adds to the total; the tail is held in memory.

        A mean learned ``before`` from other rows stays: it tells nothing of these, however uneven they are.
        """
        import narwhals as nw
        import numpy as np

        from schleier.kernels.inference.dominance import dominated
        from schleier.kernels.statistics.exact import exact_mean

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
            message = f"too few units of '{self.column}' lie beyond the {side} limit: {count}"
            hint = f"move the limit inwards until it affects at least {self.min_affected} units"
            found.add("too-few-affected", side, message, hint)
        elif before is not None:
            return count, before, 0.0
        elif count and dominated(amounts, self.dominance):
            message = f"one unit dominates those of '{self.column}' beyond the {side} limit: their mean tells its value"
            found.add("dominance", side, message, "move the limit inwards, or use top_code instead")
        elif count:
            return count, *exact_mean(values.tolist(), 0 if column.scale == "discrete" else column.decimals)
        return count, None, 0.0
