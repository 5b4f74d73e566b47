"""Majority vote: what was changed at random is mostly unchanged, so several releases outvote the changes."""

from __future__ import annotations

from typing import ClassVar, Self

from schleier.attacks._repeats import RepeatedAttack
from schleier.core.measure import Case
from schleier.core.traces import Traces
from schleier.core.trust.aim import MOST, changed_columns
from schleier.core.trust.view import Array, View


class MajorityVote(RepeatedAttack):
    """Claim the category that most of several releases of the same rows show.

    >>> MajorityVote(sensitive="disease", repeat=10).repeat
    10
    """

    reference: ClassVar[str] = "Höhne (2010), 2.2.2 PRAM: several releases"
    example: ClassVar[dict[str, object]] = {"sensitive": "disease", "repeat": 2, "targets": 100}
    against: ClassVar[Traces] = frozenset({"transition", "exchange"})

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each changed category."""
        return [cls(sensitive=name) for name in changed_columns(case, cls.against, numbers=False)[:MOST]]

    def claims(self, view: View) -> Array:
        """The most frequent one; of equally frequent ones that of the release at hand."""
        import numpy as np

        from schleier.kernels.inference.restoration import majority

        return majority(np.stack([view.of_targets(self.sensitive), *view.further], axis=1))
