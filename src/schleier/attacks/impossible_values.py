"""Impossible values: what cannot be was changed, and the nearest thing that can be is a good guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import model_validator

from schleier.core.data import tally
from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns, copies
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.view import Array, ValueTrustee, View
from schleier.core.value_attack import NumberAttack

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BELOW = 0.25
"""Share of released values below zero up to which an attacker takes them for impossible: noise put them there."""


class ImpossibleValues(NumberAttack):
    """Pull every released value to the nearest one that is possible; the impossible ones were changed for certain.

    >>> ImpossibleValues(sensitive="children", lower=0, whole=True).upper is None
    True
    """

    reference: ClassVar[str] = "Höhne (2010), 2.2.1: additive noise changes signs and breaks limits of the survey"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "lower": 0, "targets": 100}
    against: ClassVar[Traces] = frozenset({"noise", "model", "simulation"})
    openness: ClassVar[Openness] = USUAL | Openness(frozenset({"impossible"}))
    released_detail: ClassVar[tuple[str, ...]] = ("impossible",)

    lower: float | None = None
    """The smallest value there can be."""
    upper: float | None = None
    """The largest value there can be."""
    whole: bool = False
    """Whether only whole numbers can be."""

    @model_validator(mode="after")
    def _something_to_judge(self) -> Self:
        # Finding nothing would read as if nothing impossible were there.
        if self.lower is None and self.upper is None and not self.whole:
            raise ValueError("without a limit no value is impossible: say lower, upper or whole = true")
        return self

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each number that was changed: not below zero where few released ones are, and whole where all were.

        By the release alone, for which attacks are tried is public, and one person may have the smallest value.
        """
        import narwhals as nw

        found = []
        for name in changed_columns(case, cls.against, numbers=True, renamed=True)[:MOST]:
            shown = copies(case, name) or (name,)
            value = nw.col(shown[0])
            seen = case.released.totals(below=tally(value < 0), there=tally(~value.is_null()))
            lower = 0 if (seen["below"] or 0) <= BELOW * (seen["there"] or 0) else None
            whole = case.original.schema[name].scale == "discrete"
            if whole or lower is not None:
                found.append(cls(sensitive=name, whole=whole, lower=lower, held_in=copies(case, name)))
        return found

    def claims(self, view: View) -> Array:
        """The nearest possible values."""
        return self._possible(view.of_targets(self.sensitive))

    def facts(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """How many values are impossible in the release, and how many of them were pulled to the truth."""
        import numpy as np

        odd = self._odd(view.of_targets(self.sensitive))
        return {
            "impossible": int(np.count_nonzero(self._odd(view.release[self.sensitive]))),
            "impossible_targets": int(np.count_nonzero(odd)),
            "impossible_right": int(np.count_nonzero(trustee.right(claims) & odd)),
        }

    def _possible(self, values: Array) -> Array:
        import numpy as np

        rounded = np.rint(values) if self.whole else values
        return np.clip(rounded, self.lower, self.upper) if self.lower is not None or self.upper is not None else rounded

    def _odd(self, values: Array) -> NDArray[np.bool_]:
        odd: NDArray[np.bool_] = abs(self._possible(values) - values) > 1e-9 * abs(values)  # never where it is missing
        return odd
