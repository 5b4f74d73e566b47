"""Keep only records that meet conditions (Höhne T06 population restriction, T07 cut-off)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Self

from schleier.core.component import secret
from schleier.core.data import tally
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.method import Method
from schleier.core.normal import logical
from schleier.core.promises import Keeps
from schleier.core.schema import Schema
from schleier.core.sql import Rewrite
from schleier.core.traces import Traces
from schleier.methods._condition import Condition

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

FEW = 3
"""Fewer records than this are as good as named by the difference of two totals."""


class Restrict(Method):
    """Keep the records that meet every condition and leave out all others.

    >>> Restrict(where=[{"column": "age", "at_least": 18}]).where[0].at_least
    18
    """

    counts: ClassVar[frozenset[str]] = frozenset({"left_out"})
    reference: ClassVar[str] = "Höhne (2010), 2.1.2 Einschränkung der Grundgesamtheit, Abschneideverfahren (T06, T07)"
    traces: ClassVar[Traces] = frozenset({"selection"})
    effects: ClassVar[tuple[str, ...]] = ("E1",)
    approaches: ClassVar[tuple[str, ...]] = ("A2",)
    keeps: ClassVar[Keeps] = {"other columns": "exact"}
    example: ClassVar[dict[str, object]] = {"where": [{"column": "age", "at_least": 18}]}

    where: tuple[Condition, ...] = secret(min_length=1)
    """The conditions, all of which must hold; listed values may be protected ones."""
    left_out: int | None = None
    """Learned: number of records left out."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns of the conditions."""
        return tuple(dict.fromkeys(condition.column for condition in self.where))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """None: it leaves out records."""
        return ()

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Columns must exist, and comparisons must make sense for their scales."""
        yield from super().problems(schema)
        for i, condition in enumerate(self.where):
            if condition.column in schema:
                for message in condition.problems(schema[condition.column]):
                    yield Problem("bad-comparison", f"where[{i}]", message)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Count who is left out; a file without records is refused."""
        import narwhals as nw

        if self.left_out is not None:
            return self
        seen = data.totals(rows=nw.len(), kept=tally(self._met(data)))
        if seen["rows"] and not seen["kept"]:
            stop(InfeasibleError, "nothing-left", "where", "no record meets the conditions", "weaken them")
        return self.model_copy(update={"left_out": seen["rows"] - (seen["kept"] or 0)})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The records that meet the conditions."""
        if self.left_out is None:
            return self.fit(data, run).apply(data, run)
        run.note(kept_where=[c.told(data.schema[c.column]) for c in self.where], left_out=self.left_out)
        if 0 < self.left_out < FEW:
            told = "so few records were left out that a published total of all records tells what they held"
            run.note(caution=told)
        return data.filter(self._met(data))

    def again(self) -> Self:
        """Count anew who is left out."""
        return self.model_copy(update={"left_out": None})

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """The conditions."""
        tests = [condition.sql(types[condition.column]) for condition in self.where]
        said = [test for test in tests if test is not None]
        return Rewrite(where=" AND ".join(said)) if len(said) == len(tests) else None

    def _met(self, data: Dataset) -> nw.Expr:
        types = data.frame.collect_schema()
        return functools.reduce(operator.and_, (c.met(logical(types[c.column])) for c in self.where))
