"""Every class holds at least l well represented sensitive values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.core.classes.histogram import Histogram
from schleier.core.criterion import Limits, ranked, stricter
from schleier.core.schema import Schema
from schleier.criteria._attribute import AttributeCriterion
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class LDiversity(AttributeCriterion):
    """Who finds the class of a person still cannot tell which of l sensitive values is hers.

    >>> LDiversity(l=3).kind
    'distinct'
    """

    reference: ClassVar[str] = "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007)"
    example: ClassVar[dict[str, object]] = {"l": 2, "keys": [["sex"]]}
    worse: ClassVar[Literal["higher", "lower"]] = "lower"

    l: float = stricter("higher", ge=2)  # noqa: E741  # the symbol of the literature
    """Smallest diversity allowed in a class; rounded up for distinct and recursive."""
    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    """What counts: different values (distinct), as many as equally frequent values would give the same entropy
    (entropy), or that the most frequent value is rarer than c times all from the l-th most frequent on (recursive)."""
    estimator: Literal["shannon", "grassberger"] = ranked(("grassberger", "shannon"), "shannon")
    """For entropy: that of the values as they are (shannon), or corrected for what a few records do not show, which is
    more (grassberger)."""
    c: float = stricter("lower", 1.0, gt=0)
    """For recursive: the most frequent value must be rarer than c times the others; 1 unless you allow more."""

    @property
    def monotone(self) -> bool:
        """A mixture of good classes is good; but an estimate corrected for few records may fall when they are more."""
        return super().monotone and not self._corrected

    @property
    def _corrected(self) -> bool:
        return self.kind == "entropy" and self.estimator == "grassberger"

    @property
    def hereditary(self) -> bool:
        """A part has no value the whole has not; but a part may be more balanced than the whole."""
        return self.kind == "distinct" and self.missing != "wildcard"

    def limits(self, schema: Schema) -> Limits:
        """Fewer than l records, or different values, cannot be l values of any kind."""
        if self.missing != "category" or self._corrected:  # what is corrected may be more than the values there are
            return Limits()
        least, columns = math.ceil(self.l - TINY), self.columns(schema)
        if self.joint and len(columns) > 1:
            return Limits(least=least)
        whole = self.kind == "distinct" and len(columns) == 1
        return Limits(least=least, sensitive=columns[0], different=least, gaps=self.gaps == "value", whole=whole)

    def scores(self, spread: Histogram, size: int) -> NDArray[np.float64]:
        """The diversity of each class."""
        from schleier.kernels.spread.diversity import distinct, effective, recursive

        match self.kind:
            case "distinct":
                return distinct(spread.classes, size)
            case "entropy":
                return effective(spread.classes, spread.counts, size, corrected=self._corrected)
            case _:
                return recursive(spread.classes, spread.counts, size, self.c)

    def fails(self, spread: Histogram, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Classes that are less diverse than l."""
        result: NDArray[np.bool_] = scores < self.l - TINY
        return result

    def sentence(self, level: float, column: str) -> str:
        """The level reached."""
        required = f"at least {self.l if self.kind == 'entropy' else math.ceil(self.l):.10g}"
        match self.kind:
            case "distinct":
                values = "value" if level == 1 else "values"
                held = f"holds {level:.10g} different {values} of {column}"
                return f"The least diverse class {held}; {required} are required"
            case "entropy":
                alike = f"is as diverse as {level:.4g} equally frequent values of {column}"
                return f"The least diverse class {alike}; {required} are required"
            case _:
                return f"The least diverse class reaches l = {level:.10g} for {column}; {required} is required"
