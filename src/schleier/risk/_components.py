"""The components a risk is composed of, each with its interval and how it was got."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from schleier.kernels.population.composition import ROWS, Coverage, Parts, Row, applies, attacker_risk, certainty
from schleier.risk._weights import weighted_share

if TYPE_CHECKING:
    from schleier.core.classes import Classes

How = Literal["given", "counted", "estimated", "rates", "pairs", "assumed", "failed", "follows"]
"""Set by hand, counted in the file, estimated by a model, from rates, from true pairs, taken for granted because
nothing else is known, taken for granted because the model failed, or fulfilled for this attacker."""
NAMES = ("represented", "compatible", "unique", "certain")


@dataclass(frozen=True)
class RiskComponent:
    """A probability."""

    value: float
    how: How
    low: float | None = None
    high: float | None = None
    doubts: tuple[str, ...] = ()
    """Why a model is not to be trusted."""

    def ends(self) -> tuple[float, float]:
        """The interval; the value itself where there is none."""
        return (self.value if self.low is None else self.low), (self.value if self.high is None else self.high)

    def certain(self, in_file: RiskComponent, *, published: bool) -> RiskComponent:
        """How sure an attacker may be of uniqueness in the population; he is where the model failed."""
        if self.how == "failed":
            return replace(self, value=1.0)
        low, high = (
            None if end is None else certainty(end, in_file.value, published=published) for end in (self.low, self.high)
        )
        return RiskComponent(certainty(self.value, in_file.value, published=published), self.how, low, high)

    def details(self) -> dict[str, Any]:
        """For a finding."""
        return {"value": self.value, "how": self.how, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Components:
    """All of them."""

    in_release: RiskComponent
    in_knowledge: RiskComponent
    compatible: RiskComponent
    unique: RiskComponent
    certain: RiskComponent
    unique_in_release: RiskComponent

    def of(self, row: Row) -> tuple[RiskComponent, ...]:
        """The four components that count for an attacker."""

        def one(name: str | None) -> RiskComponent:
            found: RiskComponent = RiskComponent(1.0, "follows") if name is None else getattr(self, name)
            return found

        return one(row.represented), self.compatible, one(row.unique), one(row.certain)

    def details(self, row: Row) -> dict[str, dict[str, Any]]:
        """For a finding."""
        return {name: one.details() for name, one in zip(NAMES, self.of(row), strict=True)}

    def risk(self, row: Row) -> tuple[float | None, float, float | None]:
        """The product; its interval takes all low ends, and all high ends, which is careful."""
        mine = self.of(row)
        value = attacker_risk(row, self._parts())
        if all(one.low is None for one in mine):
            return None, value, None
        low, high = 1.0, 1.0
        for one in mine:
            low, high = low * one.ends()[0], high * one.ends()[1]
        return min(low, value), value, max(high, value)

    def rows(self, release: Coverage) -> list[dict[str, Any]]:
        """All attackers of the overview, so that the dangerous ones are seen."""
        return [
            {
                "row": row.number,
                "strategy": row.strategy,
                "participation": row.participation,
                "knowledge": row.knowledge,
                "release": row.release,
                "applies": applies(row, release),
                "risk": attacker_risk(row, self._parts()),
                **{name: one.value for name, one in zip(NAMES, self.of(row), strict=True)},
            }
            for row in ROWS
        ]

    def weighted(self, row: Row, classes: Classes) -> dict[str, float]:
        """The same for persons instead of records: the share of persons whose record is unique."""
        share = weighted_share(classes, classes.sizes == 1) or 0.0
        before = self.unique_in_release.value
        unique = self.unique.value
        if self.unique.how != "given" and before:  # what follows from being unique in the file stays as it is
            unique = min(unique / before * share, 1.0)
        parts = replace(self._parts(), unique=unique, unique_in_release=share)
        return {"unique_in_release": share, "unique": unique, "risk": attacker_risk(row, parts)}

    def _parts(self) -> Parts:
        return Parts(
            self.in_release.value,
            self.in_knowledge.value,
            self.compatible.value,
            self.unique.value,
            self.certain.value,
            self.unique_in_release.value,
        )


def given(value: float | None) -> RiskComponent | None:
    """A number set by hand, if it was."""
    return None if value is None else RiskComponent(value, "given")


def from_file(value: float) -> RiskComponent:
    """A number of the file itself."""
    return RiskComponent(value, "counted")


def assumed(value: float) -> RiskComponent:
    """Nobody said."""
    return RiskComponent(value, "assumed")
