"""Intervals: the means of sorted groups are sure bounds for the members of their neighbours."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from schleier.core.measure import Case
from schleier.core.traces import Groups, Traces
from schleier.core.trust.aim import MOST, changed_columns, trails
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.view import Array, ValueTrustee, View, Wanted
from schleier.core.value_attack import NumberAttack


class Interval(NumberAttack):
    """Bound every value by the means of the neighbouring groups, and claim the middle where the bounds are close.

    >>> Interval(sensitive="turnover").within
    0.05
    """

    reference: ClassVar[str] = "Höhne (2010), 3.2, (3.2-3) to (3.2-5): safe interval"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "targets": 100}
    against: ClassVar[Traces] = frozenset({"group_mean"})
    openness: ClassVar[Openness] = USUAL | Openness(frozenset({"narrowest", "narrow"}))
    released_detail: ClassVar[tuple[str, ...]] = ("narrowest", "narrow")

    strata: tuple[str, ...] = ()
    """Columns of the release whose combinations were grouped separately."""
    lower: float | None = None
    """The smallest value there can be."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each column whose groups are neighbours in its own order; not below zero where no value is."""
        found: dict[str, Self] = {}
        free = changed_columns(case, cls.against, numbers=True)
        for step, schema, groups in trails(case, "group_mean", Groups):
            ordered = step.changes(schema) if groups is None else groups.ordered
            strata = tuple(name for name in (groups.strata if groups else ()) if name in case.released.schema)
            for name in free:
                if name in ordered and name not in found:
                    found[name] = cls(sensitive=name, strata=strata, lower=_lowest(case, name))
        return [found[name] for name in free if name in found][:MOST]

    def wanted(self) -> Wanted:
        """The strata of the release, too."""
        return Wanted(self.sensitive, texts=self.strata, within=self.within)

    def claims(self, view: View) -> Array:
        """The middle of intervals that are narrower than ``within``."""
        import numpy as np

        from schleier.core.trust.view import values_at
        from schleier.kernels.inference.intervals import relative_widths

        lower, upper = self._intervals(view)
        narrow = relative_widths(lower, upper) < self.within
        middle = np.full(len(lower), np.nan)
        middle[narrow] = (lower[narrow] + upper[narrow]) / 2
        return values_at(middle, view.place)

    def facts(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """The narrowest interval of the release as a share of its larger end, and how many values are too narrow."""
        import numpy as np

        from schleier.kernels.inference.intervals import relative_widths

        found = relative_widths(*self._intervals(view))
        found = found[np.isfinite(found)]
        narrow = float(np.mean(found < self.within)) if len(found) else 0.0
        return {
            "narrowest": float(f"{found.min():.3g}") if len(found) else None,
            "narrow": float(f"{narrow:.6g}"),
        }

    def _intervals(self, view: View) -> tuple[Array, Array]:
        """The bounds of each record of the release, stratum by stratum."""
        import numpy as np

        from schleier.kernels.inference.intervals import intervals
        from schleier.kernels.inference.restoration import group_of

        values = view.release[self.sensitive]
        lowest = -np.inf if self.lower is None else self.lower
        if not self.strata:
            return intervals(values, lowest)
        lower, upper = np.empty(len(values)), np.empty(len(values))
        strata = group_of(*(view.release[name] for name in self.strata))
        order = np.argsort(strata, kind="stable")
        for who in np.split(order, np.flatnonzero(np.diff(strata[order])) + 1):
            lower[who], upper[who] = intervals(values[who], lowest)
        return lower, upper


def _lowest(case: Case, name: str) -> float | None:
    import narwhals as nw

    # By the release, for this goes into a public report: the smallest value of the original is somebody's.
    least = case.released.totals(least=nw.col(name).min())["least"]
    return 0.0 if least is not None and least >= 0 else None
