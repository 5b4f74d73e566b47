"""Replacement and dominance: a mean of few values, one of them large, tells the large one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import changed_columns
from schleier.core.trust.view import Array, View, Wanted
from schleier.core.value_attack import NumberAttack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ReplacementDominance(NumberAttack):
    """Work out the largest value from the mean that replaced the largest ones.

    >>> ReplacementDominance(sensitive="turnover").knows
    'second'
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.3 Replacement (T13), dominance inside the affected group"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "by": ["region"]}
    against: ClassVar[Traces] = frozenset({"tail_mean"})
    everybody: ClassVar[bool] = True

    targets: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """Of how many persons the attacker wants to learn it, or "all" that there are."""
    by: tuple[str, ...] = ()
    """Columns whose combinations have tails of their own; one tail when empty."""
    knows: Literal["second", "nothing"] = "second"
    """Whether he is the second largest and knows his own value, or an outsider."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Both attackers, for each column whose tail was replaced."""
        names = changed_columns(case, cls.against, numbers=True)
        return [cls(sensitive=name, knows=who) for name in names for who in ("second", "nothing")]

    def wanted(self) -> Wanted:
        """The truth is used to play the second largest, and to say who the largest is: everybody knows the leader."""
        return Wanted(self.sensitive, texts=self.by, known_numbers=(self.sensitive,), within=self.within)

    def claims(self, view: View) -> Array:
        """One claim for each tail: n M, less what is known, less the smallest that the others can have."""
        import numpy as np

        from schleier.kernels.inference.restoration import group_of

        seen, true = view.of_targets(self.sensitive), view.known[self.sensitive]
        held = np.flatnonzero(~np.isnan(seen) & ~np.isnan(true))
        result = np.full(len(true), np.nan)
        if not len(held):
            return result
        groups = group_of(*(view.of_targets(name) for name in self.by))[held] if self.by else np.zeros(len(held), int)
        order = np.lexsort((-true[held], -seen[held], groups))
        for members in np.split(held[order], np.flatnonzero(np.diff(groups[order])) + 1):
            result[members[0]] = self._largest(seen[members], true[members])
        return result

    def _largest(self, seen: NDArray[np.float64], true: NDArray[np.float64]) -> float:
        """Of a group in descending order of what was released: the tail is what shares the largest value."""
        import numpy as np

        n = int(np.count_nonzero(seen == seen[0]))
        floor = float(seen[n]) if n < len(seen) else 0.0
        if n == 1:
            return float(seen[0])
        if self.knows == "second":
            return float(n * seen[0] - true[1] - (n - 2) * floor)
        return float(n * seen[0] - (n - 1) * floor)
