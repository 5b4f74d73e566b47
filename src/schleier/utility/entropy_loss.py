"""How much of the entropy of a column its coarser values no longer tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.core.hierarchy import Hierarchy
from schleier.core.loss import Loss

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class EntropyLoss(Loss):
    """For every cell the entropy of the values behind its label, against that of equally frequent values.

    >>> EntropyLoss().word()
    'entropy_loss'
    """

    reference: ClassVar[str] = "Gionis, Tassa (2009), k-anonymization with minimal loss of information, entropy measure"
    example: ClassVar[dict[str, object]] = {}

    def costs(
        self, hierarchy: Hierarchy, values: pa.Array, sizes: NDArray[np.int64], level: int
    ) -> NDArray[np.float64]:
        """E = -sum p ln p over the values with the same label, divided by ln of the number of different values."""
        import numpy as np

        if level == 0 or len(values) < 2:
            return np.full(len(values), float(level == hierarchy.depth))
        groups = hierarchy.groups(values, level) if level < hierarchy.depth else np.zeros(len(values), dtype=np.int32)
        groups = np.where(groups < 0, groups.max(initial=-1) + 1, groups)
        together = np.bincount(groups, weights=sizes)
        shares = sizes / together[groups]
        entropy = np.bincount(groups, weights=-shares * np.log(np.where(shares > 0, shares, 1.0)))
        costs: NDArray[np.float64] = entropy[groups] / np.log(len(values))
        return costs
