"""What each column gives away by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.core.measure import Case, Finding, Measure, Section
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.core.data import Spectrum
    from schleier.core.run import Run


class SingleColumns(Measure):
    """How many values each column has, how evenly they are spread, and who is alone with one.

    >>> SingleColumns(columns=["age"]).columns
    ('age',)
    """

    section: ClassVar[Section] = "columns"
    reference: ClassVar[str] = "Shannon (1948), A mathematical theory of communication"
    example: ClassVar[dict[str, object]] = {}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"
    inspected: ClassVar[int] = 3

    columns: tuple[str, ...] = ()
    """Columns to look at; all of them when empty."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns."""
        return self.columns or schema.names

    def measure(self, case: Case, run: Run) -> Finding:
        """Count the values of each column; a value itself is never told."""
        data = case.released
        records = data.rows
        found = {name: _told(data.spectrum(name), records) for name in self.uses(data.schema)}
        compared = {name: one for name, one in found.items() if data.schema[name].role != "identifier"}
        worst = max(compared, key=lambda name: compared[name]["unique"], default=None)
        unique = int(compared[worst]["unique"]) if worst is not None else 0
        text = f"No column by itself singles out any of {records} records."
        if worst is not None and unique:
            text = f"{worst} by itself singles out {unique} of {records} records ({unique / records:.2%})."
        detail = {"records": records, "columns": found}
        value = unique / records if records else 0.0
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)


def _told(spectrum: Spectrum, records: int) -> dict[str, float]:
    """The numbers of one column; a gap counts as a value of its own, except among the different values."""
    import numpy as np

    times, values, gap = spectrum
    missing = int(times[gap].sum())
    order = np.lexsort((gap, times))  # sums of floating numbers depend on their order
    shares = times[order] / records if records else times[order]
    entropy = float(-(values[order] * shares * np.log(shares)).sum()) + 0.0
    unique = int(values[times == 1].sum())
    return {
        "values": int(values[~gap].sum()),
        "unique": unique,
        "share": unique / records if records else 0.0,
        "missing": missing,
        "missing_share": missing / records if records else 0.0,
        "entropy": entropy,
        "effective": float(np.exp(entropy)) if records else 0.0,
    }
