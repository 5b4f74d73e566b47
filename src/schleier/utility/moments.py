"""Whether means, spread and quantiles of the numeric columns are still what they were."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.moments import Moments as Found

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Moments(Measure):
    """Largest move of a column's mean, in standard deviations of the original.

    >>> Moments(columns=["income"], weighted=True).weighted
    True
    """

    reference: ClassVar[str] = (
        "Höhne (2010), 2 Überblick: preservation of means and distribution; Zielsetzung (deviations)"
    )
    example: ClassVar[dict[str, object]] = {}
    kind: ClassVar[Literal["risk", "utility"]] = "utility"

    columns: tuple[str, ...] = ()
    """Numeric columns to compare; all that are in the release when empty, weights left out."""
    weighted: bool = False
    """Whether to weigh the records, each file with its own weight column (1 where it has none)."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns."""
        return self.columns or tuple(c.name for c in schema if c.numeric and c.role != "weight")

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Columns must be numeric in the release, and there must be weights to weigh with."""
        yield from super().problems(schema)
        for name in self.columns:
            if name in schema and not schema[name].numeric:
                message = f"column '{name}' is {schema[name].scale} in the release: it has no mean"
                yield Problem("not-numeric", "columns", message, "leave it out")
        if self.weighted and not schema.having("weight"):
            hint = 'give one column the role "weight", or leave weighted out'
            yield Problem("no-weight", "weighted", "the release has no weight column", hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Compare column by column, one in memory at a time; the report gets deviations without their sign."""
        original, released = case.original, case.released
        names = [n for n in self.uses(released.schema) if n in original.schema and original.schema[n].numeric]
        detail, before, differences = {}, {}, {}
        for name in names:
            old, new = self._moments(original, name), self._moments(released, name)
            before[name] = _told(old)
            difference = _difference(old, new)
            if difference is not None:
                differences[name] = difference
            deviation = {what: _apart(value, _told(new)[what]) for what, value in _told(old).items()}
            detail[name] = {"difference": difference, "after": _told(new), "deviation": deviation}
        run.note("restricted", before=before)
        worst = max(differences, key=lambda name: differences[name], default=None)
        value = differences[worst] if worst is not None else 0.0
        text = "There is no numeric column whose mean could be compared."
        if worst is not None:
            text = f"The means of {len(differences)} numeric columns moved by at most {value:.3f} standard deviations"
            text += f" (column '{worst}')." if value else "."
        lost = [name for name in names if name not in differences]
        facts = {"columns": detail, "not_comparable": lost, "weighted": self.weighted}
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=facts)

    def _moments(self, data: Dataset, name: str) -> Found:
        """The moments of one column of a file."""
        import numpy as np
        import pyarrow as pa

        from schleier.kernels.moments import moments

        weight = data.schema.having("weight")[:1] if self.weighted else ()
        table = data.engine.arrays(data.frame.select(*dict.fromkeys((name, *weight))))
        numbers = {n: table.column(n).cast(pa.float64()).to_numpy() for n in table.column_names}
        weights = np.nan_to_num(numbers[weight[0]]) if weight else np.ones(len(table))
        return moments(numbers[name], weights, SHARES)


def _difference(old: Found, new: Found) -> float | None:
    """How far the mean moved; in means where the original does not spread, and as it is where that is zero too."""
    unit = old.sd or abs(old.mean) or 1.0
    found = abs(new.mean - old.mean) / unit
    return found if math.isfinite(found) else None


def _told(found: Found) -> dict[str, float | None]:
    quantiles = {f"quantile {share}": value for share, value in zip(SHARES, found.quantiles, strict=True)}
    told: dict[str, Any] = {"mean": found.mean, "sd": found.sd, **quantiles, "missing": found.missing}
    return {what: value if math.isfinite(value) else None for what, value in told.items()}


def _apart(old: float | None, new: float | None) -> float | None:
    """The distance without its sign, to three digits: enough for an analyst, too little to compute back."""
    return None if old is None or new is None else float(f"{abs(new - old):.3g}")
