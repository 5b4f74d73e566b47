"""How much of its domain a coarser value leaves open (Iyengar's loss metric)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.core.cell_loss import CellLoss
from schleier.core.hierarchy import Hierarchy
from schleier.core.measure import Section

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class GeneralisedLoss(CellLoss):
    """For every cell (leaves below its label - 1) / (leaves of the domain - 1); 1 for what was suppressed.

    >>> GeneralisedLoss(weights={"age": 2}).weight("age")
    2.0
    """

    section: ClassVar[Section] = "loss"
    reference: ClassVar[str] = "Iyengar (2002), Transforming data to satisfy privacy constraints, LM"
    example: ClassVar[dict[str, object]] = {}

    def between(
        self, hierarchy: Hierarchy, values: pa.Array, sizes: NDArray[np.int64], level: int
    ) -> NDArray[np.float64]:
        """Leaves are those of the hierarchy where it lists them, else the different values of the column."""
        import numpy as np
        import pyarrow.compute as pc

        leaves = hierarchy.domain(values)
        if len(leaves) < 2:
            return np.ones(len(values))
        counted = pc.value_counts(hierarchy.labels(leaves, level))
        labels = hierarchy.labels(values, level)
        below = counted.field("counts").take(pc.index_in(labels, counted.field("values")))
        shares = (np.asarray(below.fill_null(len(leaves)), dtype=np.float64) - 1) / (len(leaves) - 1)
        return np.where(hierarchy.covers(values), shares, 1.0)
