"""Predictable signs: noise that shifts a record up or down as a whole is undone when the direction is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.aimed import MOST, aimed_at, treated
from schleier.core.errors import Problem
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.core.value_attack import NumberAttack
from schleier.core.view import Array, View, Wanted, taken


class PredictableSign(NumberAttack):
    """Take back the shift of a record: its direction is read from one known value, or follows from its size.

    >>> PredictableSign(sensitive="wages", known="turnover").f is None
    True
    """

    reference: ClassVar[str] = "Höhne (2010), 4.2.3 and 4.2.4 (N11, N13b): signs per unit, and signs by rank"
    example: ClassVar[dict[str, object]] = {"sensitive": "income", "known": "age"}
    against: ClassVar[tuple[str, ...]] = ("multiply_noise",)
    everybody: ClassVar[bool] = True

    targets: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    """Of how many persons the attacker wants to learn it, or "all" that there are."""
    known: str | None = None
    """A column whose true value he knows; without it he goes by the size of the unit, as controlled noise does."""
    by: str | None = None
    """The column whose size decides where nothing is known; the sensitive one when absent."""
    f: float | None = Field(default=None, ge=0, lt=1)
    """The shift as a share; where a value is known it may be left out and is read from the known values."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Without a known value the shift must be told."""
        yield from super().problems(schema)
        if self.known is None and self.f is None:
            hint = "say f, the shift as a share, or name a known column"
            yield Problem("no-shift", "f", "by size alone the attacker cannot tell how far values were shifted", hint)

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """From the next noisy column; by size where the noise is controlled."""
        steps = [step for step, _ in aimed_at(case, cls.against) if getattr(step, "kind", "") in SHIFTS]
        part = Case(case.original, case.released, steps=tuple(steps))
        columns = treated(part, cls.against, numbers=True)
        pairs = zip(columns, columns[1:] + columns[:1], strict=True) if len(columns) > 1 else ()
        found = [cls(sensitive=one, known=other) for one, other in list(pairs)[:MOST]]
        for step in steps[:1] if columns else ():
            f, by = getattr(step, "f", None), getattr(step, "dominating", None)
            if getattr(step, "kind", "") == "controlled" and isinstance(f, float):
                found.append(cls(sensitive=columns[0], f=f, by=by))
        return found

    def wanted(self) -> Wanted:
        """The known column, or the one that decides."""
        if self.known is not None:
            return Wanted(self.sensitive, numbers=(self.known,), known_numbers=(self.known,), within=self.within)
        return Wanted(self.sensitive, numbers=(self.by or self.sensitive,), within=self.within)

    def claims(self, view: View) -> Array:
        """x = x^a / (1 + f w) with the sign w of the record; nothing where the sign is not known."""
        import numpy as np

        seen = view.of_targets(self.sensitive)
        if self.known is None:
            signs = taken(self._by_size(view.release[self.by or self.sensitive]), view.place)
            return np.where(signs == 0, np.nan, seen / (1 + (self.f or 0.0) * np.where(np.isnan(signs), 0, signs)))
        true = view.known[self.known]
        moved = view.of_targets(self.known) / np.where(true == 0, np.nan, true) - 1
        some = np.abs(moved[~np.isnan(moved)])
        shift = self.f if self.f is not None else float(np.median(some)) if len(some) else 0.0
        return seen / np.maximum(1 + shift * np.sign(moved), 1e-12)

    def _by_size(self, amounts: Array) -> Array:
        import numpy as np

        from schleier.kernels.restoring import predicted_signs

        held = np.flatnonzero(~np.isnan(amounts))
        order = held[np.argsort(-np.abs(amounts[held]), kind="stable")]
        signs = np.zeros(len(amounts))
        signs[order] = predicted_signs(np.abs(amounts[order]), self.f or 0.0)
        return signs


SHIFTS = ("mixture", "controlled", "best_of")
"""Kinds of multiplicative noise that shift a record as a whole."""
