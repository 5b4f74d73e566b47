"""Fingerprints: the members of a household, or the waves of a person, taken together find those who hide one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.attacks._metrics import compared
from schleier.core.classes.table import sorted_codes
from schleier.core.measure import Case
from schleier.core.schema import Schema
from schleier.core.trust.answer import Answer, Claims
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.sides import Sides
from schleier.core.trust.together import SOUGHT, WHOLE
from schleier.core.trust.trustee import ALIAS, TARGET, knowable
from schleier.core.unit_attack import UnitAttack, unit_claims
from schleier.core.units import has_several

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.linkage.fingerprints import Fingerprints

    Whole = NDArray[np.int64]

MANY = 100_000
"""Records up to which it is tried without being asked for."""


@dataclass(frozen=True)
class Found:
    """Claimed pairs of units by their places, and what is needed to pair their members."""

    prints: Fingerprints
    sides: Sides
    target: Whole = field(repr=False)
    unit: Whole = field(repr=False)
    sought: pa.Array = field(repr=False)
    wholes: pa.Array = field(repr=False)
    orders: tuple[Whole, Whole] = field(repr=False)
    """Known and released records in the order of their units."""


class FingerprintMatch(UnitAttack):
    """Claim the unit whose records, taken together, are nearest to those of a target; then pair their members.

    >>> FingerprintMatch(known=["age", "sex"], order="wave").complete
    True
    """

    reference: ClassVar[str] = (
        "Müller, Blien, Knoche, Wirth et al. (1991), keys of partner and children in the survey experiment; Narayanan "
        "and Shmatikov (2008)"
    )
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex", "region"], "targets": 60}
    openness: ClassVar[Openness] = USUAL | Openness(
        counts=frozenset({"member_targets"}), shares={"member_claims": "member_targets"}
    )

    order: str | None = None
    """The column that says which of several records of a unit it is, such as the wave of a panel: only records with the
    same are compared. Without it every member may be any other, as in a household."""
    complete: bool = True
    """Whether he knows all records of a unit, so that one more in the release speaks against it."""
    within: float | None = Field(default=None, ge=0)
    """Claims are made up to this distance on average of the known records, where 1 is that nothing agrees."""
    ahead: float = Field(default=0.0, ge=0)
    """By so much, on average of the known records, the next unit must be farther away."""
    missing: Literal["category", "anything"] = "anything"
    """A gap may be anything, or is a value of its own that differs from all others."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Where units have several records, by all keys."""
        small = 0 < case.released.rows <= MANY
        fits = small and has_several(case.released) and bool(knowable(case, case.released.schema.quasi))
        return [cls()] if fits and case.original.schema.having("unit") else []

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """What he knows of each record, and which it is."""
        own = tuple(name for name in super().keys(schema) if name != self.order)
        return own if self.order is None or not own else (*own, self.order)

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> Claims:
        """Pairs of target and unit."""
        found = self._found(released, known, columns)
        return unit_claims(released, found.wholes, found.sought, found.target, found.unit)

    def _try(self, case: Case, run: Run) -> tuple[Answer, dict[str, Any]]:
        together, columns = self.sought(case, run), self.columns(case)
        found = self._found(together.released, together.known, columns)
        claims = unit_claims(together.released, found.wholes, found.sought, found.target, found.unit)
        answer = together.answer(claims.pairs)
        self.refuse_strangers(answer.contained, case)
        mine, theirs = found.prints.paired(found.target, found.unit)
        pairs = found.sides.claims(together.released, found.orders[0][mine], found.orders[1][theirs])
        members = together.members.answer(pairs.pairs)
        told = {"targets": members.targets, "claims": members.claims, "correct": members.correct}
        return answer, {f"member_{name}": value for name, value in told.items()}

    def _found(self, released: Dataset, known: Dataset, columns: tuple[str, ...]) -> Found:
        import numpy as np

        from schleier.kernels.linkage.fingerprints import ALIKE, Fingerprints, Members, sorted_columns

        keys = tuple(name for name in columns if name != self.order)
        sides, costs = compared(released, known, keys, "gower", self.missing)
        (sought, whose), (wholes, unit) = (_units(data, *of) for data, of in ((known, KNOWN), (released, SEEN)))
        orders = np.argsort(whose, kind="stable"), np.argsort(unit, kind="stable")
        waves = self._waves(released, known)
        sorted_waves = [wave[order] for wave, order in zip(waves, orders, strict=True)]
        prints = Fingerprints(
            sorted_columns(costs, *orders),
            Members(whose[orders[0]], sorted_waves[0]),
            Members(unit[orders[1]], sorted_waves[1]),
            self.complete,
        )
        near = prints.nearest()
        size = np.bincount(whose, minlength=len(sought))
        made = (near.unit >= 0) & (near.second - near.distance > np.maximum(self.ahead * size, ALIKE))
        if self.within is not None:
            made &= near.distance <= self.within * size
        target = np.flatnonzero(made)
        return Found(prints, sides, target, near.unit[target], sought, wholes, orders)

    def _waves(self, released: Dataset, known: Dataset) -> tuple[Whole, Whole]:
        """Codes of what says which record of a unit it is; -1 for all where nothing does."""
        import narwhals as nw
        import numpy as np

        from schleier.core.classes.table import pa_concat

        sides = ((known, TARGET), (released, ALIAS))
        if self.order is None:
            mine, theirs = (np.full(data.rows, -1, dtype=np.int64) for data, _ in sides)
            return mine, theirs
        text = nw.col(self.order).cast(nw.String).alias("_wave_")
        first, second = (data.engine.arrays(data.frame.select(by, text)).sort_by(by)["_wave_"] for data, by in sides)
        codes = sorted_codes(pa_concat([first, second]))[1].astype(np.int64)
        codes = np.where(codes < 0, codes.max(initial=0) + 1, codes)
        return codes[: len(first)], codes[len(first) :]


KNOWN, SEEN = (TARGET, SOUGHT), (ALIAS, WHOLE)


def _units(data: Dataset, by: str, unit: str) -> tuple[pa.Array, Whole]:
    """Aliases of units, and for each record, in the order of its own alias, the place of its unit."""
    import numpy as np

    names, codes = sorted_codes(data.engine.arrays(data.frame.select(by, unit)).sort_by(by)[unit])
    return names, codes.astype(np.int64)
