"""A loss that is counted cell by cell: what a coarser value no longer tells about the value that was there."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, final

from pydantic import Field

from schleier.core.classes import Classes
from schleier.core.component import counted
from schleier.core.errors import Problem
from schleier.core.hierarchy import ROOT, Hierarchy
from schleier.core.loss import EVEN, PARTS, Coarsened, Loss, factors, in_part, percent
from schleier.core.measure import Case, Finding
from schleier.core.pairs import Pairs, pairs_of
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.run import Run

FALL = 1e-3
"""What a loss counts by rank, of the one before it."""


class CellLoss(Loss):
    """What the cells of some columns cost: 0 for the original value, 1 when nothing is left of it."""

    columns: tuple[str, ...] = ()
    """Columns whose cells count; all quasi-identifiers that have a hierarchy when empty."""
    weights: dict[str, float] = Field(default_factory=dict)
    """How much a column matters, 1 unless said here."""
    aggregate: Literal["mean", "geometric", "sum", "max", "rank"] = "mean"
    """How the losses of the columns become one: their weighted mean or sum, the geometric mean of 1 + loss minus 1
    (weights as exponents), the largest (weights as factors, the largest weight being 1), or by rank: the largest
    first, each counting a thousandth of the one before."""
    balance: float = Field(default=0.5, ge=0.0, le=1.0)
    """Coarsening against suppressing: 0.5 counts both in full, less makes suppressing cheaper, more coarsening."""

    @abstractmethod
    def between(
        self, hierarchy: Hierarchy, values: pa.Array, sizes: NDArray[np.int64], level: int
    ) -> NDArray[np.float64]:
        """What each value loses at a level strictly between the values and the root, never less at a coarser one."""

    @final
    def costs(
        self, hierarchy: Hierarchy, values: pa.Array, sizes: NDArray[np.int64], level: int
    ) -> NDArray[np.float64]:
        """What a record loses when each of these values is coarsened to a level; ``sizes`` are the records of each.

        For every value never less at a coarser level, 0 at level 0 and 1 at the root. A value that is released as the
        root below it (the hierarchy does not know it, or has learned no cut) has lost everything, too.
        """
        import numpy as np
        import pyarrow.compute as pc

        if level in (0, hierarchy.depth):
            return np.full(len(values), float(level > 0))
        hidden = np.asarray(pc.equal(hierarchy.labels(values, level).fill_null(ROOT), ROOT))
        return np.where(hidden, 1.0, self.between(hierarchy, values, sizes, level))

    def stakes(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """How much a cell counts in its column, by its value; ``sizes`` are the records of a missing and each value."""
        import numpy as np

        return np.ones(len(sizes))

    @property
    def additive(self) -> bool:
        """Mean and sum are, which have the same minimum, where what is suppressed costs 1."""
        return self.aggregate in ("mean", "sum") and self.balance == EVEN

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns that count."""
        return self.columns or tuple(name for name in schema.quasi if schema[name].hierarchy) or schema.quasi

    def counted(self, fine: Classes) -> list[int]:
        """The places of its columns among the keys; those with a hierarchy, or all, when none is there."""
        named = [j for j, name in enumerate(fine.keys) if name in self.columns]
        return named or [j for j, h in enumerate(fine.hierarchies) if h] or list(range(len(fine.keys)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Weights are positive and belong to columns that count."""
        yield from super().problems(schema)
        for name, weight in self.weights.items():
            if name not in schema:
                yield schema.unknown(name, "weights")
            if not (weight > 0 and math.isfinite(weight)):
                yield Problem("bad-weight", "weights", f"the weight of column '{name}' is not positive")

    def weight(self, name: str) -> float:
        """How much a column matters."""
        return self.weights.get(name, 1.0)

    def cells(
        self, hierarchy: Hierarchy | None, values: pa.Array, sizes: NDArray[np.int64], level: int
    ) -> NDArray[np.float64]:
        """The cost of a missing cell, which loses nothing before the root, and then that of each value."""
        import numpy as np

        if hierarchy is None or level == 0:
            return np.zeros(len(values) + 1)
        return np.concatenate([[float(level == hierarchy.depth)], self.costs(hierarchy, values, sizes, level)])

    def at_level(
        self, hierarchy: Hierarchy | None, values: pa.Array, sizes: NDArray[np.int64], level: int
    ) -> tuple[float, NDArray[np.float64]]:
        """What a column loses at a level, and what one more suppressed record adds to that, by its value.

        ``sizes`` are the records of a missing and of each value.
        """
        stakes = self._stakes(sizes)
        costs, total = self.cells(hierarchy, values, sizes[1:], level), max(float(stakes @ sizes), 1.0)
        own = factors(self.balance)[0] * costs
        return float((own * stakes) @ sizes) / total, stakes * (self.gone(costs) - own) / total

    def gone(self, costs: NDArray[np.float64]) -> NDArray[np.float64]:
        """What suppressed cells cost, from what they had lost before that: never less, and 1 unless it is cheaper."""
        share = factors(self.balance)[1]
        return costs * (1.0 - share) + share

    def of(self, node: Coarsened) -> float:
        """What the columns have lost, as one number; a dropped record has lost every cell."""
        return self._joined(self._lost(node, node.kept)) if node.fine.records else 0.0

    def floor(self, node: Coarsened) -> float:
        """What it costs with nothing dropped: every cell costs as much or more at a coarser level, or when dropped."""
        return self._joined(self._lost(node, node.fine.sizes)) if node.fine.records else 0.0

    def _lost(self, node: Coarsened, kept: NDArray[np.int64]) -> dict[str, float]:
        """Mean cost of the cells of each column when so many records of each class stay."""
        import numpy as np

        fine, found = node.fine, {}
        for j in self.counted(fine):
            codes, size = fine.codes[:, j].astype(np.int64) + 1, len(fine.values[j]) + 1
            sizes = np.bincount(codes, weights=fine.sizes, minlength=size).astype(np.int64)
            costs = self.cells(fine.hierarchies[j], fine.values[j], sizes[1:], node.levels[j])
            stay = np.bincount(codes, weights=kept, minlength=size)
            own = factors(self.balance)[0] * costs
            found[fine.keys[j]] = self._share(sizes, float(stay @ (own * self._stakes(sizes))), stay, self.gone(costs))
        return found

    def _stakes(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same for all where nothing is at stake: a constant column can still be lost."""
        import numpy as np

        stakes = self.stakes(sizes)
        return stakes if float(stakes @ sizes) > 0 else np.ones(len(sizes))

    def _share(self, sizes: NDArray[np.int64], lost: float, stay: NDArray[Any], gone: NDArray[np.float64]) -> float:
        """What was lost by the cells that stay, and with those that do not, of all that is at stake."""
        if not stay.any():
            return 1.0  # nothing is left, however cheap suppressing is
        stakes = self._stakes(sizes)
        return min(1.0, max(0.0, (lost + float((sizes - stay) @ (stakes * gone))) / float(sizes @ stakes)))

    def _joined(self, losses: Mapping[str, float]) -> float:
        """The losses of the columns as one number from 0 to 1."""
        weights = {name: self.weight(name) for name in losses}
        total, most = sum(weights.values()), max(weights.values(), default=1.0)
        if not losses:
            return 0.0
        if self.aggregate == "max":
            return max(weights[name] / most * lost for name, lost in losses.items())
        if self.aggregate == "rank":
            return by_rank(weights[name] / most * lost for name, lost in losses.items())
        if self.aggregate == "geometric":
            # prod (1 + loss)^(weight / sum of weights) - 1; the logarithm keeps the digits of small losses.
            return math.expm1(sum(weights[name] * math.log1p(lost) for name, lost in losses.items()) / total)
        return sum(weights[name] * lost for name, lost in losses.items()) / total

    def measure(self, case: Case, run: Run) -> Finding:
        """Compare the cells of original and release; a record that is gone has lost everything."""
        names = [name for name in self.uses(case.original.schema) if name in case.original.schema]
        rows = case.original.rows
        pairs = {name: pairs_of(case, name) for name in names if rows}
        losses = {name: self._paired(found) if found else 1.0 for name, found in pairs.items()}
        value = self._joined(losses)
        if self.aggregate == "sum":
            value *= sum(self.weight(name) for name in names)
        detail: dict[str, Any] = {"columns": losses, **in_part(self.balance)}
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """The finding in a sentence."""
        columns = counted(len(finding.detail["columns"]), "column")
        text = f"{percent(finding.value)} of the information in {columns} was lost."
        if self.aggregate == "sum":
            text = f"The losses of {columns} add up to {round(finding.value, 3):g}."
        text += "".join(f" {told}" for name, told in PARTS.items() if name in finding.detail)
        return finding.model_copy(update={"text": text})

    def _paired(self, pairs: Pairs) -> float:
        """What a column lost: each pair costs what its level does; gaps and foreign values count as suppressed."""
        import numpy as np

        levels = pairs.levels()
        costs = self.gone(self.cells(pairs.hierarchy, pairs.values, pairs.sizes[1:], pairs.level()))
        gone, factor, found = costs, factors(self.balance)[0], costs[pairs.place + 1]
        for level in np.unique(levels[levels >= 0]):
            here = levels == level
            costs = self.cells(pairs.hierarchy, pairs.values, pairs.sizes[1:], int(level))
            found[here] = factor * costs[pairs.place[here] + 1]
        stay = np.bincount(pairs.place + 1, weights=pairs.counts, minlength=len(pairs.sizes))
        lost = float((found * pairs.counts) @ self._stakes(pairs.sizes)[pairs.place + 1])
        return self._share(pairs.sizes, lost, stay, gone)


def by_rank(losses: Iterable[float]) -> float:
    """The losses in falling order, each counting a thousandth of the one before: the worst decides, then the next.

    >>> by_rank([0.5, 0.5]) == 0.5, by_rank([0.2, 0.4, 0.0]) < by_rank([0.3, 0.4, 0.0]) < by_rank([0.0, 0.41, 0.0])
    (True, True)
    """
    import numpy as np

    found = np.sort(np.fromiter(losses, np.float64))[::-1]
    shares = FALL ** np.arange(len(found))
    return float(found @ shares / shares.sum())
