"""How many records a reader would assign the wrong value of a target column, going by their class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.errors import Problem
from schleier.core.loss import PARTS, Coarsened, Loss, factors, in_part, percent
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.core.run import Run


class ClassificationLoss(Loss):
    """Share of records that are dropped or do not have the most frequent target value of their class.

    >>> ClassificationLoss(target="disease").target
    'disease'
    """

    reference: ClassVar[str] = "Iyengar (2002), Transforming data to satisfy privacy constraints, 3.2 (CM)"
    example: ClassVar[dict[str, object]] = {"target": "disease"}

    columns: tuple[str, ...] = ()
    """Columns whose combinations are the classes; all quasi-identifiers when empty."""
    target: str
    """The column to be told from the others; missing counts as a value of its own."""
    balance: float = Field(default=0.5, ge=0.0, le=1.0)
    """Coarsening against suppressing: with less than 0.5 a dropped record counts less than a wrong one, with more it
    counts more."""

    def histograms(self, schema: Schema) -> tuple[str, ...]:
        """The histogram of the target."""
        return (self.target,)

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns that form the classes; the target is none of them unless named."""
        return self.columns or tuple(name for name in schema.quasi if name != self.target)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The target is a column, and not told from itself."""
        yield from super().problems(schema)
        if self.target not in schema:
            yield schema.unknown(self.target, "target")
        elif self.target in self.columns or schema[self.target].role == "quasi":
            message = f"column '{self.target}' would be told from itself: it is a key"
            yield Problem("target-is-key", "target", message, 'leave it out of columns; its role must not be "quasi"')

    def of(self, node: Coarsened) -> float:
        """Records outside the majority of their class, and all that are dropped."""
        return self._share(self._wrong(self.kept(node)), node.dropped, node.fine.records)

    def floor(self, node: Coarsened) -> float:
        """What it costs with nothing dropped: a union of classes has no fewer outside its majority.

        Dropping a record makes at most one fewer, so where that is the cheaper of both, it is counted for all of them.
        """
        records = node.fine.records
        return min(factors(self.balance)) * self._wrong(self.kept(node.whole())) / records if records else 0.0

    def measure(self, case: Case, run: Run) -> Finding:
        """Count target values in the classes of both files; without its target a release tells nothing about it."""
        original, released = case.original, case.released
        names = [name for name in self.uses(original.schema) if name in original.schema]
        records = original.rows
        request = Request(keys=tuple(names), sensitive=(self.target,))
        before = self._wrong(original.classes(request)) / records if records else 0.0
        value, dropped = float(records > 0), records
        if self.target in released.schema:
            there = tuple(name for name in names if name in released.schema)
            classes = released.classes(Request(keys=there, sensitive=(self.target,)))
            dropped = max(records - classes.records, 0)
            value = self._share(self._wrong(classes), dropped, max(records, classes.records))
        detail = {"original": before, "dropped": dropped, **in_part(self.balance)}
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """The finding in a sentence."""
        share, before = percent(finding.value), percent(finding.detail["original"])
        text = f"{share} of the records lack the usual '{self.target}' of their class; {before} in the original."
        text += "".join(f" {told}" for name, told in PARTS.items() if name in finding.detail)
        return finding.model_copy(update={"text": text})

    def _share(self, wrong: int, dropped: int, records: int) -> float:
        """Wrong and dropped records, each by what it counts; when nothing is left, everything is lost."""
        if dropped == records:
            return float(records > 0)
        own, gone = factors(self.balance)
        return (own * wrong + gone * dropped) / records

    def _wrong(self, classes: Classes) -> int:
        """Records outside the majority of their class."""
        import numpy as np

        spread = classes.histograms[self.target]
        most = np.zeros(len(classes), dtype=np.int64)
        np.maximum.at(most, spread.classes, spread.counts)
        return int(classes.records - most.sum())
