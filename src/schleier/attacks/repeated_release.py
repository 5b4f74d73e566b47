"""Averaging over releases: independent noise cancels out."""

from __future__ import annotations

from typing import ClassVar, Self

from schleier.attacks._repeats import RepeatedAttack
from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns, copies
from schleier.core.trust.view import Array, View
from schleier.core.value_attack import NumberAttack


class RepeatedRelease(RepeatedAttack, NumberAttack):
    """Claim the mean of a value over several releases of the same rows.

    >>> RepeatedRelease(sensitive="income", repeat=9).within
    0.05
    """

    reference: ClassVar[str] = "Höhne (2010), 1.3 (6.6 m): repeated analyses shrink what is possible"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "repeat": 2, "targets": 100}
    against: ClassVar[Traces] = frozenset({"noise", "dither", "exchange", "model"})

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each column that was changed at random."""
        names = changed_columns(case, cls.against, numbers=True, renamed=True)[:MOST]
        return [cls(sensitive=name, held_in=copies(case, name)) for name in names]

    def claims(self, view: View) -> Array:
        """The mean of the releases that have a value."""
        import numpy as np

        values = np.stack([view.of_targets(self.sensitive), *view.further], axis=1)
        many = (~np.isnan(values)).sum(axis=1)
        return np.where(many > 0, np.nansum(values, axis=1) / np.maximum(many, 1), np.nan)
