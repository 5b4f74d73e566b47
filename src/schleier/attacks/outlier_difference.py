"""Outlier differences: the same table with and without outliers differs by the outliers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.measure import Case
from schleier.core.traces import Tail, Traces
from schleier.core.trust.aim import MOST, changed_columns, table_columns, trails
from schleier.core.trust.view import Array, View, Wanted
from schleier.core.value_attack import NumberAttack


class OutlierDifference(NumberAttack):
    """Subtract a published total without outliers from that with them, where a cell has a single one.

    >>> OutlierDifference(sensitive="turnover", by=["branch"], upper=1e6).upper
    1000000.0
    """

    reference: ClassVar[str] = "Höhne (2010), 1.2: the same analysis with and without outliers"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "by": ["region"], "upper": 3500}
    against: ClassVar[Traces] = frozenset({"tail"})
    everybody: ClassVar[bool] = True

    targets: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """Of how many persons the attacker wants to learn it, or "all" that there are."""
    by: tuple[str, ...] = ()
    """Columns of the published tables; one total when empty."""
    upper: float | None = None
    """Values above it are outliers; the mean plus three standard deviations of the release when absent."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each column whose upper tail was hidden, by the first grouping and as a whole."""
        by, found = tuple(table_columns(case)[:1]), []
        for step, _, tail in trails(case, "tail", Tail):
            if tail is None:
                names = changed_columns(case, cls.against, numbers=True, only=[step])[:MOST]
                found += [cls(sensitive=name, by=by) for name in names]
            elif tail.column in case.released.schema and tail.upper is not None:
                found.append(cls(sensitive=tail.column, by=by, upper=tail.upper))
        return found

    def wanted(self) -> Wanted:
        """Totals are of the true values."""
        return Wanted(
            self.sensitive, texts=self.by, known_numbers=(self.sensitive,), known_texts=self.by, within=self.within
        )

    def claims(self, view: View) -> Array:
        """With minus without, for the only outlier of a cell."""
        import numpy as np

        from schleier.kernels.inference.restoration import group_of

        true = view.known[self.sensitive]
        groups = group_of(*(view.known[name] for name in self.by)) if self.by else np.zeros(len(true), dtype=np.int64)
        beyond = true > self._limit(view.release[self.sensitive])
        size = int(groups.max(initial=0)) + 1
        with_them = np.bincount(groups, weights=np.nan_to_num(true), minlength=size)
        without = np.bincount(groups, weights=np.where(beyond, 0.0, np.nan_to_num(true)), minlength=size)
        single = np.bincount(groups[beyond], minlength=size) == 1
        return np.where(beyond & single[groups], (with_them - without)[groups], np.nan)

    def _limit(self, released: Array) -> float:
        import numpy as np

        if self.upper is not None:
            return self.upper
        held = released[~np.isnan(released)]
        return float(held.mean() + 3 * held.std()) if len(held) else float("inf")
