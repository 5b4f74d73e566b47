"""How much of what a value tells its coarser label no longer tells, frequent values telling less than rare ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.core.cell_loss import CellLoss
from schleier.core.hierarchy import Hierarchy
from schleier.core.measure import Section

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class EntropyLoss(CellLoss):
    """For every column the share of its entropy that the labels leave open; 1 when nothing is told any more.

    >>> EntropyLoss().additive
    False
    """

    section: ClassVar[Section] = "loss"
    reference: ClassVar[str] = (
        "Gionis, Tassa (2009), k-anonymization with minimal loss of information; "
        "Prasser, Kohlmayer, Kuhn (2016), normalised non-uniform entropy"
    )
    example: ClassVar[dict[str, object]] = {}

    @property
    def additive(self) -> bool:
        """Two values behind one label lose differently, which a compiled search does not know."""
        return False

    def between(
        self, hierarchy: Hierarchy, values: pa.Array, sizes: NDArray[np.int64], level: int
    ) -> NDArray[np.float64]:
        """ln(n_label / n_value) / ln(n / n_value): each value on its own, so that none gains by a coarser level."""
        import numpy as np

        if not len(values):
            return np.zeros(0)
        groups = hierarchy.groups(values, level)
        together = np.bincount(groups + 1, weights=sizes)[groups + 1]
        own = np.maximum(sizes, 1)
        whole = np.log(max(int(sizes.sum()), 1) / own)
        costs: NDArray[np.float64] = np.log(np.maximum(together, own) / own) / np.where(whole > 0, whole, 1.0)
        return costs

    def stakes(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """What a value tells, ln(n / n_value): so weighted, the mean of the costs is H(value | label) / H(value)."""
        import numpy as np

        own, total, filled = np.maximum(sizes, 1), max(int(sizes.sum()), 1), max(int(sizes[1:].sum()), 1)
        return np.log(np.concatenate([[total], np.full(len(sizes) - 1, filled)]) / own)
