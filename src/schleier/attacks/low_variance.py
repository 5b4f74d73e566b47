"""Low variance: where imputations agree with each other, they agree with the original."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field

from schleier.attacks._repeats import RepeatedAttack
from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns, copies
from schleier.core.trust.view import Array, View


class LowVariance(RepeatedAttack):
    """Claim the mean of several releases where they hardly differ, or the category they all show.

    >>> LowVariance(sensitive="income", within=0.05).spread
    0.02
    """

    reference: ClassVar[str] = "Höhne (2010), 2.2.4: multiple imputation with a small variance between imputations"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "within": 0.05, "repeat": 2, "targets": 100}
    against: ClassVar[Traces] = frozenset({"model"})

    within: float | None = Field(default=None, gt=0)
    """For numbers: a claim is right when it is off by at most this share of the true value."""
    spread: float = Field(default=0.02, ge=0)
    """For numbers: he claims a value when the releases differ by at most this share of it (standard deviation)."""

    @property
    def tolerance(self) -> float | None:
        """None for categories."""
        return self.within

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each imputed column."""
        numbers = changed_columns(case, cls.against, numbers=True, renamed=True)[:MOST]
        words = changed_columns(case, cls.against, numbers=False, renamed=True)[:MOST]
        within = dict.fromkeys(numbers, 0.05) | dict.fromkeys(words)
        return [cls(sensitive=n, within=near, held_in=copies(case, n)) for n, near in within.items()]

    def claims(self, view: View) -> Array:
        """Nothing where the releases differ, or where one of them has no value."""
        import numpy as np

        values = np.stack([view.of_targets(self.sensitive), *view.further], axis=1)
        if self.within is None:
            same = (values == values[:, :1]).all(axis=1)
            return np.where(same, values[:, 0], -1)
        mean = values.mean(axis=1)
        return np.where(values.std(axis=1) <= self.spread * np.abs(mean), mean, np.nan)
