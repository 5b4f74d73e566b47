"""Membership: whether a person took part at all, whichever record it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field

from schleier.attacks._metrics import columns_of, exact_first
from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.core.trust.coarse import USUAL, Openness, tell_coarsely
from schleier.core.trust.crowd import Crowd, crowd_of
from schleier.core.trust.sides import sides_of
from schleier.core.trust.trustee import knowable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run
    from schleier.kernels.linkage.penalties import Neighbours
    from schleier.kernels.statistics.roc import Curve, Rate

Share = Annotated[float, Field(gt=0, lt=1)]
FEW, FEWEST = 0.01, 0.001
"""Shares of false alarms at which hits are counted."""
MANY = 300_000
"""Records up to which it is tried without being asked for."""
COUNTS = frozenset({"unique", "repeated", "outsiders"})
SHARES = {
    "area": "targets",
    "area_low": "targets",
    "area_high": "targets",
    "found_at_fewest": "targets",
    "absent": "outsiders",
    "absent_at_fewest": "outsiders",
    "unique_area": "unique",
    "unique_found": "unique",
    "repeated_area": "repeated",
    "repeated_found": "repeated",
}


class Membership(Technique):
    """Claim that a person took part when the release is nearer to what is known of it than to what is known of others.

    >>> Membership(technique="leave_out", known=["age", "sex"]).targets
    1000
    """

    reference: ClassVar[str] = (
        "Kneuper (2025), three threats (K-021); Shokri et al. (2017); Hilprecht, Härterich and Bernau (2019); "
        "Carlini et al. (2022), Membership inference attacks from first principles"
    )
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex", "region", "income"], "targets": 100}
    openness: ClassVar[Openness] = USUAL | Openness(
        counts=frozenset({"unique", "repeated", "outsiders"}), shares=SHARES
    )

    known: tuple[str, ...] = ()
    """Columns the attacker knows about a person; all quasi-identifiers when empty."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """How many persons who took part are asked about, or "all" that there are; of the control as many at most."""
    technique: Literal["closest", "likelihood_ratio", "leave_out"] = "closest"
    """How he scores a person: by the distance of the nearest record (closest), by how much likelier the release is when
    the person took part, with half of the control for reference (likelihood_ratio), or by how much farther the release
    is when the nearest record is left out (leave_out)."""
    metric: Literal["hamming", "gower", "euclid", "lambert"] = "gower"
    """How far apart two records are, as for ``distance_match``; a likelihood ratio takes its own from ``errors``."""
    errors: dict[str, Share] = Field(default_factory=dict)
    """Share of the values of a column that he takes for changed (lambert, likelihood_ratio); 0.05 where not named."""
    candidates: int = Field(default=20, ge=1, le=1000)
    """So many of the nearest records make up a likelihood."""
    missing: Literal["category", "anything"] = "anything"
    """A gap may be anything, or is a value of its own that differs from all others."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Whatever was done, by all keys, where every record can be compared with every person in seconds."""
        small = 0 < case.released.rows <= MANY
        return [cls()] if small and knowable(case, case.released.schema.quasi) else []

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The known columns."""
        return self.known or schema.quasi

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The known columns must be in the release, and errors are for them."""
        yield from super().problems(schema)
        if not self.uses(schema):
            hint = 'give columns the role "quasi", or name the known ones'
            yield Problem("no-keys", "known", "the attacker knows nothing", hint)
        for name in self.errors:
            if name not in self.uses(schema):
                message = f"the attacker does not know column '{name}'"
                yield Problem("not-a-key", "errors", message, "name known columns only")

    def measure(self, case: Case, run: Run) -> Finding:
        """Score members and others, or members without their own records where there is no control."""
        columns = knowable(case, self.uses(case.released.schema))
        if not columns:
            hint = 'give columns the role "quasi", or name the known ones'
            raise DataError(Problem("no-keys", "known", "the attacker knows nothing", hint))
        referring = self.technique == "likelihood_ratio"
        if referring and (case.control is None or case.control.rows < 2):
            message = "a likelihood ratio needs people who took no part, for reference"
            hint = 'name their file under [data]: control = "...", or choose another technique'
            raise DataError(Problem("no-control", "data.control", message, hint))
        limit = None if self.targets == "all" else self.targets
        crowd = crowd_of(case, columns, limit, run, referring=referring)
        weights = self._weights(crowd, columns) if referring else None
        near = self._near(crowd, columns)
        if case.control is None:
            curves = crowd.curves(self._scores(near, weights), self._scores(crowd.without_own(near), weights))
        else:
            curves = crowd.curves(self._scores(near, weights))
        return self._finding(columns, crowd, curves, case.control is not None)

    def _near(self, crowd: Crowd, columns: tuple[str, ...]) -> Neighbours:
        from schleier.kernels.linkage.penalties import nearest_records

        # One more for the record that may be left out, and one more for the trustee to take away.
        many = {"closest": 1, "leave_out": 2, "likelihood_ratio": self.candidates}[self.technique] + 1
        if self.technique == "likelihood_ratio":
            sides = sides_of(crowd.released, crowd.known, columns, self.missing)
            return nearest_records(columns_of(sides, "lambert", {}, self.errors, fishing=False), many)
        # A record that could be anybody's must not be as near as the own one.
        sides = sides_of(crowd.released, crowd.known, columns)
        costs = columns_of(sides, self.metric, {}, self.errors, fishing=False)
        return nearest_records(exact_first(sides, costs) if self.missing == "anything" else costs, many)

    def _scores(self, near: Neighbours, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Higher for those who seem to have taken part."""
        from schleier.kernels.linkage.belonging import closeness, likelihood_ratios, lonely_closeness

        if self.technique == "closest":
            return closeness(near)
        return lonely_closeness(near) if weights is None else likelihood_ratios(near, weights)

    def _weights(self, crowd: Crowd, columns: tuple[str, ...]) -> NDArray[np.float64]:
        """How likely each released record is when it is of somebody else, by the people he has for reference."""
        from schleier.kernels.linkage.belonging import log_density
        from schleier.kernels.linkage.penalties import nearest_records

        assert crowd.reference is not None
        sides = sides_of(crowd.released, crowd.reference, columns, self.missing)
        found = nearest_records(columns_of(sides, "lambert", {}, self.errors, fishing=True), self.candidates)
        return log_density(found, len(sides.targets))

    def _finding(self, columns: tuple[str, ...], crowd: Crowd, curves: dict[str, Curve], controlled: bool) -> Finding:
        curve = curves["all"]
        others = len(curve.alarms_at)
        area, found, absent = curve.area, curve.hits(FEW), curve.turned().hits(FEW)
        caught, alarmed = curve.caught(FEW)
        rarely = curve.hits(FEWEST) if others * FEWEST >= 1 else None
        seldom = curve.turned().hits(FEWEST) if crowd.members * FEWEST >= 1 else None
        apart: dict[str, float | int | None] = {}
        for name in ("unique", "repeated"):
            part = curves[name]
            told = len(part.hits_at) > 0 and len(part.alarms_at) * FEW >= 1
            apart |= {
                name: len(part.hits_at),
                f"{name}_area": part.area.share if told else None,
                **_rate(f"{name}_found", part.hits(FEW) if told else None),
            }
        return Finding(
            name=self.word(),
            value=found.share,
            low=found.low,
            high=found.high,
            better=self.better,
            text=self._text(crowd.members, others, curve, controlled=controlled),
            detail={
                "known": list(columns),
                "knowledge": "exact",
                "targets": crowd.members,
                "contained": crowd.contained,
                "claims": caught,
                "correct": caught,
                "baseline": FEW,
                "records": crowd.records,
                "outsiders": others,
                "control_targets": others if controlled else None,
                "control_claims": alarmed / others if controlled and others else None,
                "left_out": not controlled,
                **_rate("area", area),
                **_rate("found_at_fewest", rarely),
                **_rate("absent", absent),
                **_rate("absent_at_fewest", seldom),
                **apart,
            },
        )

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Intervals in coarse steps; how many false alarms there are was set beforehand."""
        told = tell_coarsely(exact, self.openness)
        detail = {**told.detail, "baseline": FEW, "left_out": exact.detail["left_out"]}
        return self.phrase(told.model_copy(update={"detail": detail}))

    def _text(self, members: int, others: int, curve: Curve, *, controlled: bool) -> str:
        found, area, absent = curve.hits(FEW), curve.area, curve.turned().hits(FEW)
        whom = f"{others} who did not" if controlled else "themselves without their own record"
        return (
            f"Of {members} persons who took part, {found.share:.2%} were told from {whom} at {FEW:.0%} false alarms "
            f"(95 % interval {found.low:.2%} to {found.high:.2%}; guessing: {FEW:.0%}); {absent.share:.2%} of those "
            f"who took no part were known not to. One of each is told apart with a chance of {area.share:.2%} "
            f"({area.low:.2%} to {area.high:.2%})."
        )


def _rate(name: str, rate: Rate | None) -> dict[str, float | None]:
    """A share and the ends of its interval, under their names."""
    if rate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: rate.share, f"{name}_low": rate.low, f"{name}_high": rate.high}
