"""Equal weights: records of one stratum share their weight, and most of them still show its true category."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field

from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns
from schleier.core.trust.view import Array, View, Wanted, values_at
from schleier.core.value_attack import ValueAttack


class EqualWeights(ValueAttack):
    """Claim for each record the category that dominates among the records of the same weight.

    >>> EqualWeights(sensitive="branch", weight="weight").smallest
    3
    """

    reference: ClassVar[str] = "Höhne (2010), 2.2.2 PRAM: equal weights reveal the stratum"
    example: ClassVar[dict[str, object]] = {"sensitive": "disease", "weight": "weight", "smallest": 1, "targets": 100}
    against: ClassVar[Traces] = frozenset({"transition"})

    weight: str
    """The column that is equal in a stratum, usually the weight."""
    smallest: int = Field(default=3, ge=1)
    """Fewest records of equal weight that he draws conclusions from."""
    sure: float = Field(default=0.5, gt=0, le=1)
    """He claims a category only when at least this share of them shows it."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each changed category, by the first weight."""
        weights, names = case.released.schema.having("weight")[:1], changed_columns(case, cls.against, numbers=False)
        return [cls(sensitive=name, weight=weight) for weight in weights for name in names[:MOST]]

    def wanted(self) -> Wanted:
        """The category and the weight."""
        return Wanted(self.sensitive, texts=(self.weight,))

    def claims(self, view: View) -> Array:
        """The dominating category of the group."""
        from schleier.kernels.inference.restoration import dominating, group_of

        groups = group_of(view.release[self.weight])
        return values_at(dominating(groups, view.release[self.sensitive], self.smallest, self.sure), view.place)
