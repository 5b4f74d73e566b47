"""A method that lets another one change the values first, and then looks at both the old and the new ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from schleier.core.errors import Problem
from schleier.core.method import Method
from schleier.core.nested import nested
from schleier.core.schema import Schema
from schleier.core.traces import Trace, Traces, Trail
from schleier.methods._discrete import Discrete

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

OLD = "_old_{}_"
"""Working columns with the values before the first method, in the order of the numeric columns."""


class WithFirst(Method):
    """A method that has another one as a parameter, and what of it does not depend on what comes after."""

    first: nested("method")  # type: ignore[valid-type]
    """The method that changes the values first, written like a step: { method = "add_noise", ... }."""

    @property
    def step(self) -> Method:
        """The first method."""
        assert isinstance(self.first, Method)
        return self.first

    def becomes(self, schema: Schema) -> Mapping[str, tuple[str, ...]]:
        """As the first method calls them."""
        return self.step.becomes(schema)

    def first_problems(self, schema: Schema) -> Iterator[Problem]:
        """The first method must fit, and keep the records."""
        for problem in self.step.problems(schema):
            yield Problem(problem.code, f"first.{problem.where}", problem.message, problem.hint)
        if not self.step.same_rows():
            message = f"{self.step.word()} does not keep the records, so old and new values cannot be compared"
            yield Problem("rows-change", "first", message, "make it a step of its own")

    def leaves(self) -> Traces | None:
        """What the first method leaves, and what comes on top; no rule says what comes out."""
        first = self.step.leaves()
        return None if first is None else (self.traces or frozenset()) | (first - {"rule"})

    def trail(self, trace: Trace, schema: Schema) -> Trail | None:
        """As the first method left it."""
        return self.step.trail(trace, schema)

    def lenient(self) -> Self:
        """The first method decides what it does not know."""
        return self.model_copy(update={"first": self.step.lenient()})


class AfterFirst(WithFirst, Discrete):
    """What such methods have in common: the first method is checked, fitted and applied as if it were a step."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """What it changes itself, and what the first method uses."""
        return tuple(dict.fromkeys((*super().uses(schema), *self.step.uses(schema))))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """What it changes itself, and what the first method changes."""
        return tuple(dict.fromkeys((*super().changes(schema), *self.step.changes(schema))))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The first method must fit, keep the records, and leave the columns numeric."""
        known = all(name in schema for name in self.columns)
        yield from super().problems(schema)
        yield from self.first_problems(schema)
        if self.step.same_rows() and known and not list(self.step.problems(schema)):
            after = self.step.after(schema)
            lost = [n for n in self.metric(schema) if n not in after or not after[n].numeric]
            if lost:
                message = f"{self.step.word()} leaves no numbers in {len(lost)} of the columns"
                yield Problem("not-numeric", "first", message, "name other columns")

    def after(self, schema: Schema) -> Schema:
        """As the first method leaves it, and as this one does then."""
        return super().after(self.step.after(schema))

    def fit(self, data: Dataset, run: Run) -> Self:
        """Fit the first method, then what else there is to fit."""
        if self.kept is not None:
            return self
        with run.within(f"{run.step}/first"):
            first = self.step.fit(data, run)
        return super().fit(data, run).model_copy(update={"first": first})

    def again(self) -> Self:
        """The first method as it was learned; the rest anew."""
        return super().again().model_copy(update={"first": self.step.again()})

    def changed(self, data: Dataset, run: Run) -> Dataset:
        """After the first method, with the values before it as further columns of the table."""
        import narwhals as nw

        with run.within(f"{run.step}/first"):
            changed = self.step.apply(data, run)
        moved, key = self.metric(data.schema), data.schema.key
        old = {OLD.format(j): nw.col(name).cast(nw.Float64) for j, name in enumerate(moved)}
        frame = changed.frame.join(data.frame.select(key, **old), on=key, how="left")
        extra = tuple(data.schema[n].model_copy(update={"name": OLD.format(j)}) for j, n in enumerate(moved))
        wide = changed.schema.model_copy(update={"columns": (*changed.schema.columns, *extra)})
        return replace(changed, frame=frame, schema=wide)
