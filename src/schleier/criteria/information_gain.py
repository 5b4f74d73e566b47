"""Whoever finds the class of a person claims no sensitive value much more often rightly than whoever does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from schleier.core.classes.histogram import Histogram
from schleier.core.criterion import stricter
from schleier.criteria._likeness import LikenessCriterion
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class InformationGain(LikenessCriterion):
    """A claim of any sensitive value is right in no class more often, by more than this, than in the whole table.

    >>> InformationGain(tolerated_gain=0.2).tolerated_gain
    0.2
    """

    reference: ClassVar[str] = "Bitkom (2020), 2.1, attribute prediction related to what is known without the data"
    example: ClassVar[dict[str, object]] = {"tolerated_gain": 0.3, "keys": [["sex"]], "sensitive": ["disease"]}

    tolerated_gain: float = stricter("lower", ge=0, lt=1)
    """Largest gain allowed, in shares of claims: with 0.2, a value that 30 % of the table have may be had by at most
    50 % of a class. For columns that need other limits write the criterion once for each."""

    def scores(self, spread: Histogram, size: int) -> NDArray[np.float64]:
        """The largest gain of any value: what a value that is rare in the table gains counts as well."""
        from schleier.kernels.spread.distances import reference
        from schleier.kernels.spread.diversity import class_shares, highest

        gains = class_shares(spread.classes, spread.counts, size) - reference(spread.totals)[spread.codes]
        return highest(spread.classes, gains, size)

    def fails(self, spread: Histogram, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Classes in which a value gains too much."""
        result: NDArray[np.bool_] = scores > self.tolerated_gain + TINY
        return result

    def sentence(self, level: float, column: str) -> str:
        """The level reached."""
        gain = f"A claim about {column} is right in a class more often than in the whole table by {level:.4g}"
        return f"{gain}; at most {self.tolerated_gain:.10g} is tolerated"
