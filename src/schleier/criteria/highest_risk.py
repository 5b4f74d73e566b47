"""No record is found with more than a given probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Limits, Verdict, stricter
from schleier.core.schema import Schema
from schleier.criteria._counting import RecordCriterion
from schleier.criteria._keys import AdditiveCriterion, KeysCriterion
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class HighestRisk(AdditiveCriterion, RecordCriterion, KeysCriterion):
    """An attacker who looks for a record by its keys is right with at most this probability.

    >>> HighestRisk(threshold=0.2).threshold
    0.2
    """

    reference: ClassVar[str] = "El Emam (2013), maximum prosecutor risk"
    example: ClassVar[dict[str, object]] = {"threshold": 0.1, "keys": [["sex"]]}

    threshold: float = stricter("lower", gt=0, le=1)
    """Largest probability allowed."""

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys."""
        wanted = self.request(schema, self.missing)
        return tuple(replace(wanted, keys=keys) for keys in self.combinations(schema))

    def limits(self, schema: Schema) -> Limits:
        """The smallest class whose records are not guessed too easily, where a missing key is a value."""
        if self.missing != "category":
            return Limits()
        return Limits(least=math.ceil(1 / (self.threshold + TINY)), whole=not self.counts_units(schema))

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes so small that one of their records is guessed too easily."""
        return self._too_high(self._risks(classes))

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The smallest class decides."""
        risks = [self._risks(classes) for classes in tables]
        found = [float(each.max()) for each in risks if len(each)]
        level = max(found, default=0.0)
        text = f"A record is found with probability {level:.4g} at most; {self.threshold:.10g} is allowed"
        bad, units = [self._too_high(each) for each in risks], self.tells_units(tables)
        return self.verdict(tables, bad, round(level, 9) if found else None, text, units=units)

    def _too_high(self, risks: NDArray[np.float64]) -> NDArray[np.bool_]:
        result: NDArray[np.bool_] = risks > self.threshold + TINY
        return result

    def _risks(self, classes: Classes) -> NDArray[np.float64]:
        return self.chances(classes, self.missing)
