"""Rescaling: one known value of a record gives its factor, and the factor gives the other values."""

from __future__ import annotations

from typing import ClassVar, Self

from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns
from schleier.core.trust.view import Array, View, Wanted
from schleier.core.value_attack import NumberAttack


class Rescale(NumberAttack):
    """Divide the known value by the released one, and multiply another released value by that.

    >>> Rescale(known="turnover", sensitive="wages").within
    0.05
    """

    reference: ClassVar[str] = "Höhne (2010), 4.2.3, (4.2-4): constant factor per unit"
    example: ClassVar[dict[str, object]] = {"known": "age", "sensitive": "income", "targets": 100}
    against: ClassVar[Traces] = frozenset({"factor"})

    known: str
    """A column of numbers whose true value the attacker knows."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each noisy column by the next one."""
        columns = changed_columns(case, cls.against, numbers=True)
        pairs = zip(columns, columns[1:] + columns[:1], strict=True) if len(columns) > 1 else ()
        return [cls(sensitive=one, known=other) for one, other in list(pairs)[:MOST]]

    def wanted(self) -> Wanted:
        """Both columns of the release, and the truth of one."""
        return Wanted(self.sensitive, numbers=(self.known,), known_numbers=(self.known,), within=self.within)

    def claims(self, view: View) -> Array:
        """x_ij = x_ij^a * (x_il / x_il^a); nothing where the known value is released as zero."""
        import numpy as np

        seen = view.of_targets(self.known)
        return view.of_targets(self.sensitive) * view.known[self.known] / np.where(seen == 0, np.nan, seen)
