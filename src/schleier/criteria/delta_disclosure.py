"""Every sensitive value is about as frequent in each class as in the whole table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.core.classes.histogram import Histogram
from schleier.core.criterion import Limits, stricter
from schleier.core.schema import Schema
from schleier.criteria._likeness import LikenessCriterion
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class DeltaDisclosure(LikenessCriterion):
    """Who finds the class of a person changes no odds about her sensitive value by a factor of exp(delta) or more.

    >>> DeltaDisclosure(delta=1.5).absent
    'fail'
    """

    reference: ClassVar[str] = "Brickell and Shmatikov (2008)"
    example: ClassVar[dict[str, object]] = {"delta": 1.5, "keys": [["sex"]], "sensitive": ["disease"]}

    delta: float = stricter("lower", gt=0)
    """The logarithm of how many times more or less frequent a value is in a class must be below it."""
    absent: Literal["fail", "ignore"] = "fail"
    """A class that lacks a value of the table fails (fail), or the value is not looked at in that class (ignore)."""

    @property
    def monotone(self) -> bool:
        """Not where lacking a value is allowed: merged with others, the class has too little of it."""
        return self.missing == "category" and self.absent == "fail"

    def limits(self, schema: Schema) -> Limits:
        """How much more or less frequent a value may be, where a missing key is a value."""
        columns, fails = self.columns(schema), self.absent == "fail"
        if self.missing != "category" or (self.joint and len(columns) > 1):
            return Limits()
        most = math.exp(self.delta - TINY)
        told = Limits(sensitive=columns[0], gaps=self.gaps == "value", whole=len(columns) == 1)
        return replace(told, rise=most, fall=1 / most, lack=not fails)

    def scores(self, spread: Histogram, size: int) -> NDArray[np.float64]:
        """The largest logarithm, of more or of less."""
        import numpy as np

        from schleier.kernels.spread.distances import reference
        from schleier.kernels.spread.diversity import class_shares, distinct, highest

        ratio = class_shares(spread.classes, spread.counts, size) / reference(spread.totals)[spread.codes]
        result = highest(spread.classes, np.abs(np.log(ratio)), size)
        if self.absent == "fail":
            different = distinct(spread.classes, size)
            result[(different > 0) & (different < (spread.totals > 0).sum())] = np.inf
        return result

    def fails(self, spread: Histogram, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Classes in which a value is too frequent or too rare."""
        result: NDArray[np.bool_] = scores >= self.delta - TINY
        return result

    def sentence(self, level: float, column: str) -> str:
        """The level reached."""
        if level == float("inf"):
            return (
                f"A class lacks a value of {column} altogether; every value must be about as frequent as in the table"
            )
        factor = f"A value of {column} is more or less frequent in a class than in the whole table by exp({level:.4g})"
        return f"{factor}; below exp({self.delta:.10g}) is required"
