"""Deficits: a published total minus what the file shows of the others is what the file hides."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, amounts, changed_columns, steps_leaving, table_columns
from schleier.core.trust.view import Array, View, Wanted
from schleier.core.value_attack import NumberAttack


class TotalDeficit(NumberAttack):
    """Subtract the other records of the release from the published total of a target's cell.

    >>> TotalDeficit(sensitive="turnover", by=["branch"]).by
    ('branch',)
    """

    reference: ClassVar[str] = "Höhne (2010), 1.4.2: published totals minus the file"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "by": ["region"]}
    against: ClassVar[Traces] = frozenset({"gap", "sample", "selection", "tail", "model"})
    everybody: ClassVar[bool] = True

    targets: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """Of how many persons the attacker wants to learn it, or "all" that there are."""
    by: tuple[str, ...] = ()
    """Columns of the published table of totals; one total when empty."""
    whom: Literal["all", "hidden"] = "all"
    """Of whom a value is claimed: of all targets, or of those whose record or value is not in the release."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each number where records were removed, else those that were changed, by the first grouping."""
        removed = any(steps_leaving(case, cls.against)) and case.released.rows < case.original.rows
        names = amounts(case) if removed else changed_columns(case, cls.against, numbers=True)
        by = tuple(table_columns(case)[:1])
        return [cls(sensitive=name, by=by, whom="hidden" if removed else "all") for name in names[:MOST]]

    def wanted(self) -> Wanted:
        """Totals are of the true values; the attacker knows his target's cell."""
        return Wanted(
            self.sensitive, texts=self.by, known_numbers=(self.sensitive,), known_texts=self.by, within=self.within
        )

    def claims(self, view: View) -> Array:
        """Total of the cell minus all its records but the target's."""
        import numpy as np

        from schleier.kernels.inference.restoration import group_of

        seen, own = view.release[self.sensitive], np.nan_to_num(view.of_targets(self.sensitive))
        records, persons = len(seen), len(own)
        both = [np.concatenate([view.release[name], view.known[name]]) for name in self.by]
        groups = group_of(*both) if both else np.zeros(records + persons, dtype=np.int64)
        size = int(groups.max(initial=0)) + 1
        totals = np.bincount(groups[records:], weights=np.nan_to_num(view.known[self.sensitive]), minlength=size)
        shown = np.bincount(groups[:records], weights=np.nan_to_num(seen), minlength=size)
        # A record that was moved to another cell is not among the others of its own cell.
        here = np.append(groups[:records], -1)[view.place] == groups[records:]
        result: Array = (totals - shown)[groups[records:]] + np.where(here, own, 0.0)
        if self.whom == "all":
            return result
        return np.where(np.isnan(view.of_targets(self.sensitive)), result, np.nan)
