"""Whether zeros, gaps, signs and whole numbers are still where they were (Höhne U14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from schleier.core.amount import LEAST, in_steps
from schleier.core.component import counted
from schleier.core.data import tally
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.pairs import AFTER, BEFORE, join_pairs
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.run import Run

PATTERNS = ("missing", "zero", "negative", "positive", "whole")


class KeptPatterns(Measure):
    """Share of numbers that became or ceased to be missing, zero, negative or positive, or are no longer whole.

    >>> KeptPatterns(columns=["income"]).columns
    ('income',)
    """

    reference: ClassVar[str] = "Höhne (2010), 4.2.1 (L2149-L2151, zeros and signs) and 3.4 (integers); U14"
    example: ClassVar[dict[str, object]] = {}
    kind: ClassVar[Literal["risk", "utility"]] = "utility"

    columns: tuple[str, ...] = ()
    """Numeric columns to compare; all that are in the release when empty, weights left out."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns."""
        return self.columns or tuple(c.name for c in schema if c.numeric and c.role != "weight")

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Columns must be numeric in the release."""
        yield from super().problems(schema)
        for name in self.columns:
            if name in schema and not schema[name].numeric:
                message = f"column '{name}' is {schema[name].scale} in the release: it has no signs"
                yield Problem("not-numeric", "columns", message, "leave it out")

    def measure(self, case: Case, run: Run) -> Finding:
        """Match the records by row key and count in the engine; counts go to the audit, shares to the report."""
        old, new = case.original.schema, case.released.schema
        names = [n for n in self.uses(new) if n in old and n in new and old[n].numeric and new[n].numeric]
        columns: dict[str, Any] = {}
        audit: dict[str, Any] = {}
        changed = cells = 0
        for name in names:
            counts = _counted(case, name)
            cells, changed = cells + counts["records"], changed + counts["changed"]
            shares = {p: counts[f"{p}_kept"] / counts[p] for p in PATTERNS if counts[p]}
            columns[name] = {p: float(f"{share:.3g}") for p, share in shares.items()}
            audit[name] = counts
        run.note("restricted", measure=self.word(), counts=audit)
        return self._found(float(f"{changed / cells:.3g}") if cells else 0.0, columns)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """From what the release shows of the original, in steps; of patterns that ten numbers have at least."""
        if case.original is case.released:
            return exact
        shown, columns, changed, cells = case.shown(), dict[str, Any](), 0, 0
        for name in exact.detail["columns"]:
            counts = _counted(shown, name)
            cells, changed = cells + counts["records"], changed + counts["changed"]
            known = [p for p in PATTERNS if counts[p] >= LEAST]
            columns[name] = {p: in_steps(counts[f"{p}_kept"] / counts[p], counts[p]) for p in known}
        return self._found(in_steps(changed / cells, shown.released.rows) if cells else 0.0, columns)

    def _found(self, value: float, columns: dict[str, Any]) -> Finding:
        within = counted(len(columns), "column")
        text = f"{value:.2%} of the numbers in {within} changed between missing, zero, sign or whole."
        detail = {"compared": len(columns), "columns": columns}
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)


def _counted(case: Case, name: str) -> dict[str, int]:
    """How many cells have each pattern before, and before and after."""
    import narwhals as nw

    both = replace(case.released, frame=join_pairs(case, [name], as_text=False).select(BEFORE + name, AFTER + name))
    before, after = _patterns(nw.col(BEFORE + name)), _patterns(nw.col(AFTER + name))
    wanted = {"records": nw.len()}
    for pattern in PATTERNS:
        wanted[pattern] = tally(before[pattern])
        wanted[f"{pattern}_kept"] = tally(before[pattern] & after[pattern])
    kept = before["missing"] & after["missing"]
    for pattern in ("zero", "negative", "positive"):
        # A whole number that is broken now has changed; a broken one that is whole now may be rounded, and has not.
        kept = kept | (before[pattern] & after[pattern] & (after["whole"] | ~before["whole"]))
    found = both.totals(**wanted, _kept_=tally(kept))
    counts = {key: int(value or 0) for key, value in found.items()}
    return counts | {"changed": counts["records"] - counts.pop("_kept_")}


def _patterns(column: nw.Expr) -> dict[str, nw.Expr]:
    import narwhals as nw

    number = column.cast(nw.Float64)
    # Not every engine takes NaN for missing: a comparison that is not true is false here.
    known = ~column.is_null()
    return {
        "missing": column.is_null(),
        "zero": known & (number.fill_null(1.0) == 0.0),
        "negative": known & (number.fill_null(0.0) < 0.0),
        "positive": known & (number.fill_null(0.0) > 0.0),
        "whole": known & (number.fill_null(0.5).round(0) == number.fill_null(0.5)),
    }
