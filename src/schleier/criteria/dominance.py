"""The n largest contributors make up at most k per cent of the total of their class."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from schleier.core.classes.magnitude import TOP
from schleier.criteria._contribution import ContributionCriterion
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Dominance(ContributionCriterion):
    """No total is nearly the amount of its largest contributor, or of the few largest together.

    >>> Dominance(columns=["turnover"], n=1, k=80).n
    1
    """

    reference: ClassVar[str] = "Höhne (2010), section 1.1; Hundepool et al. (2012), (n,k) rule"
    example: ClassVar[dict[str, object]] = {"columns": ["income"], "n": 1, "k": 80, "keys": [["sex"]]}

    n: int = Field(ge=1, le=TOP, json_schema_extra={"stricter": "higher", "secret": True})
    """So many of the largest contributors are taken together."""
    k: float = Field(gt=0, lt=100, json_schema_extra={"stricter": "lower", "secret": True})
    """Per cent of the total they may make up at most."""

    def outweighed(self, largest: NDArray[np.int64], sums: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Totals of which the n largest contributors make up more than k per cent."""
        import numpy as np

        share = largest[:, : self.n].sum(axis=1) / np.maximum(sums, 1)
        result: NDArray[np.bool_] = 100 * share > self.k + TINY
        return result
