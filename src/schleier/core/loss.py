"""A loss of information that a search can make small: it counts cell by cell what coarser values no longer tell."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.hierarchy import Hierarchy
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.run import Run


class Loss(Measure):
    """The mean cost of the cells of some columns: 0 for the original value, 1 when nothing is left of it."""

    kind: ClassVar[Literal["risk", "utility"]] = "utility"

    columns: tuple[str, ...] = ()
    """Columns whose cells count; all quasi-identifiers that have a hierarchy when empty."""
    weights: dict[str, float] = Field(default_factory=dict)
    """How much a column matters, 1 unless said here."""

    @abstractmethod
    def costs(
        self, hierarchy: Hierarchy, values: pa.Array, sizes: NDArray[np.int64], level: int
    ) -> NDArray[np.float64]:
        """What a record loses when each of these values is coarsened to a level; ``sizes`` are the records of each.

        Never less at a coarser level, 0 at level 0 and at most 1.
        """

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns that count."""
        return self.columns or tuple(name for name in schema.quasi if schema[name].hierarchy)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Weights are positive and belong to columns that count."""
        yield from super().problems(schema)
        for name, weight in self.weights.items():
            if name not in schema:
                yield schema.unknown(name, "weights")
            if not weight > 0:
                yield Problem("bad-weight", "weights", f"the weight of column '{name}' is not positive")

    def weight(self, name: str) -> float:
        """How much a column matters."""
        return self.weights.get(name, 1.0)

    def measure(self, case: Case, run: Run) -> Finding:
        """Compare the cells of original and release; a record that is gone has lost everything."""
        names = [name for name in self.uses(case.original.schema) if name in case.original.schema]
        losses = {name: self._lost(case, name) for name in names}
        total = sum(self.weight(name) for name in names)
        value = sum(self.weight(name) * lost for name, lost in losses.items()) / total if total else 0.0
        text = f"{value:.2%} of the information in {len(names)} columns was lost."
        return Finding(name=self.word(), value=value, better=self.better, text=text, detail={"columns": losses})

    def _lost(self, case: Case, name: str) -> float:
        """Mean cost of one column: pairs of original and released value are counted by the engine."""
        import narwhals as nw
        import numpy as np

        original = case.original
        rows = original.rows
        if name not in case.released.schema or not rows:
            return 1.0 if rows else 0.0
        schema, key = original.schema, original.schema.key
        before = original.frame.select(nw.col(key), _before_=nw.col(name))
        after = case.released.frame.select(nw.col(key), _after_=nw.col(name).cast(nw.String))
        pairs = before.join(after, on=key, how="inner").group_by("_before_", "_after_").agg(_n_=nw.len())
        table = original.engine.arrays(pairs.filter(~nw.col("_before_").is_null()))
        hierarchy = schema.hierarchies.get(schema[name].hierarchy or "")
        counts = np.asarray(table["_n_"].to_numpy(), dtype=np.int64)
        gaps = original.totals(n=nw.col(name).is_null().cast(nw.Int64).sum())["n"] or 0
        filled = rows - int(gaps)
        if not filled:
            return 0.0
        was, became = (table[column].combine_chunks() for column in ("_before_", "_after_"))
        costs = self._pair_costs(hierarchy, was, became, counts)
        return float((costs * counts).sum() + (filled - counts.sum())) / filled

    def _pair_costs(
        self, hierarchy: Hierarchy | None, before: pa.Array, after: pa.Array, counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The cost of each pair: of the finest level whose label was released; 1 for a gap or a foreign value."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        same = pc.equal(before.cast(pa.string()), after).fill_null(False).to_numpy(zero_copy_only=False)
        costs = np.where(same, 0.0, 1.0)
        if hierarchy is None or not len(before):
            return costs
        values = before.unique()
        place = pc.index_in(before, values).to_numpy()
        sizes = np.bincount(place, weights=counts, minlength=len(values)).astype(np.int64)
        fitted = hierarchy.fit(values, sizes) if hierarchy.learns else hierarchy
        for level in range(fitted.depth, 0, -1):
            labels = fitted.labels(values, level).take(pa.array(place))
            held = pc.equal(labels, after).fill_null(False).to_numpy(zero_copy_only=False) & ~same
            costs[held] = self.costs(fitted, values, sizes, level)[place[held]]
        return costs
