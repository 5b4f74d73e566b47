"""How far up its hierarchy a value was moved (Sweeney's precision)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.core.cell_loss import CellLoss
from schleier.core.hierarchy import Hierarchy
from schleier.core.measure import Section

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


class PrecisionLoss(CellLoss):
    """For every cell its level divided by the depth of the hierarchy; Sweeney's precision is 1 minus this.

    >>> PrecisionLoss().word()
    'precision_loss'
    """

    section: ClassVar[Section] = "loss"
    reference: ClassVar[str] = "Sweeney (2002), Achieving k-anonymity privacy protection, Prec"
    example: ClassVar[dict[str, object]] = {}

    def between(
        self, hierarchy: Hierarchy, values: pa.Array, sizes: NDArray[np.int64], level: int
    ) -> NDArray[np.float64]:
        """The same for all values of a level."""
        import numpy as np

        return np.full(len(values), level / hierarchy.depth)
