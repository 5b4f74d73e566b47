"""Predictable signs: noise that shifts a record up or down as a whole is undone when the direction is known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.traces import Shift, Traces
from schleier.core.trust.aim import MOST, changed_columns, trails
from schleier.core.trust.answer import Inferred
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.view import Array, ValueTrustee, View, Wanted, values_at
from schleier.core.value_attack import NumberAttack

if TYPE_CHECKING:
    from schleier.core.run import Run

AVERAGED = " The first direction was drawn: this is the average over both, rounded up to tenths."


class PredictableSign(NumberAttack):
    """Take back the shift of a record: its direction is read from one known value, or follows from its size.

    >>> PredictableSign(sensitive="wages", known="turnover").f is None
    True
    """

    reference: ClassVar[str] = "Höhne (2010), 4.2.3 and 4.2.4 (N11, N13b): signs per unit, and signs by rank"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "known": "age"}
    against: ClassVar[Traces] = frozenset({"shift"})
    openness: ClassVar[Openness] = USUAL | Openness(frozenset({"averaged"}))
    everybody: ClassVar[bool] = True

    targets: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """Of how many persons the attacker wants to learn it, or "all" that there are."""
    known: str | None = None
    """A column whose true value he knows; without it he goes by the size of the unit, as controlled noise does."""
    by: str | None = None
    """The column whose size decides where nothing is known; the sensitive one when absent."""
    strata: tuple[str, ...] = ()
    """Columns of the release whose combinations were treated separately: sizes count within them."""
    smallest: int = Field(default=3, ge=1)
    """Strata of fewer records were pooled: nothing follows from sizes there."""
    f: float | None = Field(default=None, ge=0, lt=1)
    """The shift as a share; where a value is known it may be left out and is read from the known values."""
    first: Literal["minus", "drawn"] | None = None
    """By size: whether the largest record shrinks, as in the source, or its direction was drawn. The steps tell."""
    secret_f: bool = False
    """By size: claim only where that does not depend on f, since the number of claims would tell about it."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Without a known value the shift must be told."""
        yield from super().problems(schema)
        if self.known is None and self.f is None:
            hint = "say f, the shift as a share, or name a known column"
            yield Problem("no-shift", "f", "by size alone the attacker cannot tell how far values were shifted", hint)

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """From the next noisy column; by size where the noise is controlled."""
        columns = changed_columns(case, cls.against, numbers=True)
        pairs = zip(columns, columns[1:] + columns[:1], strict=True) if len(columns) > 1 else ()
        found = [cls(sensitive=one, known=other) for one, other in list(pairs)[:MOST]]
        for shift in _by_size(case)[:1] if columns else ():
            by = {"by": shift.by, "smallest": shift.smallest, "strata": shift.strata}
            found.append(cls(sensitive=columns[0], f=shift.f, secret_f=not shift.public, **by))
        return found

    def wanted(self) -> Wanted:
        """The known column, or the one that decides and the strata."""
        if self.known is not None:
            return Wanted(self.sensitive, numbers=(self.known,), known_numbers=(self.known,), within=self.within)
        return Wanted(self.sensitive, numbers=(self.by or self.sensitive,), texts=self.strata, within=self.within)

    def measure(self, case: Case, run: Run) -> Finding:
        """Look first what the steps do with the largest record."""
        if self.known is not None or self.first is not None:
            return super().measure(case, run)
        drawn = any(shift.drawn for shift in _by_size(case))
        return self.model_copy(update={"first": "drawn" if drawn else "minus"}).measure(case, run)

    def claims(self, view: View) -> Array:
        """x = x^a / (1 + f w) with the sign w of the record; nothing where the sign is not known."""
        import numpy as np

        if self.known is None:
            return self._shrunk(view, -1)
        seen, true = view.of_targets(self.sensitive), view.known[self.known]
        moved = view.of_targets(self.known) / np.where(true == 0, np.nan, true) - 1
        some = np.abs(moved[~np.isnan(moved)])
        shift = self.f if self.f is not None else float(np.median(some)) if len(some) else 0.0
        return seen / np.maximum(1 + shift * np.sign(moved), 1e-12)

    def judge(self, view: View, trustee: ValueTrustee, claims: Array, guess: float, rare: list[int]) -> Inferred:
        """Where the first sign was drawn: what is right on average over both, so that nobody reads off which it was.

        Both readings differ in their counts beyond all or nothing, by rounding of factors and by where the balance
        turns. Hence the average is told coarsely: at least a half, in tenths rounded up.
        """
        told = trustee.judge(claims, guess, rare)
        if self.known is not None or self.first != "drawn" or not told.claims:
            return told
        other = trustee.judge(self._shrunk(view, 1), guess, rare)
        tenths = math.ceil(10 * (told.correct + other.correct) / (2 * told.claims))
        correct = round(max(tenths, 5) * told.claims / 10)
        return replace(told, correct=correct, gained=max(correct - told.guessed, 0))

    def facts(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """Whether the counts are an average over both signs."""
        return {"averaged": True} if self.known is None and self.first == "drawn" else {}

    def sentence(self, told: Inferred, plain: int) -> str:
        """The average is called so."""
        text = super().sentence(told, plain)
        return text if self.known is not None or self.first != "drawn" else text + AVERAGED

    def phrase(self, finding: Finding) -> Finding:
        """The same for everybody."""
        told = super().phrase(finding)
        return told.model_copy(update={"text": told.text + AVERAGED}) if told.detail.get("averaged") else told

    def audit(self, view: View, trustee: ValueTrustee, claims: Array) -> dict[str, Any]:
        """How many claims are right for either sign of the largest record."""
        if self.known is not None or self.first != "drawn":
            return {}
        right = {name: trustee.right(self._shrunk(view, sign)) for name, sign in (("minus", -1), ("plus", 1))}
        return {f"right_if_{name}": int(found.sum()) for name, found in right.items()}

    def _shrunk(self, view: View, first: int) -> Array:
        """What the values were if the largest record of a stratum went up (1) or down (-1)."""
        import numpy as np

        signs = -first * values_at(self._by_size(view), view.place)
        shift = (self.f or 0.0) * np.where(np.isnan(signs), 0, signs)
        return np.where(signs == 0, np.nan, view.of_targets(self.sensitive) / (1 + shift))

    def _by_size(self, view: View) -> Array:
        import numpy as np

        from schleier.kernels.inference.restoration import group_of, predicted_signs

        amounts = np.abs(view.release[self.by or self.sensitive])
        strata = group_of(*(view.release[n] for n in self.strata)) if self.strata else np.zeros(len(amounts), np.int64)
        f = 0.0 if self.secret_f or self.first == "drawn" else self.f or 0.0
        least = self.smallest if self.strata else 0
        signs = np.zeros(len(amounts))
        order = np.lexsort((-amounts, strata))
        for every in np.split(order, np.flatnonzero(np.diff(strata[order])) + 1):
            who = every[~np.isnan(amounts[every])]
            if len(every) >= least:
                signs[who] = predicted_signs(amounts[who], f)
        return signs


def _by_size(case: Case) -> list[Shift]:
    """What is known of the steps in which the size of a record tells its direction."""
    return [shift for *_, shift in trails(case, "shift", Shift) if shift is not None and shift.by_size]
