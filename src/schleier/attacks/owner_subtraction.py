"""Owner subtraction: who owns all records of a group but one knows the one that is left."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns
from schleier.core.trust.view import Array, View, Wanted, values_at
from schleier.core.value_attack import NumberAttack


class OwnerSubtraction(NumberAttack):
    """Subtract what one owner knows of himself from the sum of a group: what is left is the value of the last one.

    >>> OwnerSubtraction(sensitive="turnover", owner="enterprise").group
    ()
    """

    reference: ClassVar[str] = "Höhne (2010), 2.2.5, footnote 7: k - 1 units of one owner in a group"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "owner": "household", "group": ["region", "sex"]}
    against: ClassVar[Traces] = frozenset({"group_mean", "tail_mean", "sum"})
    everybody: ClassVar[bool] = True

    targets: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """Of how many persons the attacker wants to learn it, or "all" that there are."""
    owner: str
    """The column that says which records belong together; each owner knows the true values of his own."""
    group: tuple[str, ...] = ()
    """Columns whose equal values make a group that keeps its sum; equal values of the sensitive one when empty."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each number that was averaged, by the first unit."""
        owners = [name for name in case.released.schema.having("unit")[:1] if name in case.original.schema]
        names = changed_columns(case, cls.against, numbers=True)[:MOST]
        return [cls(sensitive=name, owner=owner) for owner in owners for name in names]

    def wanted(self) -> Wanted:
        """Groups and owners of the release; the true values, of which each owner uses only his own."""
        texts = (*self.group, self.owner)
        return Wanted(self.sensitive, texts=texts, known_numbers=(self.sensitive,), within=self.within)

    def claims(self, view: View) -> Array:
        """Sum of the group minus the owner's own, where he owns all of it but one."""
        import numpy as np

        from schleier.kernels.inference.restoration import group_of, remaining

        seen = view.release[self.sensitive]
        true = np.full(len(seen), np.nan)
        there = view.place >= 0
        true[view.place[there]] = view.known[self.sensitive][there]
        groups = group_of(*(view.release[name] for name in self.group)) if self.group else group_of(seen)
        return values_at(remaining(groups, view.release[self.owner], true, seen), view.place)
