"""Membership: whether a person took part at all, whichever record it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.attacks._metrics import columns_of, exact_first, exchanged
from schleier.core.amount import LEAST
from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.core.trust.blocks import Against, Found, block_of
from schleier.core.trust.coarse import FEW as SOME
from schleier.core.trust.coarse import NOT_BETTER, USUAL, Openness, tell_coarsely
from schleier.core.trust.crowd import Crowd, crowd_of
from schleier.core.trust.sides import sides_of
from schleier.core.trust.trustee import knowable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.linkage import penalties
    from schleier.kernels.linkage.penalties import Neighbours
    from schleier.kernels.statistics.roc import Curve, Rate

Share = Annotated[float, Field(gt=0, lt=1)]
FEW, FEWEST = 0.01, 0.001
"""Shares of false alarms at which hits are counted."""
MANY = 300_000
"""Records up to which it is tried without being asked for."""


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
        frozenset({"baseline", "left_out"}),
        frozenset({"outsiders"}),
        {"area": "targets", "area_low": "targets", "area_high": "targets"},
    )
    counts_hits_alone: ClassVar[bool] = True
    done: ClassVar[str] = "told from people who took no part, beyond guessing"

    known: tuple[str, ...] = ()
    """Columns the attacker knows about a person; all quasi-identifiers when empty."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """How many persons who took part are asked about, or "all" that there are; of the control as many at most."""
    technique: Literal["closest", "likelihood_ratio", "leave_out"] = "closest"
    """How he scores a person: by the distance of the nearest record (closest), by how much likelier the release is when
    the person took part, with half of the control for reference (likelihood_ratio), or by how much farther the release
    is when the nearest record is left out (leave_out)."""
    metric: Literal["hamming", "gower", "euclid", "lambert"] = "gower"
    """How far apart two records are, as for ``distance_match``."""
    errors: dict[str, Share] = Field(default_factory=dict)
    """Share of the values of a column that he takes for changed (lambert); 0.05 where not named."""
    candidates: int = Field(default=10, ge=1, le=1000)
    """So many of the nearest records, and of the nearest people of the reference, make up a likelihood ratio."""
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
        around = self._around(crowd, columns) if referring else None
        near = self._near(crowd, columns)
        scores = self._scores(near, around, len(columns))
        left = self._scores(crowd.without_own(near), around, len(columns)) if case.control is None else None
        curves = crowd.curves(scores, left)
        return self._finding(columns, crowd, curves, case.control is not None)

    def _near(self, crowd: Crowd, columns: tuple[str, ...]) -> Neighbours:
        from schleier.kernels.linkage.penalties import nearest_records

        # One more for the record that may be left out, and one more for the trustee to take away.
        many = {"closest": 1, "leave_out": 2, "likelihood_ratio": self.candidates}[self.technique] + 1
        return nearest_records(self._costs(crowd.released, crowd.known, columns), many)

    def _costs(
        self, released: Dataset, people: Dataset, columns: tuple[str, ...]
    ) -> list[penalties.Words | penalties.Numbers]:
        # A record that could be anybody's must not be as near as the own one.
        sides = sides_of(released, people, columns)
        costs = columns_of(sides, self.metric, {}, self.errors, fishing=False)
        return exact_first(sides, costs) if self.missing == "anything" else costs

    def _scores(self, near: Neighbours, around: NDArray[np.float64] | None, columns: int) -> NDArray[np.float64]:
        """Higher for those who seem to have taken part."""
        from schleier.kernels.linkage.belonging import closeness, likelihood_ratios, lonely_closeness

        if self.technique == "closest":
            return closeness(near)
        return lonely_closeness(near) if around is None else likelihood_ratios(near, around, columns)

    def _around(self, crowd: Crowd, columns: tuple[str, ...]) -> NDArray[np.float64]:
        """How far people he has for reference are from each released record: what it would be of somebody else."""
        from schleier.kernels.linkage.belonging import neighbourhoods
        from schleier.kernels.linkage.penalties import nearest_records

        assert crowd.reference is not None
        costs = self._costs(crowd.released, crowd.reference, columns)
        return neighbourhoods(nearest_records(exchanged(costs), self.candidates))

    def _finding(self, columns: tuple[str, ...], crowd: Crowd, curves: dict[str, Curve], controlled: bool) -> Finding:
        curve = curves["all"]
        others = len(curve.alarms_at)
        area, found, absent = curve.area, curve.hits(FEW), curve.turned().hits(FEW)
        caught, alarmed = curve.caught(FEW)
        rarely = curve.hits(FEWEST) if (enough := others * FEWEST >= 1) else None
        seldom = curve.turned().hits(FEWEST) if (both := crowd.members * FEWEST >= 1) else None
        apart: dict[str, float | int | None] = {}
        for name in ("unique", "repeated"):
            part = curves[name]
            told = len(part.hits_at) > 0 and len(part.alarms_at) * FEW >= 1
            apart |= {
                name: len(part.hits_at),
                f"{name}_others": len(part.alarms_at),
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
                "few_others": not enough,
                "few_members": not both,
                **_rate("area", area),
                **_rate("found_at_fewest", rarely),
                **_rate("absent", absent),
                **_rate("absent_at_fewest", seldom),
                **apart,
            },
        )

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """How much better than guessing persons are told apart, by the area, in steps.

        Hits at few false alarms are the holder's: they hang on the few others who score highest, and one person more
        among these changes them by many.
        """
        from schleier.kernels.statistics.roc import Rate

        detail = exact.detail
        members, others = int(detail["targets"]), int(detail["outsiders"])
        others = others // LEAST * LEAST or min(others, 1)
        units = min(members, others)
        asked: dict[str, Any] = {"targets": units, "claims": units, "correct": 0, "baseline": 0.0}
        asked["contained"] = round(detail["contained"] * units / max(members, 1))
        also, found = _alone(detail), None
        if units:
            asked |= _rate("area", Rate(*_areas(detail["area"], members, others)[0]))
            found = _beyond_guessing(detail["area"], members, others)
        told = tell_coarsely(exact.model_copy(update={"detail": {**detail, **asked}}), self.openness, found, also)
        public = {**told.detail, "targets": members, "claims_share": None}
        return self.phrase(told.model_copy(update={"detail": public}))

    def phrase(self, finding: Finding) -> Finding:
        """With the area: what is told besides is how far it is beyond guessing."""
        detail = {**finding.detail, "baseline": None}  # beyond guessing, guessing finds nobody
        told, area = super().phrase(finding.model_copy(update={"detail": detail})), finding.detail.get("area")
        also = "" if area is None else f" One of each is told apart with a chance of about {area:.0%} (guessing: 50%)."
        return finding.model_copy(update={"text": told.text + also})

    def _text(self, members: int, others: int, curve: Curve, *, controlled: bool) -> str:
        found, area, absent = curve.hits(FEW), curve.area, curve.turned().hits(FEW)
        seen = f" One false alarm among a thousand is not looked at: that takes {1 / FEWEST:,.0f} others."
        few = seen if others * FEWEST < 1 else ""
        whom = f"{others} who did not" if controlled else "themselves without their own record"
        return (
            f"Of {members} persons who took part, {found.share:.2%} were told from {whom} at {FEW:.0%} false alarms "
            f"(95 % interval {found.low:.2%} to {found.high:.2%}; guessing: {FEW:.0%}); {absent.share:.2%} of those "
            f"who took no part were known not to. One of each is told apart with a chance of {area.share:.2%} "
            f"({area.low:.2%} to {area.high:.2%}).{few}"
        )


def _beyond_guessing(area: float, members: int, others: int) -> Found:
    """What an area is beyond one half, as a share of what it could be, in a block.

    One person more among the members, or the others, changes it by one of as many as there are of the fewer.
    """
    _, *ends = _areas(area, members, others)
    least, most = ((max(2 * low - 1, 0.0), max(2 * high - 1, 0.0)) for _, low, high in ends)
    return Found(least, most, max(2 * ends[1][0] - 1, 0.0))


def _areas(area: float, members: int, others: int) -> list[tuple[float, float, float]]:
    """The area with its interval: in the middle of its block, and at both ends."""
    from schleier.kernels.statistics.roc import area_interval

    units = min(members, others)
    least, most = block_of(round(area * units), units)
    shares = [count / units for count in ((least + most) // 2, least, most)]
    return [(share, *area_interval(share, members, others)) for share in shares]


def _alone(detail: Mapping[str, Any]) -> Against:
    """What came of it for those whom the keys tell from everybody: many others must not hide them."""
    area, (members, others) = detail["unique_area"], (int(detail[n]) for n in ("unique", "unique_others"))
    members, others = members // LEAST * LEAST, others // LEAST * LEAST
    if area is None or min(members, others) < SOME:
        return NOT_BETTER
    return _beyond_guessing(area, members, others).against((0.0, 0.0))


def _rate(name: str, rate: Rate | None) -> dict[str, float | None]:
    """A share and the ends of its interval, under their names."""
    if rate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: rate.share, f"{name}_low": rate.low, f"{name}_high": rate.high}
