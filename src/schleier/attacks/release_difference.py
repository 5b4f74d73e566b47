"""Release difference: files that hide a person each give her away together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.core.trust.coarse import USUAL, Openness
from schleier.core.trust.several import Together, together
from schleier.kernels.statistics.trials import Trials

if TYPE_CHECKING:
    from schleier.core.run import Run


class ReleaseDifference(Technique):
    """Intersect the classes that a person is in, release by release, and claim the record where only one is left.

    >>> ReleaseDifference(known=["age", "sex"], fewer_than=3).targets
    1000
    """

    reference: ClassVar[str] = "Bitkom (2020), 2.1: several aggregations of the same data; Ganta et al. (2008)"
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex", "region", "income"], "targets": 100}
    members_only: ClassVar[bool] = True
    counts_hits_alone: ClassVar[bool] = True
    openness: ClassVar[Openness] = USUAL | Openness(
        told=frozenset({"fewer_than"}),
        shares={"alone_here": "targets", "few": "targets", "few_here": "targets"},
    )

    known: tuple[str, ...] = ()
    """Columns by which a person is found in each release that has them; the quasi-identifiers of each when empty."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """How many persons the attacker looks for, or "all" that there are."""
    fewer_than: int = Field(default=5, ge=2)
    """Persons of whom fewer than so many are left are counted, too."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Where there are further releases with keys."""
        one = cls()
        return [one] if case.released.schema.quasi and one._keys(case) else []

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The known columns."""
        return self.known or schema.quasi

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Something must be known."""
        yield from super().problems(schema)
        if not self.uses(schema):
            hint = 'give columns the role "quasi", or name the known ones'
            yield Problem("no-keys", "known", "the attacker knows nothing", hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Count whom nobody else is like in all releases together, and in this one alone."""
        own, keys = self.uses(case.released.schema), self._keys(case)
        if not own:
            hint = 'give columns the role "quasi", or name the known ones'
            raise DataError(Problem("no-keys", "known", "the attacker knows nothing", hint))
        limit = None if self.targets == "all" else self.targets
        told = together(case, keys, own, self.fewer_than, limit, run)
        found, records = Trials(told.found, told.targets), case.released.rows
        low, high = found.interval()
        return Finding(
            name=self.word(),
            value=found.share,
            low=low,
            high=high,
            better=self.better,
            text=self._text(told, len(keys)),
            detail={
                "known": list(own),
                "knowledge": "exact",
                "releases": len(keys),
                "targets": told.targets,
                "contained": told.contained,
                "claims": told.alone,
                "correct": told.found,
                "baseline": told.contained / told.targets / records if told.targets and records else 0.0,
                "records": records,
                "alone_here": told.alone_here,
                "few": told.few,
                "few_here": told.few_here,
                "fewer_than": self.fewer_than,
                "smallest": told.smallest,
            },
        )

    def _keys(self, case: Case) -> Mapping[str, tuple[str, ...]]:
        """The columns by which persons are found in each further release; those without any are left out."""
        found = {}
        for address, data in case.further.items():
            schema = data.schema
            if names := tuple(name for name in self.known or schema.quasi if name in schema):
                found[address] = names
        return found

    def _text(self, told: Together, others: int) -> str:
        low, high = Trials(told.found, told.targets).interval()
        beside = f"{others} further release{'s' * (others != 1)}" if others else "no further release"
        return (
            f"Of {told.targets} persons, {told.alone} are alone in this and {beside} together, {told.alone_here} in "
            f"this one by itself; {told.found} of those who are alone are found by what is known of them "
            f"({told.found / max(told.targets, 1):.2%}, 95 % interval {low:.2%} to {high:.2%}). "
            f"Fewer than {self.fewer_than} are alike for {told.few} of them, in this one by "
            f"itself for {told.few_here}; the fewest who are alike are {told.smallest}."
        )
