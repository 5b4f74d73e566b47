"""Change values with another method so that no record breaks a rule between its columns (B-022)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from schleier.core.component import secret
from schleier.core.data import tally
from schleier.core.errors import InfeasibleError, Problem, stop
from schleier.core.promises import Keeps
from schleier.core.schema import Column, Schema
from schleier.core.traces import Traces
from schleier.methods._fixed_columns import fixed_columns
from schleier.methods._rule import Rule
from schleier.methods._second_step import WithFirst

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

TURNS = 10
"""So often a record is drawn again; one that breaks a rule with every second draw is left once in a thousand."""
AGAIN, BROKEN = "_again_{}_", "_broken_"


class KeepRules(WithFirst):
    """After a first method, records that break a rule are drawn again, or the column at fault is moved to its limit.

    >>> noise = {"method": "add_noise", "columns": ["end"], "kind": "independent", "d": 0.1}
    >>> KeepRules(first=noise, rules=[{"column": "end", "at_least": ["start"]}], invalid="redraw").invalid
    'redraw'
    """

    reference: ClassVar[str] = "Bitkom (2020), 2.1, noise: values and combinations that cannot be weaken it"
    random: ClassVar[bool] = True
    scales: ClassVar[Literal["rows", "groups", "memory"]] = "groups"
    traces: ClassVar[Traces] = frozenset({"noise"})
    effects: ClassVar[tuple[str, ...]] = ("E3",)
    approaches: ClassVar[tuple[str, ...]] = ("A4",)
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact"}
    counts: ClassVar[frozenset[str]] = frozenset({"moved_to_a_limit"})
    design: ClassVar[frozenset[str]] = frozenset({"kept_rules"})
    example: ClassVar[dict[str, object]] = {
        "first": {"method": "add_noise", "columns": ["income"], "kind": "independent", "d": 0.5},
        "rules": [{"column": "income", "at_least": 0}],
        "invalid": "redraw",
    }

    rules: tuple[Rule, ...] = secret(min_length=1)
    """What must hold in every record, in this order; the values of conditions may be protected ones."""
    invalid: Literal["redraw", "clamp", "refuse"]
    """What becomes of a record that breaks a rule: its values are drawn again (up to ten times, then moved), the column
    is moved to its limit (clamp), or the release is refused. Columns that must equal a sum are always set to it."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """What the first method uses, and the columns of the rules."""
        ruled = (name for rule in self.rules for name in rule.columns)
        free = (rule.unless.column for rule in self.rules if rule.unless is not None)
        return tuple(dict.fromkeys((*self.step.uses(schema), *ruled, *free)))

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """What the first method changes, and the columns that rules move."""
        return tuple(dict.fromkeys((*self.step.changes(schema), *(rule.column for rule in self.rules))))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The first method must fit; rules compare numbers or dates; only what was drawn can be drawn again."""
        yield from super().problems(schema)
        yield from self.first_problems(schema)
        yield from fixed_columns(schema, [rule.column for rule in self.rules], "rules")
        for i, rule in enumerate(self.rules):
            yield from rule.problems(schema, f"rules[{i}]")
        if lost := self._lost(schema):
            message = f"{self.step.word()} leaves neither numbers nor dates in {len(lost)} of the columns"
            yield Problem("not-numeric", "first", message, "name other columns")
        if self.invalid == "redraw" and not self.step.random:
            message = f"{self.step.word()} draws nothing, so it would come to the same again"
            yield Problem("nothing-to-redraw", "invalid", message, "set invalid = clamp or refuse")

    def _lost(self, schema: Schema) -> set[str]:
        """Columns of the rules that the first method leaves out, or leaves nothing in that could be compared."""
        if any(name not in schema for name in self.uses(schema)) or list(self.first_problems(schema)):
            return set()
        after = self.step.after(schema)
        kinds = {name: _kind(schema[name]) for rule in self.rules for name in rule.columns}
        lost = {n for n, kind in kinds.items() if kind and (n not in after or _kind(after[n]) != kind)}
        return lost | {r.unless.column for r in self.rules if r.unless is not None and r.unless.column not in after}

    def after(self, schema: Schema) -> Schema:
        """As the first method leaves it."""
        return self.step.after(schema)

    def fit(self, data: Dataset, run: Run) -> Self:
        """Fit the first method."""
        with run.within(f"{run.step}/first"):
            return self.model_copy(update={"first": self.step.fit(data, run)})

    def again(self) -> Self:
        """The first method as it was learned."""
        return self.model_copy(update={"first": self.step.again()})

    def apply(self, data: Dataset, run: Run) -> Dataset:
        """Draw until the rules hold, then move what still breaks one."""
        import narwhals as nw

        with run.within(f"{run.step}/first"):
            step = self.step.fit(data, run)
        found = self._drawn(step, data, run, "first")
        left, turn = self._left(found), 0
        while left and self.invalid == "redraw" and turn < TURNS:
            turn += 1
            fresh = self._drawn(step, data, run, f"again{turn}")
            names = {name: AGAIN.format(j) for j, name in enumerate(self.changes(data.schema))}
            key = data.schema.key
            other = fresh.frame.select(key, **{new: nw.col(name) for name, new in names.items()})
            marked = found.mutate(**{BROKEN: self._broken(found)})
            joined = replace(marked, frame=marked.frame.join(other, on=key, how="left"))
            taken = {n: nw.when(nw.col(BROKEN)).then(nw.col(new)).otherwise(nw.col(n)) for n, new in names.items()}
            merged = joined.mutate(**taken)
            found = replace(merged, frame=merged.frame.drop(BROKEN, *names.values())).kept()
            left = self._left(found)
        if left and self.invalid == "refuse":
            message = f"{left} records break a rule after {self.step.word()}"
            stop(InfeasibleError, "rules-broken", "invalid", message, "set invalid = redraw or clamp")
        for rule in self.rules if left else ():
            found = self._moved(found, rule)
        if left and (stuck := self._left(found)):
            message = f"{stuck} records cannot keep all rules by moving one column after the other"
            stop(InfeasibleError, "rules-conflict", "rules", message, "put rules that others follow from first")
        ruled = sorted({rule.column for rule in self.rules})
        run.note(kept_rules=len(self.rules), ruled=ruled, moved_to_a_limit=left)
        return found

    def _drawn(self, step: Any, data: Dataset, run: Run, label: str) -> Dataset:
        """The first method with draws of its own, at the declared decimals, and sums set."""
        import narwhals as nw

        told = len(run.notes)
        with run.within(f"{run.step}/{label}"):
            found: Dataset = step.apply(data, run)
        if label != "first":
            del run.notes[told:]  # said once already
        places = {name: found.schema[name].decimals for name in self.changes(data.schema) if name in found.schema}
        fine = {
            n: nw.col(n).round(d) for n, d in places.items() if d is not None and found.schema[n].scale == "continuous"
        }
        found = found.mutate(**fine) if fine else found
        for rule in self.rules:
            found = self._moved(found, rule) if rule.equals is not None else found
        return found.kept()

    def _moved(self, data: Dataset, rule: Rule) -> Dataset:
        whole = data.schema[rule.column].scale == "discrete"
        return data.mutate(**{rule.column: rule.moved(data.frame.collect_schema(), whole=whole)})

    def _broken(self, data: Dataset) -> nw.Expr:
        types = data.frame.collect_schema()
        return functools.reduce(operator.or_, (rule.broken(types) for rule in self.rules))

    def _left(self, data: Dataset) -> int:
        return int(data.totals(n=tally(self._broken(data)))["n"] or 0)


def _kind(column: Column) -> str:
    """What can be compared with it."""
    return "numbers" if column.numeric else "dates" if column.scale == "time" else ""
