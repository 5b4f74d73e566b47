"""No contributor can work out another one's amount to within p per cent."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from schleier.criteria._contribution import ContributionCriterion
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PPercent(ContributionCriterion):
    """The second largest contributor cannot estimate the largest to within p per cent by taking off his own amount.

    >>> PPercent(columns=["turnover"], p=10).p
    10.0
    """

    reference: ClassVar[str] = "Gießing (2004); Höhne (2010), section 1.1"
    example: ClassVar[dict[str, object]] = {"columns": ["income"], "p": 10, "keys": [["sex"]]}

    p: float = Field(gt=0, json_schema_extra={"stricter": "higher", "secret": True})
    """What all others contribute must be at least so many per cent of the largest contribution."""

    def outweighed(self, largest: NDArray[np.int64], sums: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Totals in which all but the two largest contribute less than p per cent of the largest."""
        import numpy as np

        rest = sums - largest[:, 0] - largest[:, 1]
        result: NDArray[np.bool_] = 100 * (rest / np.maximum(largest[:, 0], 1)) < self.p - TINY
        return result & (largest[:, 0] > 0)
