"""No sensitive value is much more frequent in a class than in the whole table."""

from __future__ import annotations

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


class BetaLikeness(LikenessCriterion):
    """Who finds the class of a person gains at most beta, relatively, in confidence about any sensitive value.

    >>> BetaLikeness(beta=1).kind
    'enhanced'
    """

    reference: ClassVar[str] = "Cao and Karras (2012)"
    example: ClassVar[dict[str, object]] = {"beta": 2, "keys": [["sex"]], "sensitive": ["disease"]}

    beta: float = stricter("lower", gt=0)
    """Largest relative gain allowed: a part p of the table may be at most (1 + beta) p of a class."""
    kind: Literal["basic", "enhanced"] = "enhanced"
    """With enhanced, frequent values are held closer: their gain is at most -ln p, too."""

    def limits(self, schema: Schema) -> Limits:
        """How much more frequent a value may be, where a missing key is a value."""
        columns = self.columns(schema)
        if self.missing != "category" or (self.joint and len(columns) > 1):
            return Limits()
        told = Limits(sensitive=columns[0], gaps=self.gaps == "value", whole=len(columns) == 1)
        return replace(told, rise=1 + self.beta + TINY, damped=self.kind == "enhanced")

    def scores(self, spread: Histogram, size: int) -> NDArray[np.float64]:
        """The largest relative gain of any value."""
        from schleier.kernels.spread.diversity import highest

        return highest(spread.classes, self._gains(spread, size), size)

    def fails(self, spread: Histogram, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Classes in which a value gains too much."""
        import numpy as np

        from schleier.kernels.spread.distances import reference

        result: NDArray[np.bool_] = scores > self.beta + TINY
        if self.kind == "enhanced":
            allowed = -np.log(reference(spread.totals)[spread.codes])
            result[spread.classes[self._gains(spread, len(scores)) > allowed + TINY]] = True
        return result

    def sentence(self, level: float, column: str) -> str:
        """The level reached."""
        less = ", and less for frequent values" if self.kind == "enhanced" else ""
        gain = f"A value of {column} gains {level:.4g} in a class, relative to the whole table"
        return f"{gain}; at most {self.beta:.10g} is allowed{less}"

    def _gains(self, spread: Histogram, size: int) -> NDArray[np.float64]:
        from schleier.kernels.spread.distances import reference
        from schleier.kernels.spread.diversity import class_shares

        gains: NDArray[np.float64] = (
            class_shares(spread.classes, spread.counts, size) / reference(spread.totals)[spread.codes] - 1
        )
        return gains
