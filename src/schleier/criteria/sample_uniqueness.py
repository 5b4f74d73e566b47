"""Few records are the only ones of their kind in the file."""

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


class SampleUniqueness(RecordCriterion, KeysCriterion):
    """The share of records that nobody else in the file looks like is small.

    >>> SampleUniqueness(threshold=0.01).threshold
    0.01
    """

    reference: ClassVar[str] = "Dalenius (1986), Finding a needle in a haystack; ARX, SampleUniqueness"
    example: ClassVar[dict[str, object]] = {"threshold": 0.05, "keys": [["sex"]]}

    threshold: float = stricter("lower", gt=0, lt=1)
    """Largest share allowed."""

    @property
    def of_table(self) -> bool:
        """The share decides."""
        return True

    def needs(self, schema: Schema) -> tuple[Request, ...]:
        """One class table per combination of keys."""
        wanted = self.request(schema, self.missing)
        return tuple(replace(wanted, keys=keys) for keys in self.combinations(schema))

    def bad(self, classes: Classes) -> NDArray[np.bool_]:
        """No class fails by itself: only the whole table does."""
        import numpy as np

        return np.zeros(len(classes), dtype=np.bool_)

    def met(self, tables: Sequence[Classes]) -> bool:
        """Whether no share is too high."""
        return all(self._share(classes) <= self.threshold + TINY for classes in tables)

    def judge(self, tables: Sequence[Classes]) -> Verdict:
        """The combination with the largest share decides; the records that are alone are shown where it is too high."""
        shares = [self._share(classes) for classes in tables]
        risky = [
            self._alone(classes) & (share > self.threshold + TINY)
            for classes, share in zip(tables, shares, strict=True)
        ]
        level = max(shares, default=0.0)
        text = f"{level:.4g} of the records are the only ones of their kind; at most {self.threshold:.10g} is allowed"
        shown, units = round(level, 9) if any(map(len, tables)) else None, self.tells_units(tables)
        verdict = self.verdict(tables, risky, shown, text, units=units)
        return verdict if verdict.level is None else verdict.model_copy(update={"text": f"{text}."})

    def _alone(self, classes: Classes) -> NDArray[np.bool_]:
        """Classes in which somebody is alone; rows that nobody is said to stand behind are one."""
        result: NDArray[np.bool_] = self.alike(classes, self.missing) <= 1
        return result

    def _share(self, classes: Classes) -> float:
        return int(classes.sizes[self._alone(classes)].sum()) / max(classes.records, 1)
