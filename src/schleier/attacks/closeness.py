"""Closeness: a value that was hardly changed is as good as the original."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns, copies
from schleier.core.trust.view import Array, ValueTrustee, View
from schleier.core.value_attack import NumberAttack


class Closeness(NumberAttack):
    """Take every released value for the true one; how many are near enough, and whether any is.

    >>> Closeness(sensitive="income", within=0.1).within
    0.1
    """

    reference: ClassVar[str] = "Höhne (2010), 4.2.2 (6.7 of the measures): share of values changed by less than f"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "targets": 100}
    against: ClassVar[Traces] = frozenset(
        {"noise", "rounding", "dither", "tail_mean", "exchange", "model", "average", "stretch"}
    )

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each number that was changed."""
        names = changed_columns(case, cls.against, numbers=True, renamed=True)[:MOST]
        return [cls(sensitive=name, held_in=copies(case, name)) for name in names]

    def claims(self, view: View) -> Array:
        """The released values as they stand."""
        return view.of_targets(self.sensitive)

    def facts(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """Whether every value was changed by more than ``within``."""
        least = trustee.least(claims)
        return {"all_changed": None if least is None else least > self.within}

    def audit(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """The smallest change: where a method promises one, it is the method's secret parameter."""
        least = trustee.least(claims)
        return {"least_change": None if least is None else float(f"{least:.3g}")}
