"""On average a record is found with no more than a given probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from schleier.core.classes import Classes
from schleier.core.classes.request import Request
from schleier.core.criterion import Verdict, stricter
from schleier.core.schema import Schema
from schleier.criteria._counting import RecordCriterion
from schleier.criteria._keys import KeysCriterion
from schleier.kernels.spread.diversity import TINY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class AverageRisk(RecordCriterion, KeysCriterion):
    """An attacker who looks for any of the records by its keys is right, on average, with at most this probability.

    >>> AverageRisk(threshold=0.05).threshold
    0.05
    """

    reference: ClassVar[str] = "El Emam (2013), average prosecutor risk"
    example: ClassVar[dict[str, object]] = {"threshold": 0.1, "keys": [["sex"]]}

    threshold: float = stricter("lower", gt=0, le=1)
    """Largest average probability allowed."""

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys."""
        wanted = self.request(schema, self.missing)
        return tuple(replace(wanted, keys=keys) for keys in self.combinations(schema))

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """No class fails by itself: only the whole table does."""
        import numpy as np

        return np.zeros(len(classes), dtype=np.bool_)

    @property
    def of_table(self) -> bool:
        """The average decides."""
        return True

    def met(self, tables: Sequence[Classes]) -> bool:
        """Whether no average is too high."""
        return all(
            self._average(classes, self.chances(classes, self.missing)) <= self.threshold + TINY for classes in tables
        )

    @staticmethod
    def _average(classes: Classes, risks: NDArray[np.float64]) -> float:
        return float((risks * classes.sizes).sum()) / max(classes.records, 1)

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The average over all records; the classes above it are shown where it is too high."""
        risks = [self.chances(classes, self.missing) for classes in tables]
        averages = [self._average(classes, each) for classes, each in zip(tables, risks, strict=True)]
        risky = [
            (average > self.threshold + TINY) & (each > self.threshold + TINY)
            for average, each in zip(averages, risks, strict=True)
        ]
        level = max(averages, default=0.0)
        text = f"On average a record is found with probability {level:.4g}; at most {self.threshold:.10g} is allowed"
        shown, units = round(level, 9) if any(map(len, tables)) else None, self.tells_units(tables)
        verdict = self.verdict(tables, risky, shown, text, units=units)
        return verdict if verdict.level is None else verdict.model_copy(update={"text": f"{text}."})
