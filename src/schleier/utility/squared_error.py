"""How far released numbers are from the original ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from schleier.core.component import counted
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.pairs import AFTER, BEFORE, join_pairs
from schleier.core.schema import Schema
from schleier.utility._left_out import disclosed

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.run import Run


class SquaredError(Measure):
    """Sum of squared distances between original and released numbers, against that from their mean (SSE / SST).

    >>> SquaredError(columns=["income"]).columns
    ('income',)
    """

    reference: ClassVar[str] = "Domingo-Ferrer, Mateo-Sanz (2002), Practical data-oriented microaggregation (SSE/SST)"
    example: ClassVar[dict[str, object]] = {}
    kind: ClassVar[Literal["risk", "utility"]] = "utility"

    columns: tuple[str, ...] = ()
    """Columns that held numbers in the original; all of them when empty, weights left out."""
    weights: dict[str, float] = Field(default_factory=dict)
    """How much a column matters, 1 unless said here."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns that are compared; named columns are looked up in the original, where they hold numbers."""
        return self.columns or tuple(c.name for c in schema if c.numeric and c.role != "weight")

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Weights are positive and belong to columns."""
        yield from super().problems(schema)
        for name, weight in self.weights.items():
            if name not in schema:
                yield schema.unknown(name, "weights")
            if not (weight > 0 and math.isfinite(weight)):
                yield Problem("bad-weight", "weights", f"the weight of column '{name}' is not positive")

    def measure(self, case: Case, run: Run) -> Finding:
        """Match the records by row key; where a number is gone, the mean of the column is all that is left."""
        schema = case.original.schema
        names = [name for name in self.uses(schema) if name in schema and schema[name].numeric]
        losses = {name: lost for name in names if (lost := _lost(case, name)) is not None}
        total = sum(self.weights.get(name, 1.0) for name in losses)
        value = sum(self.weights.get(name, 1.0) * lost for name, lost in losses.items()) / total if total else 0.0
        detail = {"columns": losses, "constant": [name for name in names if name not in losses]}
        text = _text(value, losses)
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail=detail)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """The same on grids that hide every unit; what the release does not show is not compared."""
        if case.original is case.released:
            return exact
        found = disclosed(self, case, run, each=True)
        return found and found.model_copy(update={"text": _text(found.value, found.detail["columns"])})


def _text(value: float, losses: Mapping[str, float]) -> str:
    return f"{value:.2%} of the variance of {counted(len(losses), 'numeric column')} was lost."


def _lost(case: Case, name: str) -> float | None:
    """SSE / SST of one column; none when its numbers do not differ."""
    import narwhals as nw
    import numpy as np

    values, sizes = case.original.counts(nw.col(name))
    numbers = _numbers(values)
    finite = np.isfinite(numbers)
    numbers, sizes = numbers[finite], sizes[finite]
    if len(numbers) < 2:
        return None
    scale = float(np.abs(numbers).max()) or 1.0  # squares of very large numbers would have no end
    numbers = numbers / scale
    mean = math.fsum(numbers * sizes) / float(sizes.sum())
    spread = math.fsum((numbers - mean) ** 2 * sizes)
    if spread == 0:
        return None
    if name not in case.released.schema:
        return 1.0
    both = join_pairs(case, [name], as_text=False)
    is_number = both.collect_schema()[AFTER + name].is_numeric()
    groups = both.group_by(BEFORE + name, AFTER + name).agg(_n_=nw.len())
    table = case.original.engine.arrays(groups).sort_by([(BEFORE + name, "ascending"), (AFTER + name, "ascending")])
    before = _numbers(table[BEFORE + name].combine_chunks()) / scale
    counts = table["_n_"].to_numpy().astype(np.float64)
    after = table[AFTER + name].combine_chunks()
    told = ~np.asarray(after.is_null()) & np.isfinite(before)
    shown = _numbers(after) / scale if is_number else _means(before, counts, after, told)
    told &= np.isfinite(shown)
    error = math.fsum((before[told] - shown[told]) ** 2 * counts[told])
    # All that is not told any more: the spread about the mean less that of the numbers that are.
    return max(error + spread - math.fsum((before[told] - mean) ** 2 * counts[told]), 0.0) / spread


def _numbers(values: pa.Array) -> NDArray[np.float64]:
    import numpy as np
    import pyarrow as pa

    return np.asarray(values.cast(pa.float64(), safe=False).fill_null(math.nan), dtype=np.float64)


def _means(
    before: NDArray[np.float64], counts: NDArray[np.float64], after: pa.Array, told: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The mean of the original numbers behind each label: the best a reader can put in its place."""
    import numpy as np

    labels = np.asarray(after.dictionary_encode().indices.fill_null(0), dtype=np.int64)
    sums = np.bincount(labels[told], weights=(before * counts)[told], minlength=int(labels.max(initial=0)) + 1)
    sizes = np.bincount(labels[told], weights=counts[told], minlength=len(sums))
    means: NDArray[np.float64] = (sums / np.maximum(sizes, 1))[labels]
    return means
