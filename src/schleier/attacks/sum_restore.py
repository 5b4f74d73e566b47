"""Restoring a sum: the parts of a divided unit add up to it again when nobody else looks like them."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field

from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns
from schleier.core.trust.view import Array, View, Wanted
from schleier.core.value_attack import NumberAttack


class SumRestore(NumberAttack):
    """Add up the released values of all records that have the known values of a target.

    >>> SumRestore(sensitive="turnover", known=["branch", "region"]).known
    ('branch', 'region')
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Zerlegung (T15): summation restores a unit with unique categories"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "known": ["age", "sex", "region"], "targets": 100}
    against: ClassVar[Traces] = frozenset({"division"})

    known: tuple[str, ...] = Field(min_length=1)
    """Columns the attacker knows about a target."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each divided number, by all keys."""
        keys = tuple(name for name in case.released.schema.quasi if name in case.original.schema)
        names = [name for name in changed_columns(case, cls.against, numbers=True) if name not in keys][:MOST]
        return [cls(sensitive=name, known=keys) for name in names] if keys else []

    def wanted(self) -> Wanted:
        """The known columns on both sides."""
        return Wanted(self.sensitive, texts=self.known, known_texts=self.known, within=self.within)

    def claims(self, view: View) -> Array:
        """The sum of the matching records; nothing where none matches, or one of them has no value."""
        import numpy as np

        from schleier.kernels.inference.restoration import group_of

        records = len(view.release[self.sensitive])
        both = [np.concatenate([view.release[name], view.known[name]]) for name in self.known]
        groups = group_of(*both)
        sums = np.bincount(groups[:records], weights=view.release[self.sensitive], minlength=groups.max(initial=0) + 1)
        many = np.bincount(groups[:records], minlength=len(sums))
        return np.where(many > 0, sums, np.nan)[groups[records:]]
