"""Averaging over columns: columns that say the same with noise of their own are one column with little noise."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field

from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns
from schleier.core.trust.view import Array, View, Wanted
from schleier.core.value_attack import NumberAttack


class CorrelatedColumns(NumberAttack):
    """Claim the mean of what a column says and of what closely related columns say about it.

    >>> CorrelatedColumns(sensitive="turnover", columns=["turnover_last_year"]).least
    0.9
    """

    reference: ClassVar[str] = "Höhne (2010), 4.1 and 4.2: noise drawn for each column by itself"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "columns": ["age", "children"], "targets": 100}
    against: ClassVar[Traces] = frozenset({"noise"})

    columns: tuple[str, ...] = Field(min_length=1)
    """Columns of numbers that may say the same."""
    least: float = Field(default=0.9, gt=0, le=1)
    """He uses those whose correlation with the sensitive one is at least this in the release."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each noisy column by the others."""
        names = changed_columns(case, cls.against, numbers=True)
        rest = {name: tuple(other for other in names if other != name) for name in names[:MOST]}
        return [cls(sensitive=name, columns=others) for name, others in rest.items() if others]

    def wanted(self) -> Wanted:
        """All the columns."""
        return Wanted(self.sensitive, numbers=self.columns, within=self.within)

    def claims(self, view: View) -> Array:
        """Related columns are brought to mean and spread of the sensitive one; their mean with it is claimed.

        Not by regression: its slope is flattened by the very noise that is to be averaged away.
        """
        import numpy as np

        said = [view.of_targets(self.sensitive)]
        mine = view.release[self.sensitive]
        for name in self.columns:
            theirs = view.release[name]
            both = ~np.isnan(mine) & ~np.isnan(theirs)
            one, other = mine[both], theirs[both]
            if len(one) < 3 or not one.std() or not other.std():
                continue
            closeness = float(np.corrcoef(one, other)[0, 1])
            if abs(closeness) >= self.least:
                slope = np.sign(closeness) * one.std() / other.std()
                said.append(one.mean() + slope * (view.of_targets(name) - other.mean()))
        values = np.stack(said, axis=1)
        many = (~np.isnan(values)).sum(axis=1)
        mean = np.nansum(values, axis=1) / np.maximum(many, 1)
        return np.where(np.isnan(values[:, 0]), np.nan, mean)
