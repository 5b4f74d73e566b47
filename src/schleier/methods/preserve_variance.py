"""Microaggregation that keeps the variance: two values for each group instead of one (Höhne M13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.amount import LEAST
from schleier.core.component import listed
from schleier.core.data import tally
from schleier.core.errors import InfeasibleError, Problems
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.traces import Traces
from schleier.methods._discrete import Discrete
from schleier.methods._gap_patterns import PATTERN, pattern, rare, refuse_infinite
from schleier.methods._small_strata import small_strata

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays
    from schleier.core.run import Run

HOW = "_how_{}_"
"""Working columns that say what became of a value."""


class PreserveVariance(Discrete):
    """Groups of k neighbours get two values that keep their mean and their variance, in one column or in all at once.

    >>> PreserveVariance(columns=["income"], k=6).zeros
    'change'
    """

    reference: ClassVar[str] = "Höhne (2010), 3.3.2 (M13): variance-preserving microaggregation"
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    traces: ClassVar[Traces] = frozenset({"average"})
    effects: ClassVar[tuple[str, ...]] = ("E1", "E3")
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    ways: ClassVar[tuple[str, ...]] = ("within",)
    keeps: ClassVar[Keeps] = {
        "rows": "exact",
        "other columns": "exact",
        "missing": "exact",
        "mean": "weak",
        "total": "weak",
        "variance": "weak",
    }
    example: ClassVar[dict[str, object]] = {"columns": ["income"], "k": 6}

    k: int = Field(ge=4)
    """Records in a group: at least four, so that two share each value; six keep nearly all values above zero."""
    together: bool = False
    """Group records by all columns at once instead of column by column: then half a group, at least two records, is
    alike in all of them, and values change more."""
    zeros: Literal["change", "keep"] = "change"
    """Whether zeros change too; "keep" for zeros that follow from other columns (structural zeros)."""
    round: Literal["none", "nearest"] = "nearest"
    """What becomes of whole numbers: broken (none) or rounded (nearest); rounded ones keep their moments nearly."""

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """Groups keep their sum, unless it is rounded value by value."""
        return {**cls.keeps, "mean": "exact", "total": "exact"} if known.get("round") == "none" else cls.keeps

    def fit(self, data: Dataset, run: Run) -> Self:
        """Pool strata of fewer than k records; refuse those with too few values."""
        if self.kept is not None:
            return self
        pooling = self.model_copy(update={"min_stratum": max(self.min_stratum, self.k)})
        fitted, found = self.model_copy(update=pooling.learn(data, run)), Problems()
        named, by = fitted.split(data)
        if self.together:
            self._look(named, by, found)
            found.raise_as(InfeasibleError)
            return fitted
        counts = {name: tally(self._changes(name)) for name in self.metric(data.schema)}
        for _, _, message in small_strata(named, by, counts, self.k):
            hint = "use coarser strata, or leave the column out"
            found.add("too-few-values", "k", f"{message} to group", hint)
        found.raise_as(InfeasibleError)
        return fitted

    def again(self) -> Self:
        """Strata are counted and pooled anew."""
        return self.model_copy(update={"kept": None})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The dataset with two values for each group; what could not keep its variance is noted."""
        import narwhals as nw

        if self.kept is None:
            return self.fit(data, run).apply(data, run)
        names, schema = self.metric(data.schema), data.schema
        marks = {name: HOW.format(j) for j, name in enumerate(names)}
        rows, by = self.split(data.mutate(**dict.fromkeys(marks.values(), nw.lit(0))))
        changes: dict[str, nw.dtypes.DType] = {**self.types(data), **dict.fromkeys(marks.values(), nw.Int64())}
        result = rows.map_groups(by, self._kernel(marks, schema), changes, list(by)).kept()
        self._note(result, marks, run, self._lonely(data))
        kept = [nw.col(name) for name in (schema.key, *schema.names)]
        return replace(data, frame=result.frame.select(*kept), schema=self.after(schema))

    def _look(self, named: Dataset, by: tuple[str, ...], found: Problems) -> None:
        """Whether k records have the same gaps, stratum by stratum."""
        names = self.metric(named.schema)
        refuse_infinite(named, names)
        text = pattern(names, named.schema, zeros=self.zeros == "keep", signs=False)
        few, _, single = rare(named.mutate(**{PATTERN: text}), by, (), self.k, 0)
        if few and single:
            message = f"groups of {self.k} need {self.k} records at least, and there are {few}"
            found.add("few-records", "k", message, "take a smaller k, or more records")
        elif few:
            message = f"{few} records have gaps (or kept zeros) that fewer than {self.k} have"
            hint = f"fill or drop {listed(names)} first, or set together = false"
            found.add("rare-gaps", "columns", message, hint)

    def _changes(self, name: str) -> nw.Expr:
        import narwhals as nw

        there = ~nw.col(name).is_null()
        return there & (nw.col(name) != 0) if self.zeros == "keep" else there

    def _kernel(self, marks: dict[str, str], schema: Schema) -> Any:
        import numpy as np

        from schleier.kernels.grouping.two_halves import preserved_together
        from schleier.kernels.grouping.two_values import by_sign

        def together(group: Arrays) -> dict[str, Any]:
            found = dict[str, Any]()
            values = np.stack([group[name].astype(np.float64) for name in marks], axis=1)
            values, how = preserved_together(values, self.k, keep_zeros=self.zeros == "keep")
            for j, (name, mark) in enumerate(marks.items()):
                found[name], found[mark] = self._rounded(values[:, j], name, schema), how[:, j]
            return found

        def kernel(group: Arrays) -> dict[str, Any]:
            found: dict[str, Any] = {}
            for name, mark in marks.items():
                values = group[name].astype(np.float64)
                held = ~np.isnan(values)
                how = np.zeros(len(values), dtype=np.int64)
                if held.any() and (self.zeros == "change" or (values[held] != 0).any()):
                    values[held], how[held] = by_sign(values[held], self.k, keep_zeros=self.zeros == "keep")
                found[name], found[mark] = self._rounded(values, name, schema), how
            return found

        return together if self.together else kernel

    def _lonely(self, data: Dataset) -> set[str]:
        """Columns of which fewer than ten values have one of two signs: that there is one at all tells of somebody."""
        import narwhals as nw

        names = self.metric(data.schema)
        signs = {f"below{j}": tally(nw.col(name) < 0) for j, name in enumerate(names)}
        signs |= {f"above{j}": tally(nw.col(name) > 0) for j, name in enumerate(names)}
        found = data.totals(**signs)
        return {name for j, name in enumerate(names) if min(found[f"below{j}"] or 0, found[f"above{j}"] or 0) < LEAST}

    def _note(self, result: Dataset, marks: dict[str, str], run: Run, lonely: set[str]) -> None:
        """How many values are in groups that were enlarged, got their mean, or mixed both signs, by column.

        Fewer than ten are not told: they are some of the largest, and what becomes of them depends on each of them.
        """
        import narwhals as nw

        from schleier.kernels.grouping.two_values import ENLARGED, MIXED, PLAIN

        words = {"in_enlarged_groups": ENLARGED, "became_the_mean": PLAIN, "of_both_signs": MIXED}
        for word, code in words.items():
            counts = result.totals(**{name: tally(nw.col(mark) == code) for name, mark in marks.items()})
            found = {name: int(count) for name, count in counts.items() if count}
            if found:
                run.note("restricted", **{word: found})
            few = lonely if code == MIXED else set()
            if many := {name: count for name, count in found.items() if count >= LEAST and name not in few}:
                run.note("public", **{word: many})
