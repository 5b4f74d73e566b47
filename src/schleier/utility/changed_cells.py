"""How much of the table is no longer what it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.core.amount import LEAST, in_tens
from schleier.core.component import counted
from schleier.core.data import tally
from schleier.core.measure import Case, Finding, Measure, Section
from schleier.core.pairs import same_cells
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.run import Run

BEFORE = "_before_"
PORTION = 400
"""Columns compared at once: the cost of a query grows with the square of what it computes."""


class ChangedCells(Measure):
    """Share of cells whose released value differs from the original.

    >>> ChangedCells(columns=["income"]).columns
    ('income',)
    """

    section: ClassVar[Section] = "cells"
    reference: ClassVar[str] = "Höhne (2010), 7 (share of changed values)"
    example: ClassVar[dict[str, object]] = {}
    kind: ClassVar[Literal["risk", "utility"]] = "utility"

    columns: tuple[str, ...] = ()
    """Columns to compare; all released columns when empty."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns."""
        return self.columns or schema.names

    def measure(self, case: Case, run: Run) -> Finding:
        """Join original and release by row key and compare cell by cell."""
        columns = [name for name in self.uses(case.released.schema) if name in case.original.schema]
        counts: dict[str, int] = {}
        for start in range(0, max(len(columns), 1), PORTION):
            counts |= _compared(case, columns[start : start + PORTION])
        return self._found(case, counts.pop("_rows_"), counts)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Changed records in tens, neither fewer than ten nor all but fewer; of fewer than twenty nothing is told.

        Who can link all others would see by an exact count whether the last one's value is true.
        """
        if case.original is case.released:
            return exact
        rows = exact.detail["records_compared"]
        counts = {name: round(share * rows) for name, share in exact.detail["columns"].items()}
        if rows < 2 * LEAST and any(counts.values()):
            return None
        tens = {name: round(count / LEAST) * LEAST for name, count in counts.items()}
        inner = {name: min(max(count, LEAST), rows - LEAST) for name, count in tens.items()}
        found = self._found(case, rows, {n: c if c in (0, rows) else inner[n] for n, c in counts.items()})
        return self.phrase(found.model_copy(update={"value": in_tens(found.value, rows)}))

    def _found(self, case: Case, rows: int, counts: Mapping[str, int]) -> Finding:
        released, original, columns = case.released, case.original, list(counts)
        cells = rows * len(columns)
        share = sum(counts.values()) / cells if cells else 0.0
        lost = original.rows - rows
        detail = {
            "columns": {name: count / rows if rows else 0.0 for name, count in counts.items()},
            "records_compared": rows,
            "records_left_out": lost,
            "columns_left_out": [name for name in original.schema.names if name not in released.schema],
        }
        return self.phrase(Finding(name=self.word(), value=share, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """How many cells, in how many columns."""
        told, lost = finding.detail, finding.detail["records_left_out"]
        gone = "1 record was" if lost == 1 else f"{lost} records were"
        columns = counted(len(told["columns"]), "column")
        text = f"{finding.value:.2%} of the cells in {columns} were changed; {gone} left out."
        return finding.model_copy(update={"text": text})


def _compared(case: Case, columns: list[str]) -> dict[str, int]:
    """Changed cells of some columns, and the rows that were compared."""
    import narwhals as nw

    released, key = case.released, case.released.schema.key
    old = case.original.frame.select(nw.col(key), *(nw.col(c).alias(BEFORE + c) for c in columns))
    both = released.frame.select(key, *columns).join(old, on=key, how="inner")
    types = both.collect_schema()
    differ = {c: tally(_gap(c) | ~same_cells(c, BEFORE + c, types)) for c in columns}
    found = replace(released, frame=both).totals(_rows_=nw.len(), **differ)
    return {name: count or 0 for name, count in found.items()}


def _gap(name: str) -> nw.Expr:
    """Rows that have a value on one side only: that counts as a change."""
    import narwhals as nw

    return nw.col(name).is_null() != nw.col(BEFORE + name).is_null()
